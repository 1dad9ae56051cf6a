package io.accel.netty;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;

/** The way to Netty's leak detector, which it opens to allocators. */
final class LeakTracking extends AbstractByteBufAllocator {
    private LeakTracking() {}

    /** The buffer, or one around it that reports if it is never released, as the detector's level wants it. */
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
