// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.netty.channel.IoEvent;

/** The ops that an {@link AccelIoHandle} is ready for. Immutable, with one object for each combination. */
final class AccelIoEvent implements IoEvent {
    private final AccelIoOps ops;

    AccelIoEvent(AccelIoOps ops) {
        this.ops = ops;
    }

    /** Returns the submitted ops that are ready. */
    public AccelIoOps ops() {
        return ops;
    }

    @Override
    public String toString() {
        return "AccelIoEvent(" + ops.value() + ')';
    }
}
