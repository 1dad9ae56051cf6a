// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.observe.OrdinaryBuffers;
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
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Allocates direct buffers that an RDMA device can send in place, for the {@link io.netty.channel.ChannelOption#ALLOCATOR} of {@link
 * AccelSocketChannel}s:
 *
 * <pre>{@code
 * bootstrap.option(ChannelOption.ALLOCATOR, AccelByteBufAllocator.DEFAULT)
 * }</pre>
 *
 * <p>Direct buffers of an initial capacity from {@code zero-copy.threshold} up to 4 MiB come from the allocator's own memory. That is
 * at most {@code zero-copy.memory} bytes for the process, and is never given back. All other buffers come from {@link
 * PooledByteBufAllocator#DEFAULT}, and so do these when the memory is used up, of which a warning tells once. Where Netty cannot tell the address of a direct buffer,
 * all buffers do, and a warning says so. Netty learns the address through {@code sun.misc.Unsafe}, and on Java 22 and newer also
 * without it.
 *
 * <p>A write of such a buffer, or of its slice or duplicate, over {@code rdma} is done when the device has read the bytes. Until then
 * they must not be changed, as with any transport, and the memory is not used for another buffer, even if the channel is closed
 * meanwhile. On other paths these buffers are as good as any. Thread-safe.
 */
public final class AccelByteBufAllocator extends AbstractByteBufAllocator implements ByteBufAllocatorMetricProvider {
    private static final InternalLogger LOG = InternalLoggerFactory.getInstance(AccelByteBufAllocator.class);

    /** The allocator of the process. */
    public static final AccelByteBufAllocator DEFAULT = new AccelByteBufAllocator();

    private final PooledByteBufAllocator others = PooledByteBufAllocator.DEFAULT;
    private final int threshold;
    private final SendMemory memory;
    /** Whether a write can tell that a buffer lies in the memory. */
    private final boolean knowsAddresses;

    private final boolean mayHaveMemory;
    private final AtomicBoolean saidNoMore = new AtomicBoolean();
    private final Metric metric = new Metric();

    private AccelByteBufAllocator() {
        super(true);
        Profile profile = Accel.accelerator().profile();
        threshold = profile.get(Keys.ZERO_COPY_THRESHOLD);
        int most = profile.get(Keys.ZERO_COPY_MEMORY);
        memory = new SendMemory(threshold, most);
        mayHaveMemory = most > 0;
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

    /** The size from which on buffers are sent in place. */
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
        if (initialCapacity < threshold || initialCapacity > SendMemory.CHUNK) {
            return others.directBuffer(initialCapacity, maxCapacity);
        }
        if (!knowsAddresses) {
            OrdinaryBuffers.allocated(OrdinaryBuffers.Why.NO_ADDRESS);
            return others.directBuffer(initialCapacity, maxCapacity);
        }
        SendMemory.Slot slot = memory.take(initialCapacity);
        if (slot == null) {
            OrdinaryBuffers.allocated(OrdinaryBuffers.Why.NO_MEMORY);
            sayOnceThatThereIsNoMoreMemory();
            return others.directBuffer(initialCapacity, maxCapacity);
        }
        return toLeakAwareBuffer(
                PlatformDependent.hasUnsafe()
                        ? new SendByteBuf(this, memory, slot, initialCapacity, maxCapacity)
                        : new SafeSendByteBuf(this, memory, slot, initialCapacity, maxCapacity));
    }

    /** Says nothing where a profile leaves the allocator no memory at all. */
    private void sayOnceThatThereIsNoMoreMemory() {
        if (mayHaveMemory && !saidNoMore.get() && saidNoMore.compareAndSet(false, true)) {
            LOG.warn(
                    "AccelByteBufAllocator has {} bytes and gets no more, so further buffers are ordinary ones, which RDMA devices"
                            + " send from by a copy: set {} higher, and -XX:MaxDirectMemorySize if that is the limit. The metric"
                            + " accel.in.place.refused counts such buffers",
                    memory.size(),
                    Keys.ZERO_COPY_MEMORY.name());
        }
    }

    @Override
    public boolean isDirectBufferPooled() {
        return true;
    }

    /** Returns the bytes that this and {@link PooledByteBufAllocator#DEFAULT} have from the system, in use or not, whoever uses them. */
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
