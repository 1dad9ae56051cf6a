package io.accel.profile;

/** Any text, the empty one too; {@code meaning} says of what. */
record StringType(String meaning) implements ValueType<String> {
    @Override
    public String name() {
        return "string";
    }

    @Override
    public String allowed() {
        return meaning;
    }

    @Override
    public String parse(String text) {
        return text;
    }

    @Override
    public String render(String value) {
        return value;
    }
}
