// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.observe.OrdinaryBuffers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.internal.PlatformDependent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The allocator of buffers that devices send from, and its memory. */
class AccelByteBufAllocatorTest {
    private static final int K = 1024;

    private final AccelByteBufAllocator allocator = AccelByteBufAllocator.DEFAULT;

    private boolean isOwn(ByteBuf buffer) {
        return allocator.memory().chunkOf(buffer.memoryAddress(), buffer.capacity()) != null;
    }

    @Test
    void largeDirectBuffersAreItsOwnAndOthersAreNot() {
        for (int size : new int[] {0, 1, 16 * K - 1, 16 * K, 16 * K + 1, 100_000, 4 << 20, (4 << 20) + 1}) {
            ByteBuf buffer = allocator.directBuffer(size);
            assertThat(buffer.capacity()).isEqualTo(size);
            assertThat(buffer.readableBytes()).isZero();
            assertThat(isOwn(buffer)).as("%d bytes", size).isEqualTo(size >= 16 * K && size <= 4 << 20);
            assertThat(buffer.release()).isTrue();
        }
        ByteBuf heap = allocator.heapBuffer(64 * K);
        assertThat(heap.hasArray()).isTrue();
        heap.release();
    }

    @Test
    void slicesAndDuplicatesAreFoundAsWell() {
        ByteBuf buffer = allocator.directBuffer(64 * K).writeZero(64 * K);
        assertThat(isOwn(buffer.slice(60 * K, 4 * K))).isTrue();
        assertThat(isOwn(buffer.retainedDuplicate())).isTrue();
        buffer.release(2);
    }

    @Test
    void aBufferThatGrowsKeepsItsBytes() {
        ByteBuf buffer = allocator.directBuffer(16 * K);
        for (int i = 0; i < 30 * K; i++) {
            buffer.writeInt(i);
        }
        for (int i = 0; i < 30 * K; i++) {
            assertThat(buffer.readInt()).isEqualTo(i);
        }
        buffer.release();
    }

    @Test
    void memoryIsUsedAgainAfterTheLastReleaseByAnyThread() throws InterruptedException {
        Set<Long> addresses = new HashSet<>();
        for (int i = 0; i < 2000; i++) {
            ByteBuf buffer = allocator.directBuffer(1 << 20);
            addresses.add(buffer.memoryAddress());
            if (i % 100 == 0) {
                Thread other = new Thread(buffer::release);
                other.start();
                other.join();
            } else {
                buffer.release();
            }
        }
        assertThat(addresses).hasSizeLessThanOrEqualTo(4);
    }

    @Test
    void tellsHowMuchMemoryItHas() {
        ByteBuf own = allocator.directBuffer(1 << 20);
        long direct = allocator.metric().usedDirectMemory();
        assertThat(direct - PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory())
                .isEqualTo(allocator.memory().size())
                .isPositive();
        own.release();
        ByteBuf heap = allocator.heapBuffer(100);
        assertThat(allocator.metric().usedHeapMemory()).isPositive();
        heap.release();
    }

    @Test
    void takesNoMoreThanItMay() {
        SendMemory memory = new SendMemory(16 * K, 3L * SendMemory.CHUNK);
        List<SendMemory.Slot> slots = new ArrayList<>();
        Set<Long> chunks = new HashSet<>();
        SendMemory.Slot slot;
        while ((slot = memory.take(1_000_000)) != null) {
            slots.add(slot);
            long address = PlatformDependent.directBufferAddress(slot.memory());
            chunks.add(memory.chunkOf(address, slot.memory().capacity()).address());
        }
        assertThat(slots).hasSize(12).doesNotHaveDuplicates();
        assertThat(chunks).hasSize(3);
        assertThat(memory.take(16 * K)).isNull();
        assertThat(memory.chunkOf(1, 1)).isNull();
        memory.give(slots.get(5));
        assertThat(memory.take(1_000_000)).isSameAs(slots.get(5));
        assertThat(memory.take(SendMemory.CHUNK + 1)).isNull();

        // A chunk that is wholly free serves any size.
        slots.forEach(memory::give);
        List<SendMemory.Slot> small = new ArrayList<>();
        while ((slot = memory.take(16 * K)) != null) {
            small.add(slot);
        }
        assertThat(small).hasSize(3 * SendMemory.CHUNK / (16 * K)).doesNotHaveDuplicates();
    }

    @Test
    void whatIsBeyondItsMemoryComesFromElsewhereAndIsCounted() {
        long before = OrdinaryBuffers.count(OrdinaryBuffers.Why.NO_MEMORY);
        List<ByteBuf> buffers = new ArrayList<>();
        do {
            assertThat(OrdinaryBuffers.count(OrdinaryBuffers.Why.NO_MEMORY)).isEqualTo(before);
            buffers.add(allocator.directBuffer(4 << 20));
        } while (isOwn(buffers.get(buffers.size() - 1)));
        assertThat(buffers).hasSizeBetween(2, 17);
        assertThat(OrdinaryBuffers.count(OrdinaryBuffers.Why.NO_MEMORY)).isEqualTo(before + 1);
        buffers.forEach(ByteBuf::release);
    }

    @Test
    void whatIsTooSmallOrTooLargeIsNotCounted() {
        long before = OrdinaryBuffers.count(OrdinaryBuffers.Why.NO_MEMORY);
        allocator.directBuffer(16 * K - 1).release();
        allocator.directBuffer((4 << 20) + 1).release();
        allocator.heapBuffer(64 * K).release();
        assertThat(OrdinaryBuffers.count(OrdinaryBuffers.Why.NO_MEMORY)).isEqualTo(before);
    }
}
