// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

/** The type of a duration in nanoseconds; {@code forever}, where it is allowed, is {@link Keys#FOREVER}. */
record DurationType(long min, long max, boolean foreverAllowed) implements ValueType<Long> {
    private static final String FOREVER = "forever";

    @Override
    public String name() {
        return "duration";
    }

    @Override
    public String allowed() {
        return render(min) + " to " + render(max) + (foreverAllowed ? ", or " + FOREVER : "") + " (units "
                + Units.DURATION.names() + ")";
    }

    @Override
    public Long parse(String text) throws BadValueException {
        if (text.equals(FOREVER)) {
            if (foreverAllowed) {
                return Keys.FOREVER;
            }
            throw new BadValueException("this wait has to end");
        }
        long nanos = Units.DURATION.parse(text);
        if (nanos < min || nanos > max) {
            throw new BadValueException("out of range");
        }
        return nanos;
    }

    @Override
    public String render(Long value) {
        return value == Keys.FOREVER ? FOREVER : Units.DURATION.render(value);
    }
}
