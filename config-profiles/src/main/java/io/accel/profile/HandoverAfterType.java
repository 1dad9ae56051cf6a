package io.accel.profile;

/** {@code connect}, {@code random}, {@code 0}, or operations and bytes: {@code 8/64KiB}. */
final class HandoverAfterType implements ValueType<HandoverAfter> {
    private static final String CONNECT = "connect";
    private static final String RANDOM = "random";
    private static final int MOST_OPERATIONS = 1_000_000_000;

    @Override
    public String name() {
        return "threshold";
    }

    @Override
    public String allowed() {
        return "`0`, `connect`, `random`, or operations and bytes such as `8/64KiB`";
    }

    @Override
    public HandoverAfter parse(String text) throws BadValueException {
        if (text.equals(CONNECT) || text.equals(RANDOM)) {
            return new HandoverAfter(true, 0, 0, text.equals(RANDOM));
        }
        if (text.equals("0")) {
            return new HandoverAfter(false, 0, 0, false);
        }
        int slash = text.indexOf('/');
        if (slash < 0) {
            throw new BadValueException(
                    "neither 'connect' nor 'random' nor 0 nor operations and bytes, as in '8/64KiB'");
        }
        int operations = new IntType(1, MOST_OPERATIONS, "operations")
                .parse(text.substring(0, slash).strip());
        long bytes = Units.SIZE.parse(text.substring(slash + 1).strip());
        if (bytes == 0) {
            throw new BadValueException("out of range");
        }
        return new HandoverAfter(false, operations, bytes, false);
    }

    @Override
    public String render(HandoverAfter value) {
        if (value.atConnect()) {
            return value.atRandom() ? RANDOM : CONNECT;
        }
        return value.isAtOnce() ? "0" : value.operations() + "/" + Units.SIZE.render(value.bytes());
    }
}
