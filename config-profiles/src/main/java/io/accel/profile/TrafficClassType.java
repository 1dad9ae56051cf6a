// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/** The type of a byte as in {@code IP_TOS}, or {@code program} for the program's own, which is {@link #PROGRAMS}. */
record TrafficClassType() implements ValueType<Integer> {
    static final int PROGRAMS = -1;
    private static final String WORD = "program";
    private static final int MOST = 255;

    @Override
    public String name() {
        return "int";
    }

    @Override
    public String allowed() {
        return WORD + ", or a whole number from 0 to " + MOST;
    }

    @Override
    public Integer parse(String text) throws BadValueException {
        if (text.equals(WORD)) {
            return PROGRAMS;
        }
        if (!Units.areDigits(text, 0)) {
            throw new BadValueException("neither '" + WORD + "' nor a whole number");
        }
        if (text.length() > 9 || Integer.parseInt(text) > MOST) {
            throw new BadValueException("out of range");
        }
        return Integer.valueOf(text);
    }

    @Override
    public String render(Integer value) {
        return value == PROGRAMS ? WORD : value.toString();
    }
}
