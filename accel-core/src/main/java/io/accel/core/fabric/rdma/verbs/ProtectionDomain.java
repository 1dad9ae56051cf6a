// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import java.nio.ByteBuffer;

/** A domain of protection: a queue pair reaches regions of its own domain only. Thread-safe but for {@link #close}. */
public final class ProtectionDomain implements AutoCloseable {
    private final LibIbVerbs.Functions ibv;

    private final long context;

    private final String device;

    private long handle;

    ProtectionDomain(LibIbVerbs.Functions ibv, long context, long handle, String device) {
        this.ibv = ibv;
        this.context = context;
        this.handle = handle;
        this.device = device;
    }

    /**
     * Lets the device reach a buffer, which pins its pages. That is slow (tens of microseconds and more), so it is
     * for memory that lives long. The region keeps the buffer from being collected.
     *
     * @param buffer a direct buffer; all of it is registered, from 0 to its capacity, whatever its position
     * @param access {@link Access} flags
     */
    public MemoryRegion register(ByteBuffer buffer, int access) throws VerbsException {
        long address = NativeMemory.addressOf(buffer);
        long mr = ibv.ibv_reg_mr(handle(), address, buffer.capacity(), access);
        if (mr == 0) {
            throw VerbsException.lastError("ibv_reg_mr", buffer.capacity() + " bytes on " + device);
        }
        return new MemoryRegion(ibv, mr, buffer, address);
    }

    /**
     * Makes the handle by which datagrams are sent to a multicast group.
     *
     * @param group the group, which was joined on this domain's device
     * @param hops how many routers, and one more, a datagram may pass; 1 to 255
     */
    public AddressHandle createAddressHandle(GroupAddress group, int hops) throws VerbsException {
        try (NativeMemory attributes = group.attributes(hops)) {
            long ah = ibv.ibv_create_ah(handle(), attributes.address);
            if (ah == 0) {
                throw VerbsException.lastError("ibv_create_ah", "a multicast group on " + device);
            }
            return new AddressHandle(ibv, ah, group);
        }
    }

    /**
     * Makes a queue pair that is connected to nothing, and destroys it, to find out whether programs can post to
     * queue pairs of the device.
     *
     * @return how many bytes its requests carry inline
     * @throws VerbsException if they cannot, or not with these options
     */
    public int tryQueuePair(QueuePairOptions options) throws VerbsException {
        NativeMemory attributes = options.toNative();
        long pair = ibv.ibv_create_qp(handle(), attributes.address);
        if (pair == 0) {
            throw VerbsException.lastError("ibv_create_qp", device + ", " + options);
        }
        try {
            QueuePair.checkPosting(NativeMemory.getPointer(context + IbvContext.OPS_POST_SEND), pair, device);
            return attributes.buffer.getInt(IbvQpInitAttr.CAP_MAX_INLINE_DATA);
        } finally {
            Context.check("ibv_destroy_qp", device, ibv.ibv_destroy_qp(pair));
        }
    }

    /** Frees the domain; EBUSY while regions or queue pairs of it are left. */
    @Override
    public void close() throws VerbsException {
        if (handle != 0) {
            Context.check("ibv_dealloc_pd", device, ibv.ibv_dealloc_pd(handle));
            handle = 0;
        }
    }

    long handle() {
        if (handle == 0) {
            throw new IllegalStateException("the protection domain on " + device + " is closed");
        }
        return handle;
    }
}
