// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import io.accel.core.daemon.Log;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A descriptor on which the connection manager reports the events of this channel's identifiers. Thread-safe but for
 * {@link #close}.
 */
public final class CmEventChannel implements AutoCloseable {
    private static final Log LOG = Log.of(CmEventChannel.class);

    private final LibRdmaCm.Functions cm;

    private final int fd;

    private final NativeMemory out = NativeMemory.allocate(Long.BYTES);

    private final Map<Long, CmId> ids = new ConcurrentHashMap<>();

    private long handle;

    private CmEventChannel(LibRdmaCm.Functions cm, long handle) {
        this.cm = cm;
        this.handle = handle;
        this.fd = NativeMemory.getInt(handle + RdmaEventChannel.FD);
    }

    /** Opens a channel; ENODEV or ENOENT when there is no device or no kernel module. */
    public static CmEventChannel open() throws VerbsException, VerbsUnavailableException {
        LibRdmaCm.Functions cm = Libraries.cm();
        long channel = cm.rdma_create_event_channel();
        if (channel == 0) {
            throw VerbsException.lastError("rdma_create_event_channel", "/dev/infiniband/rdma_cm");
        }
        CmEventChannel opened = new CmEventChannel(cm, channel);
        try {
            LibC.makeNonBlocking(opened.fd);
        } catch (VerbsException e) {
            opened.close();
            throw e;
        }
        return opened;
    }

    /** The descriptor, readable when {@link #nextEvent} has something; the channel keeps owning it. */
    public int fd() {
        return fd;
    }

    /**
     * Duplicates the descriptor, for a selector's channel that closes what it watches; the caller closes the
     * duplicate.
     */
    public int duplicateFd() throws VerbsException {
        return LibC.duplicate(fd);
    }

    /** Makes an identifier in RDMA_PS_TCP, for connecting or listening with a reliable connection. */
    public CmId createId() throws VerbsException {
        return createId(LibRdmaCm.PS_TCP);
    }

    /**
     * Makes an identifier in RDMA_PS_IB, for the same. Its port numbers are a space of their own, so a port may have
     * a listener here and another in RDMA_PS_TCP.
     */
    public CmId createSeparateId() throws VerbsException {
        return createId(LibRdmaCm.PS_IB);
    }

    /** Makes an identifier in RDMA_PS_UDP, for multicast groups. */
    public CmId createDatagramId() throws VerbsException {
        return createId(LibRdmaCm.PS_UDP);
    }

    private CmId createId(int portSpace) throws VerbsException {
        NativeMemory id = NativeMemory.allocate(Long.BYTES);
        if (cm.rdma_create_id(handle(), id.address, 0, portSpace) != 0) {
            throw VerbsException.lastError("rdma_create_id", "descriptor " + fd);
        }
        return add(id.buffer.getLong(0));
    }

    /** Returns the next event, null when there is none; it is acknowledged already. */
    public synchronized CmEvent nextEvent() throws VerbsException {
        while (true) {
            if (cm.rdma_get_cm_event(handle(), out.address) != 0) {
                if (VerbsException.lastErrno() == LibC.EAGAIN) {
                    return null;
                }
                throw VerbsException.lastError("rdma_get_cm_event", "descriptor " + fd);
            }
            CmEvent event = take(out.buffer.getLong(0));
            if (event != null) {
                return event;
            }
        }
    }

    /** Closes the descriptor. All identifiers have to be closed before. */
    @Override
    public void close() {
        if (!ids.isEmpty()) {
            throw new IllegalStateException(ids.size() + " identifiers of the event channel are still open");
        }
        if (handle != 0) {
            cm.rdma_destroy_event_channel(handle);
            handle = 0;
        }
    }

    /**
     * Copies the whole event, so that the acknowledgement, without which an identifier cannot end, is never forgotten.
     */
    private CmEvent take(long event) throws VerbsException {
        int type = NativeMemory.getInt(event + RdmaCmEvent.EVENT);
        CmEvent made;
        try {
            made = copy(event, CmEventType.of(type));
        } finally { // also where memory has run out: otherwise the identifier could never be destroyed
            acknowledge(event, type);
        }
        return made.id() == null ? null : made;
    }

    private CmEvent copy(long event, CmEventType type) {
        long id = NativeMemory.getPointer(event + RdmaCmEvent.ID);
        long listenId = NativeMemory.getPointer(event + RdmaCmEvent.LISTEN_ID);
        boolean isRequest = type == CmEventType.CONNECT_REQUEST;
        CmId listener = isRequest ? ids.get(listenId) : null;
        // Before the acknowledgement, which lets an identifier end in another thread: then a new one may get its
        // address.
        CmId subject = isRequest ? add(id) : ids.get(id);
        int status = NativeMemory.getInt(event + RdmaCmEvent.STATUS);
        var privateData = CmEvent.privateDataOf(event, type);
        GroupAddress group = CmEvent.groupOf(event, type);
        return new CmEvent(type, subject, listener, status, privateData, group);
    }

    private void acknowledge(long event, int type) {
        if (cm.rdma_ack_cm_event(event) != 0) {
            // The event's receiver needs it none the less: a client's identifier, for one, would never be closed.
            LOG.get()
                    .log(
                            Level.WARNING,
                            "an event of the connection manager is used though it could not be acknowledged",
                            VerbsException.lastError(
                                    "rdma_ack_cm_event", CmEventType.of(type).name()));
        }
    }

    private CmId add(long id) {
        CmId created = new CmId(cm, this, id);
        ids.put(id, created);
        return created;
    }

    void adopt(long id, CmId known) {
        ids.put(id, known);
    }

    void forget(long id) {
        ids.remove(id);
    }

    long handle() {
        if (handle == 0) {
            throw new IllegalStateException("the event channel with descriptor " + fd + " is closed");
        }
        return handle;
    }
}
