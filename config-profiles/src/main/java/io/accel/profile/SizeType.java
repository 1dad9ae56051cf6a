// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/** The type of a size in bytes that a buffer can have. */
record SizeType(int min, int max, boolean powerOfTwo) implements ValueType<Integer> {
    @Override
    public String name() {
        return "size";
    }

    @Override
    public String allowed() {
        return (powerOfTwo ? "a power of two from " : "") + render(min) + " to " + render(max) + " (units "
                + Units.SIZE.names() + "; none means bytes)";
    }

    @Override
    public Integer parse(String text) throws BadValueException {
        long bytes = Units.SIZE.parse(text);
        if (bytes < min || bytes > max) {
            throw new BadValueException("out of range");
        }
        if (powerOfTwo && Long.bitCount(bytes) != 1) {
            throw new BadValueException("not a power of two");
        }
        return (int) bytes;
    }

    @Override
    public String render(Integer value) {
        return Units.SIZE.render(value);
    }
}
