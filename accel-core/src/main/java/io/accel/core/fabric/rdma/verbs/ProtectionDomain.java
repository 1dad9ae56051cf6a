package io.accel.core.fabric.rdma.verbs;

import java.nio.ByteBuffer;

/** What belongs together: a queue pair reaches regions of its own domain only. Thread-safe but for {@link #close}. */
public final class ProtectionDomain implements AutoCloseable {
    private final LibIbVerbs.Functions ibv;

    private final String device;

    private long handle;

    ProtectionDomain(LibIbVerbs.Functions ibv, long handle, String device) {
        this.ibv = ibv;
        this.handle = handle;
        this.device = device;
    }

    /**
     * Lets the device reach a buffer, which pins its pages: slow (tens of microseconds and more), so for memory that lives
     * long. The region keeps the buffer from being collected.
     *
     * @param buffer a direct buffer; all of it, from 0 to its capacity, whatever its position
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

    /** Frees it; EBUSY while regions or queue pairs of it are left. */
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
