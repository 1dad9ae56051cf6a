// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import io.accel.profile.HandoverAfter.Unrest;
import io.accel.profile.HandoverAfter.When;

/**
 * The type of {@code auto}, {@code connect}, {@code random}, {@code breaking}, {@code 0}, or operations and bytes: {@code 8/64KiB}.
 */
final class HandoverAfterType implements ValueType<HandoverAfter> {
    private static final String AUTO = "auto";
    private static final String CONNECT = "connect";
    private static final String RANDOM = "random";
    private static final String SOON = "soon";
    private static final String BREAKING = "breaking";
    private static final int MOST_OPERATIONS = 1_000_000_000;

    @Override
    public String name() {
        return "threshold";
    }

    @Override
    public String allowed() {
        return "`auto`, `0`, `connect`, `soon`, `random`, `breaking`, or operations and bytes such as `8/64KiB`";
    }

    @Override
    public HandoverAfter parse(String text) throws BadValueException {
        return switch (text) {
            case AUTO ->
                new HandoverAfter(When.PRICED, HandoverAfter.LEAST_OPERATIONS, HandoverAfter.LEAST_BYTES, Unrest.NONE);
            case "0" -> new HandoverAfter(When.AT_ONCE, 0, 0, Unrest.NONE);
            case CONNECT -> new HandoverAfter(When.CONNECT, 0, 0, Unrest.NONE);
            case SOON -> new HandoverAfter(When.SOON, 0, 0, Unrest.NONE);
            case RANDOM -> new HandoverAfter(When.CONNECT, 0, 0, Unrest.RETURNS);
            case BREAKING -> new HandoverAfter(When.CONNECT, 0, 0, Unrest.BREAKS);
            default -> parseThreshold(text);
        };
    }

    private static HandoverAfter parseThreshold(String text) throws BadValueException {
        int slash = text.indexOf('/');
        if (slash < 0) {
            throw new BadValueException(
                    "neither 'auto' nor 'connect' nor 'soon' nor 'random' nor 'breaking' nor 0 nor operations and bytes, as in '8/64KiB'");
        }
        int operations = new IntType(1, MOST_OPERATIONS, "operations")
                .parse(text.substring(0, slash).strip());
        long bytes = Units.SIZE.parse(text.substring(slash + 1).strip());
        if (bytes == 0) {
            throw new BadValueException("out of range");
        }
        return new HandoverAfter(When.COUNTED, operations, bytes, Unrest.NONE);
    }

    @Override
    public String render(HandoverAfter value) {
        return switch (value.when()) {
            case PRICED -> AUTO;
            case AT_ONCE -> "0";
            case SOON -> SOON;
            case COUNTED -> value.operations() + "/" + Units.SIZE.render(value.bytes());
            case CONNECT ->
                switch (value.unrest()) {
                    case NONE -> CONNECT;
                    case RETURNS -> RANDOM;
                    case BREAKS -> BREAKING;
                };
        };
    }
}
