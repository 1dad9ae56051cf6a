// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/** The type of a limit in bytes; 0 for no limit. */
record CapType(long max) implements ValueType<Long> {
    @Override
    public String name() {
        return "size";
    }

    @Override
    public String allowed() {
        return "0 to " + render(max) + " (units " + Units.SIZE.names() + "; none means bytes)";
    }

    @Override
    public Long parse(String text) throws BadValueException {
        long bytes = Units.SIZE.parse(text);
        if (bytes > max) {
            throw new BadValueException("out of range");
        }
        return bytes;
    }

    @Override
    public String render(Long value) {
        return Units.SIZE.render(value);
    }
}
