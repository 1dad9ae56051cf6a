// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

/** A value for each {@link Figure}. Not safe for use by several threads while it is added to. */
@SuppressWarnings("EnumOrdinal") // an index that never leaves the process
public final class Figures {
    private static final int COUNT = Figure.values().length;

    private final long[] values = new long[COUNT];

    /** The value of a figure. */
    public long get(Figure figure) {
        return values[figure.ordinal()];
    }

    /** Adds to a figure; returns this. */
    public Figures add(Figure figure, long value) {
        values[figure.ordinal()] += value;
        return this;
    }

    /** Adds all figures of another object; returns this. */
    public Figures add(Figures other) {
        for (int i = 0; i < COUNT; i++) {
            values[i] += other.values[i];
        }
        return this;
    }

    /** Returns the increase since an earlier state, which may be null for nothing, in a new object. */
    public Figures since(Figures earlier) {
        Figures difference = new Figures();
        for (int i = 0; i < COUNT; i++) {
            difference.values[i] = values[i] - (earlier == null ? 0 : earlier.values[i]);
        }
        return difference;
    }
}
