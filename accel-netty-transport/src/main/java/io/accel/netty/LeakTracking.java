// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;

/** Gives access to Netty's leak detector, which Netty opens to allocators alone. */
final class LeakTracking extends AbstractByteBufAllocator {
    private LeakTracking() {}

    /** Returns the buffer or, as the detector's level demands, a buffer around it that reports if it is never released. */
    static ByteBuf track(ByteBuf buffer) {
        return toLeakAwareBuffer(buffer);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        throw new UnsupportedOperationException("allocates nothing");
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        throw new UnsupportedOperationException("allocates nothing");
    }

    @Override
    public boolean isDirectBufferPooled() {
        return false;
    }
}
