// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/**
 * A setting of the schema: its name, type, range, default and meaning. All keys are the constants of {@link Keys}.
 * Immutable; compared by identity.
 *
 * @param <T> the type of its values
 */
public final class Key<T> {
    private final String name;
    private final ValueType<T> type;
    private final String defaultText;
    private final String description;
    /** Made when it is first asked for, since a process asks for few of them. If several threads make one, any of them will do. */
    private volatile Setting<T> unset;

    Key(String name, ValueType<T> type, String defaultText, String description) {
        this.name = name;
        this.type = type;
        this.defaultText = defaultText;
        this.description = description;
    }

    /** The name as written in a profile, such as {@code ring.size}; on the command line {@code -Daccel.} precedes it. */
    public String name() {
        return name;
    }

    /** The part of the name before its first dot, which related keys share; the name itself if it has no dot. */
    public String group() {
        int dot = name.indexOf('.');
        return dot < 0 ? name : name.substring(0, dot);
    }

    /** The type's name: size, duration, int, boolean, word, list, path or string. */
    public String typeName() {
        return type.name();
    }

    /** The allowed values: range and units, or the possible words. */
    public String allowed() {
        return type.allowed();
    }

    /** The value where nothing sets another. */
    public T defaultValue() {
        return unset().value();
    }

    /** The setting where nothing sets another value. */
    Setting<T> unset() {
        Setting<T> made = unset;
        if (made == null) {
            made = new Setting<>(this, parsedDefault(), Origin.DEFAULT);
            unset = made;
        }
        return made;
    }

    private T parsedDefault() {
        try {
            return type.parse(defaultText);
        } catch (BadValueException e) {
            throw new IllegalStateException("default of " + name + ": " + e.getMessage(), e);
        }
    }

    /** The description of the setting in one sentence. */
    public String description() {
        return description;
    }

    /** Writes {@code value} as it would stand in a profile. */
    public String render(T value) {
        return type.render(value);
    }

    T parse(String text) throws BadValueException {
        return type.parse(text);
    }

    @Override
    public String toString() {
        return name;
    }
}
