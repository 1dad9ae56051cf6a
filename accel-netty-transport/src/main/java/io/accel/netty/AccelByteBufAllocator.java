package io.accel.netty;

import io.accel.profile.Keys;
import io.accel.profile.Profile;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.util.internal.PlatformDependent;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.nio.ByteBuffer;

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
 * PooledByteBufAllocator#DEFAULT}, as these do where there is no more. Where Netty cannot tell the address of a direct buffer, all
 * of them do, and a warning says so. It tells that by {@code sun.misc.Unsafe}, and on Java 22 and newer also without.
 *
 * <p>A write of such a buffer, a slice, a duplicate over {@code rdma} is done when the device has read the bytes; until then they
 * must not be changed, as with any transport. The memory is not used for another buffer before that even if the channel
 * is closed meanwhile. On other paths its buffers are as good as others. Thread-safe.
 */
public final class AccelByteBufAllocator extends AbstractByteBufAllocator implements ByteBufAllocatorMetricProvider {
    private static final InternalLogger LOG = InternalLoggerFactory.getInstance(AccelByteBufAllocator.class);

    /** The one for the process. */
    public static final AccelByteBufAllocator DEFAULT = new AccelByteBufAllocator();

    private final PooledByteBufAllocator others = PooledByteBufAllocator.DEFAULT;
    private final int threshold;
    private final SendMemory memory;
    /** Whether a write can tell that a buffer lies in the memory. */
    private final boolean knowsAddresses;

    private final Metric metric = new Metric();

    private AccelByteBufAllocator() {
        super(true);
        Profile profile = Accel.accelerator().profile();
        threshold = profile.get(Keys.ZERO_COPY_THRESHOLD);
        memory = new SendMemory(threshold, profile.get(Keys.ZERO_COPY_MEMORY));
        knowsAddresses =
                Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(Long.BYTES)).hasMemoryAddress();
        if (!knowsAddresses) {
            LOG.warn(
                    "the buffers of AccelByteBufAllocator are ordinary ones, which RDMA devices send from by a copy: Netty"
                            + " has no access to sun.misc.Unsafe ({}). Add this to the java command:"
                            + " -Dio.netty.noUnsafe=false; or run it on Java 22 or newer",
                    PlatformDependent.getUnsafeUnavailabilityCause().getMessage());
        }
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
        if (initialCapacity >= threshold && knowsAddresses) {
            SendMemory.Slot slot = memory.take(initialCapacity);
            if (slot != null) {
                return toLeakAwareBuffer(
                        PlatformDependent.hasUnsafe()
                                ? new SendByteBuf(this, memory, slot, initialCapacity, maxCapacity)
                                : new SafeSendByteBuf(this, memory, slot, initialCapacity, maxCapacity));
            }
        }
        return others.directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return true;
    }

    /** Bytes that this has of the system, in use or not, and those that {@link PooledByteBufAllocator#DEFAULT} has, for anybody. */
    @Override
    public ByteBufAllocatorMetric metric() {
        return metric;
    }

    private final class Metric implements ByteBufAllocatorMetric {
        @Override
        public long usedHeapMemory() {
            return others.metric().usedHeapMemory();
        }

        @Override
        public long usedDirectMemory() {
            return memory.size() + others.metric().usedDirectMemory();
        }
    }
}
