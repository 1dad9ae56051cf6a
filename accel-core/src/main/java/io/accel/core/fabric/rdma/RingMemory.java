// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.fabric.MemoryRegion;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.observe.MemoryUse;
import io.accel.core.observe.PathName;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;

/**
 * A connection's memory: one area that the peer writes into, and one that this side writes from, each a page with a
 * {@link ControlCell} and a ring behind it. Its pages are its own, so that no other memory of the process is pinned,
 * let alone within a peer's reach.
 */
final class RingMemory {
    static final int PAGE = 4096;

    private final ByteBuffer allocated;
    private final ByteBuffer inbound;
    private final ByteBuffer outbound;

    /**
     * Allocates the memory, zeroed.
     *
     * @param ringSize bytes of each ring
     * @throws OutOfMemoryError if the JVM's limit on direct memory does not allow it
     */
    RingMemory(int ringSize) {
        int area = PAGE + ringSize;
        allocated = ByteBuffer.allocateDirect(2 * area + PAGE);
        ByteBuffer aligned = allocated.alignedSlice(PAGE);
        inbound = aligned.slice(0, area);
        outbound = aligned.slice(area, area);
        MemoryUse.rings(PathName.RDMA, allocated.capacity());
    }

    /** The cell and the receive ring. */
    ByteBuffer inbound() {
        return inbound;
    }

    /** The cell's copy and the mirror. */
    ByteBuffer outbound() {
        return outbound;
    }

    /** Makes a ring of the first bytes of an area's ring; peers may agree on less than there is. */
    static MemoryRegion ring(ByteBuffer area, int size) {
        return new MemoryRegion(area.slice(PAGE, size));
    }

    /** Gives the memory back. Call it once, when neither device nor program can touch the memory any more. */
    void free() {
        MemoryUse.rings(PathName.RDMA, -allocated.capacity());
        JdkAccess.unmap((MappedByteBuffer) allocated);
    }
}
