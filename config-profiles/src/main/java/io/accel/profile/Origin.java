// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/**
 * The place that a value came from. Immutable.
 *
 * @param kind the layer
 * @param source the preset's name, the file's path, or the system property's or variable's name; empty for a default
 * @param line the line in the preset or file, from 1; 0 where there is none
 */
public record Origin(Kind kind, String source, int line) {
    /** The layers, each over the ones before it. */
    public enum Kind {
        /** The schema. */
        DEFAULT,
        /** A preset that comes with Accel. */
        PRESET,
        /** The user's file. */
        FILE,
        /** {@code -Daccel.KEY=VALUE}, or a setting of the variable {@code ACCEL_OPTIONS}. */
        OVERRIDE
    }

    static final Origin DEFAULT = new Origin(Kind.DEFAULT, "", 0);

    /**
     * The origin in the form of a message: {@code default}, {@code preset latency}, {@code my.properties:3}, {@code
     * -Daccel.KEY}.
     */
    @Override
    public String toString() {
        return switch (kind) {
            case DEFAULT -> "default";
            case PRESET -> "preset " + source;
            case FILE -> line > 0 ? source + ":" + line : source;
            case OVERRIDE -> source;
        };
    }
}
