package io.accel.netty;

import io.accel.profile.Keys;
import io.accel.profile.Profile;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.internal.PlatformDependent;

/**
 * Direct buffers that an RDMA device sends from where they lie, for the {@link io.netty.channel.ChannelOption#ALLOCATOR} of
 * {@link AccelSocketChannel}s:
 *
 * <pre>{@code
 * bootstrap.option(ChannelOption.ALLOCATOR, AccelByteBufAllocator.DEFAULT)
 * }</pre>
 *
 * <p>Direct buffers of an initial capacity from {@code zero-copy.threshold} up to 4 MiB come from memory of its own, at most
 * {@code zero-copy.memory} bytes for the process, which is never given back; all others from {@link
 * PooledByteBufAllocator#DEFAULT}, as these do where there is no more, or Netty has no access to {@code Unsafe}.
 *
 * <p>A write of such a buffer, a slice, a duplicate over {@code rdma} is done when the device has read the bytes; until then they
 * must not be changed, as with any transport. The memory is not used for another buffer before that even if the channel
 * is closed meanwhile. On other paths its buffers are as good as others. Thread-safe.
 */
public final class AccelByteBufAllocator extends AbstractByteBufAllocator {
    /** The one for the process. */
    public static final AccelByteBufAllocator DEFAULT = new AccelByteBufAllocator();

    private final ByteBufAllocator others = PooledByteBufAllocator.DEFAULT;
    private final int threshold;
    private final SendMemory memory;

    private AccelByteBufAllocator() {
        super(true);
        Profile profile = Accel.accelerator().profile();
        threshold = profile.get(Keys.ZERO_COPY_THRESHOLD);
        memory = new SendMemory(threshold, profile.get(Keys.ZERO_COPY_MEMORY));
    }

    /** From which size on buffers are sent from where they lie. */
    int threshold() {
        return threshold;
    }

    SendMemory memory() {
        return memory;
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return others.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        if (initialCapacity >= threshold && PlatformDependent.hasUnsafe()) {
            SendMemory.Slot slot = memory.take(initialCapacity);
            if (slot != null) {
                return toLeakAwareBuffer(new SendByteBuf(this, memory, slot, initialCapacity, maxCapacity));
            }
        }
        return others.directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return true;
    }
}
