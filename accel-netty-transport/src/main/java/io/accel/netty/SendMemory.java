// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;

/**
 * Memory that devices send from, in chunks that are never given back: a device that pinned a chunk would go on reading its old pages,
 * whatever uses the addresses then. Each chunk is cut into slots of one size, and cut anew when all of them are free. Thread-safe.
 */
final class SendMemory {
    static final int CHUNK = 4 << 20;

    /** A piece of a chunk, used by one buffer at a time. */
    static final class Slot {
        private final ByteBuffer memory;
        private final Chunk chunk;

        private Slot(ByteBuffer memory, Chunk chunk) {
            this.memory = memory;
            this.chunk = chunk;
        }

        /** The whole slot, from 0 to its capacity. */
        ByteBuffer memory() {
            return memory;
        }
    }

    /** A chunk's memory and its address. */
    static final class Chunk {
        private final ByteBuffer memory;
        private final long address;
        /** The number of slots that are taken, and the size of each. Under the memory's lock. */
        private int taken;

        private int slotSize;

        private Chunk(ByteBuffer memory) {
            this.memory = memory;
            this.address = Unpooled.wrappedBuffer(memory).memoryAddress();
        }

        /** The whole chunk, from 0 to its capacity. */
        ByteBuffer memory() {
            return memory;
        }

        long address() {
            return address;
        }

        private boolean contains(long first, int length) {
            return first >= address && first + length <= address + CHUNK;
        }
    }

    private final int least;
    private final long most;
    /** The free slots, by the power of two of their size. */
    private final ArrayDeque<Slot>[] free;
    /** The chunks, by address; the array is replaced when one is added. */
    private volatile Chunk[] chunks = {};

    /**
     * Creates the memory, which takes none from the system yet.
     *
     * @param least the least slot's size, a power of two, at most {@link #CHUNK}
     * @param most the most bytes to take from the system
     */
    @SuppressWarnings({"unchecked", "rawtypes"}) // there are no arrays of generic types
    SendMemory(int least, long most) {
        this.least = least;
        this.most = most;
        this.free = new ArrayDeque[Integer.numberOfTrailingZeros(CHUNK / least) + 1];
        Arrays.setAll(free, i -> new ArrayDeque<>());
    }

    /** Takes a slot of at least so many bytes; null if it would be too large or no memory is left. */
    synchronized Slot take(int bytes) {
        if (bytes > CHUNK) {
            return null;
        }
        int size = Math.max(least, Integer.highestOneBit(Math.max(1, bytes - 1)) << 1);
        Slot slot = free(size).poll();
        if (slot == null) {
            Chunk chunk = newChunk();
            if (chunk == null && (chunk = unusedChunk()) == null) {
                return null;
            }
            cut(chunk, size);
            slot = free(size).remove();
        }
        slot.chunk.taken++;
        return slot;
    }

    /** Takes a slot back. */
    synchronized void give(Slot slot) {
        slot.chunk.taken--;
        free(slot.chunk.slotSize).push(slot); // used next, as its bytes are likely in the cache
    }

    private ArrayDeque<Slot> free(int size) {
        return free[Integer.numberOfTrailingZeros(size / least)];
    }

    private Chunk newChunk() {
        if ((chunks.length + 1L) * CHUNK > most) {
            return null;
        }
        Chunk chunk;
        try {
            chunk = new Chunk(ByteBuffer.allocateDirect(CHUNK));
        } catch (OutOfMemoryError e) {
            return null; // -XX:MaxDirectMemorySize is reached; buffers of another kind may do
        }
        Chunk[] more = Arrays.copyOf(chunks, chunks.length + 1);
        more[chunks.length] = chunk;
        Arrays.sort(more, Comparator.comparingLong(Chunk::address));
        chunks = more;
        return chunk;
    }

    private Chunk unusedChunk() {
        for (Chunk chunk : chunks) {
            if (chunk.taken == 0) {
                free(chunk.slotSize).removeIf(slot -> slot.chunk == chunk);
                return chunk;
            }
        }
        return null;
    }

    private void cut(Chunk chunk, int size) {
        chunk.slotSize = size;
        for (int at = 0; at < CHUNK; at += size) {
            free(size).add(new Slot(chunk.memory.slice(at, size), chunk));
        }
    }

    /** The number of bytes taken from the system. */
    long size() {
        return (long) chunks.length * CHUNK;
    }

    /** The chunk in which a range of memory lies; null for memory from elsewhere. */
    Chunk chunkOf(long address, int length) {
        Chunk[] all = chunks;
        int low = 0;
        int high = all.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (all[middle].contains(address, length)) {
                return all[middle];
            }
            if (address < all[middle].address()) {
                high = middle - 1;
            } else {
                low = middle + 1;
            }
        }
        return null;
    }
}
