// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.poll.Pollable;
import io.netty.channel.IoOps;
import java.nio.channels.SelectionKey;

/**
 * The interest set of an {@link AccelIoHandle}. Ops that are submitted to its registration replace the ones before. The bits are those
 * of {@link SelectionKey} and of {@link Pollable}. Immutable, with one object for each value.
 */
final class AccelIoOps implements IoOps {
    private static final int ALL = SelectionKey.OP_READ
            | Pollable.END
            | SelectionKey.OP_WRITE
            | SelectionKey.OP_CONNECT
            | SelectionKey.OP_ACCEPT
            | Pollable.SENT;
    private static final AccelIoOps[] VALUES = new AccelIoOps[ALL + 1];

    static {
        for (int value = 0; value <= ALL; value++) {
            VALUES[value] = new AccelIoOps(value);
        }
    }

    /** Waits for nothing. */
    public static final AccelIoOps NONE = valueOf(0);
    /** Waits for bytes to read. */
    public static final AccelIoOps READ = valueOf(SelectionKey.OP_READ);
    /** Waits for the end of the input, without wanting to read; see {@link Pollable#END}. */
    public static final AccelIoOps END = valueOf(Pollable.END);
    /** Waits for room to write. */
    public static final AccelIoOps WRITE = valueOf(SelectionKey.OP_WRITE);
    /** Waits for the end of a connection attempt. */
    public static final AccelIoOps CONNECT = valueOf(SelectionKey.OP_CONNECT);
    /** Waits for connections to accept. */
    public static final AccelIoOps ACCEPT = valueOf(SelectionKey.OP_ACCEPT);

    /** Waits until the device has read the bytes that it sends in place; see {@link Pollable#SENT}. */
    public static final AccelIoOps SENT = valueOf(Pollable.SENT);

    private final int value;
    private final AccelIoEvent event;

    private AccelIoOps(int value) {
        this.value = value;
        this.event = new AccelIoEvent(this);
    }

    /**
     * Returns the object for a combination of bits.
     *
     * @param value the bits; unknown ones are ignored
     * @return the ops
     */
    public static AccelIoOps valueOf(int value) {
        return VALUES[value & ALL];
    }

    /** Returns the bits. */
    public int value() {
        return value;
    }

    /**
     * Returns whether all of the given ops are among these.
     *
     * @param ops the ops
     * @return whether they are
     */
    public boolean contains(AccelIoOps ops) {
        return (value & ops.value) == ops.value;
    }

    /**
     * Returns these ops and some more.
     *
     * @param ops the ops to add
     * @return the union
     */
    public AccelIoOps with(AccelIoOps ops) {
        return valueOf(value | ops.value);
    }

    /**
     * Returns these ops without some.
     *
     * @param ops the ops to take away
     * @return the difference
     */
    public AccelIoOps without(AccelIoOps ops) {
        return valueOf(value & ~ops.value);
    }

    AccelIoEvent event() {
        return event;
    }

    @Override
    public String toString() {
        return "AccelIoOps(" + value + ')';
    }
}
