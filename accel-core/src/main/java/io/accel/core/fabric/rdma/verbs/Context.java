// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An open device, to query and to create objects on. The caller of {@link Device#open} closes its context. A context
 * from {@link CmId#context} belongs to librdmacm: it is the same object for all identifiers on the device, and valid
 * while at least one of them is open.
 */
public final class Context implements AutoCloseable {
    private static final Map<Long, Context> SHARED = new ConcurrentHashMap<>();

    private final LibIbVerbs.Functions ibv;

    private final Device device;

    /** Of the device's file, such as {@code uverbs0}. */
    private final String fileName;

    private final boolean owned;

    private final int asyncFd;

    private final NativeMemory asyncEvent = NativeMemory.allocate(IbvAsyncEvent.SIZE);

    /** The turn of the next completion queue. Begins anywhere: processes with one connection each must not all have the same. Any thread. */
    private final AtomicInteger nextVector =
            new AtomicInteger(ThreadLocalRandom.current().nextInt());

    private long handle;

    private Context(long handle, boolean owned) throws VerbsUnavailableException {
        this.ibv = Libraries.ibv();
        this.handle = handle;
        this.owned = owned;
        this.device = Device.of(NativeMemory.getPointer(handle + IbvContext.DEVICE));
        this.fileName = fileNameIn(handle);
        this.asyncFd = NativeMemory.getInt(handle + IbvContext.ASYNC_FD);
    }

    static Context open(long device, String name) throws VerbsException, VerbsUnavailableException {
        long handle = Libraries.ibv().ibv_open_device(device);
        if (handle == 0) {
            throw VerbsException.lastError("ibv_open_device", name);
        }
        Context opened = new Context(handle, true);
        try {
            LibC.makeNonBlocking(opened.asyncFd);
        } catch (VerbsException e) {
            opened.close();
            throw e;
        }
        return opened;
    }

    static Context shared(long handle) throws VerbsException, VerbsUnavailableException {
        Context known = SHARED.get(handle);
        // librdmacm closes the context of a removed device, and the next context may get its address and its
        // descriptor.
        if (known == null
                || known.asyncFd != NativeMemory.getInt(handle + IbvContext.ASYNC_FD)
                || !known.fileName.equals(fileNameIn(handle))
                || !known.device.equals(Device.of(NativeMemory.getPointer(handle + IbvContext.DEVICE)))) {
            known = new Context(handle, false);
            SHARED.put(handle, known);
        }
        LibC.makeNonBlocking(known.asyncFd);
        return known;
    }

    private static String fileNameIn(long handle) {
        return NativeMemory.getString(NativeMemory.getPointer(handle + IbvContext.DEVICE) + IbvDevice.DEV_NAME);
    }

    /** From now on callers get a context that calls the present functions of {@link Libraries}. */
    static void forgetShared() {
        SHARED.clear();
    }

    /** The device that is open. */
    public Device device() {
        return device;
    }

    /** The name by which the kernel knows the device's file, such as {@code uverbs0}; known also once the context is closed. */
    public String fileName() {
        return fileName;
    }

    /** The limits of the device. */
    public DeviceAttributes attributes() throws VerbsException {
        NativeMemory attributes = NativeMemory.allocate(IbvDeviceAttr.SIZE);
        check("ibv_query_device", device.name(), ibv.ibv_query_device(handle(), attributes.address));
        return DeviceAttributes.of(attributes);
    }

    /** The state of a port; ports are numbered from 1. */
    public PortAttributes port(int port) throws VerbsException {
        NativeMemory attributes = NativeMemory.allocate(IbvPortAttr.SIZE);
        check(
                "ibv_query_port",
                device.name() + " port " + port,
                ibv.ibv_query_port(handle(), (byte) port, attributes.address));
        return PortAttributes.of(attributes.buffer);
    }

    /** The 16 bytes at {@code index} of a port's address table; all zero where the entry is not used. */
    public byte[] gid(int port, int index) throws VerbsException {
        NativeMemory gid = NativeMemory.allocate(16);
        if (ibv.ibv_query_gid(handle(), (byte) port, index, gid.address) != 0) {
            throw VerbsException.lastError("ibv_query_gid", device.name() + " port " + port + " index " + index);
        }
        byte[] bytes = new byte[16];
        gid.buffer.get(0, bytes);
        return bytes;
    }

    /** Makes a protection domain on this device. */
    public ProtectionDomain allocateProtectionDomain() throws VerbsException {
        long pd = ibv.ibv_alloc_pd(handle());
        if (pd == 0) {
            throw VerbsException.lastError("ibv_alloc_pd", device.name());
        }
        return new ProtectionDomain(ibv, handle(), pd, device.name());
    }

    /** Makes a completion channel on this device. */
    public CompletionChannel createCompletionChannel() throws VerbsException {
        long channel = ibv.ibv_create_comp_channel(handle());
        if (channel == 0) {
            throw VerbsException.lastError("ibv_create_comp_channel", device.name());
        }
        return CompletionChannel.of(ibv, channel);
    }

    /** The number of completion vectors, at least 1. Each is an interrupt, which the system may have another processor serve. */
    public int completionVectors() {
        return Math.max(1, NativeMemory.getInt(handle() + IbvContext.NUM_COMP_VECTORS));
    }

    /**
     * Makes a completion queue. Queues that announce completions take the device's {@linkplain #completionVectors vectors} in turn, so that
     * no processor has the interrupts of all.
     *
     * @param entries how many completions it can hold at least; further ones are lost and break the queue
     * @param channel where the queue announces completions once asked to; null for none
     */
    public CompletionQueue createCompletionQueue(int entries, CompletionChannel channel) throws VerbsException {
        int id = channel == null ? 0 : channel.reserve();
        int vector = channel == null ? 0 : Integer.remainderUnsigned(nextVector.getAndIncrement(), completionVectors());
        long cq = ibv.ibv_create_cq(handle(), entries, id, channel == null ? 0 : channel.handle(), vector);
        if (cq == 0) {
            VerbsException failure =
                    VerbsException.lastError("ibv_create_cq", device.name() + " with " + entries + " entries");
            if (channel != null) {
                channel.release(id);
            }
            throw failure;
        }
        return new CompletionQueue(ibv, handle(), cq, channel, id);
    }

    /** The descriptor, readable when {@link #nextAsyncEvent} has something; the context keeps owning it. */
    public int asyncFd() {
        return asyncFd;
    }

    /**
     * Duplicates the descriptor, for a selector's channel that closes what it watches; the caller closes the
     * duplicate. As long as it is open the device cannot be removed.
     */
    public int duplicateAsyncFd() throws VerbsException {
        return LibC.duplicate(asyncFd);
    }

    /**
     * Returns the next event beside completions, null when there is none; events that this version does not know are
     * left out. One thread at a time.
     */
    public AsyncEvent nextAsyncEvent() throws VerbsException {
        while (true) {
            if (ibv.ibv_get_async_event(handle(), asyncEvent.address) != 0) {
                if (VerbsException.lastErrno() == LibC.EAGAIN) {
                    return null;
                }
                throw VerbsException.lastError("ibv_get_async_event", device.name());
            }
            // The event is read before the acknowledgement, which lets the queue pair be destroyed.
            AsyncEvent event = AsyncEvent.of(asyncEvent.buffer);
            ibv.ibv_ack_async_event(asyncEvent.address);
            if (event != null) {
                return event;
            }
        }
    }

    /** Closes a context of one's own, and leaves librdmacm's alone. */
    @Override
    public void close() throws VerbsException {
        if (owned && handle != 0) {
            int error = ibv.ibv_close_device(handle);
            if (error != 0) {
                throw VerbsException.lastError("ibv_close_device", device.name());
            }
            handle = 0;
        }
    }

    private long handle() {
        if (handle == 0) {
            throw new IllegalStateException("the context of " + device.name() + " is closed");
        }
        return handle;
    }

    static void check(String call, String subject, int error) throws VerbsException {
        if (error != 0) {
            throw VerbsException.of(call, subject, error);
        }
    }
}
