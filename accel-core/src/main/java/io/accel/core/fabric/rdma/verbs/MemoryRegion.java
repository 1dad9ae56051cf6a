// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import java.nio.ByteBuffer;

/**
 * Memory that the device may reach. It is closed when no request uses it any more, and before its protection domain.
 */
public final class MemoryRegion implements AutoCloseable {
    private final LibIbVerbs.Functions ibv;

    private final ByteBuffer buffer;

    private final long address;

    private final int lkey;

    private final int rkey;

    private long handle;

    MemoryRegion(LibIbVerbs.Functions ibv, long handle, ByteBuffer buffer, long address) {
        this.ibv = ibv;
        this.handle = handle;
        this.buffer = buffer;
        this.address = address;
        this.lkey = NativeMemory.getInt(handle + IbvMr.LKEY);
        this.rkey = NativeMemory.getInt(handle + IbvMr.RKEY);
    }

    /** The address of the buffer's first byte: for one's own requests, and for a peer that writes here. */
    public long address() {
        return address;
    }

    /** The region's size in bytes. */
    public int length() {
        return buffer.capacity();
    }

    /** The key for one's own requests. */
    public int lkey() {
        return lkey;
    }

    /**
     * The key for the peer. Any holder of it with a queue pair of the same protection domain can use the whole region.
     */
    public int rkey() {
        return rkey;
    }

    /** Unpins the memory. The peer's key opens nothing from here on. */
    @Override
    public void close() throws VerbsException {
        if (handle != 0) {
            Context.check("ibv_dereg_mr", buffer.capacity() + " bytes", ibv.ibv_dereg_mr(handle));
            handle = 0;
        }
    }
}
