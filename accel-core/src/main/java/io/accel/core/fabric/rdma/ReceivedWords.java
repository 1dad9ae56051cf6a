// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import io.accel.core.fabric.rdma.verbs.Access;
import io.accel.core.fabric.rdma.verbs.MemoryRegion;
import io.accel.core.fabric.rdma.verbs.ProtectionDomain;
import io.accel.core.fabric.rdma.verbs.ReceiveRequests;
import io.accel.core.fabric.rdma.verbs.VerbsException;
import java.nio.ByteBuffer;

/**
 * The memory for a peer's {@linkplain Immediate words} that come by SEND, on devices without immediate data: a place
 * for each receive. Receives complete in the order in which they were posted, so they need no number to be told
 * apart. They are taken by one thread at a time.
 */
final class ReceivedWords implements AutoCloseable {
    private final int depth;
    private final ByteBuffer memory;
    private final MemoryRegion region;
    private long taken;

    ReceivedWords(ProtectionDomain domain, int depth) throws VerbsException {
        this.depth = depth;
        this.memory = ByteBuffer.allocateDirect(depth * Integer.BYTES);
        this.region = domain.register(memory, Access.LOCAL_WRITE);
    }

    /** Gives every receive its place. */
    void assign(ReceiveRequests receives, long id) {
        for (int i = 0; i < depth; i++) {
            long place = region.address() + (long) i * Integer.BYTES;
            receives.into(i, id, place, Integer.BYTES, region.lkey());
        }
    }

    /** The word of the receive that completed next after those taken before. */
    int take() {
        int place = (int) (taken % depth);
        taken++;
        return memory.getInt(place * Integer.BYTES);
    }

    @Override
    public void close() throws VerbsException {
        region.close();
    }
}
