package io.accel.netty;

import io.netty.channel.IoEvent;

/** What an {@link AccelIoHandle} is ready for. Immutable, and one object for each combination. */
public final class AccelIoEvent implements IoEvent {
    private final AccelIoOps ops;

    AccelIoEvent(AccelIoOps ops) {
        this.ops = ops;
    }

    /** The ops that were submitted and are ready. */
    public AccelIoOps ops() {
        return ops;
    }

    @Override
    public String toString() {
        return "AccelIoEvent(" + ops.value() + ')';
    }
}
