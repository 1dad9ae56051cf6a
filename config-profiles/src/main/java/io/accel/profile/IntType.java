// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/** The type of a whole number with a unit. */
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
        boolean signed = text.startsWith("+") || text.startsWith("-");
        if (!Units.areDigits(text, signed ? 1 : 0)) {
            throw new BadValueException("not a whole number");
        }
        try {
            int value = Integer.parseInt(text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // All characters are digits, so the number can only be too large, which is reported below.
        }
        throw new BadValueException("out of range");
    }

    @Override
    public String render(Integer value) {
        return value.toString();
    }
}
