package io.accel.profile;

/** A whole number of something. */
record IntType(int min, int max, String unit) implements ValueType<Integer> {
    @Override
    public String name() {
        return "int";
    }

    @Override
    public String allowed() {
        return "a whole number from " + min + " to " + max + ", in " + unit;
    }

    @Override
    public Integer parse(String text) throws BadValueException {
        if (!text.matches("[+-]?[0-9]+")) {
            throw new BadValueException("not a whole number");
        }
        try {
            int value = Integer.parseInt(text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // All digits, so it can only be too large, which is said below.
        }
        throw new BadValueException("out of range");
    }

    @Override
    public String render(Integer value) {
        return value.toString();
    }
}
