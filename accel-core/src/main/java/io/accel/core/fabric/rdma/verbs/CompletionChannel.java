// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import java.util.Arrays;

/**
 * A descriptor that becomes readable when an armed completion queue gets a completion, so that a selector can sleep
 * on it. One thread at a time reads events.
 */
public final class CompletionChannel implements AutoCloseable {
    private final LibIbVerbs.Functions ibv;

    private final int fd;

    private final NativeMemory out = NativeMemory.allocate(2 * Long.BYTES);

    /** The queues by the number that the kernel gives back with an event; entry 0 stays free. */
    private CompletionQueue[] queues = new CompletionQueue[4];

    private boolean[] taken = new boolean[4];

    private long handle;

    private CompletionChannel(LibIbVerbs.Functions ibv, long handle) {
        this.ibv = ibv;
        this.handle = handle;
        this.fd = NativeMemory.getInt(handle + IbvCompChannel.FD);
    }

    /** Wraps a new channel, which is closed if it cannot be used. */
    static CompletionChannel of(LibIbVerbs.Functions ibv, long handle) throws VerbsException {
        CompletionChannel created = new CompletionChannel(ibv, handle);
        try {
            LibC.makeNonBlocking(created.fd);
        } catch (VerbsException e) {
            created.close();
            throw e;
        }
        return created;
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

    /**
     * Has a duplicate, which must not be closed yet, lead to nothing. A selector keeps a closed channel's descriptor until it selects
     * again, and a device cannot go as long as any descriptor leads to it.
     */
    public static void silence(int duplicate) throws VerbsException {
        SilentFile.replaceThatOf(duplicate);
    }

    /**
     * Returns the queue that announced completions, no longer armed; null when none did. The caller polls the queue,
     * and arms it again with {@link CompletionQueue#requestNotify}.
     */
    public CompletionQueue nextEvent() throws VerbsException {
        if (ibv.ibv_get_cq_event(handle(), out.address, out.address + Long.BYTES) != 0) {
            if (VerbsException.lastErrno() == LibC.EAGAIN) {
                return null;
            }
            throw VerbsException.lastError("ibv_get_cq_event", "descriptor " + fd);
        }
        CompletionQueue queue = queue((int) out.buffer.getLong(Long.BYTES));
        queue.countEvent();
        return queue;
    }

    /** Closes the descriptor; EBUSY while completion queues of the channel are left. */
    @Override
    public void close() throws VerbsException {
        if (handle != 0) {
            Context.check("ibv_destroy_comp_channel", "descriptor " + fd, ibv.ibv_destroy_comp_channel(handle));
            handle = 0;
        }
    }

    synchronized int reserve() {
        int id = 1;
        while (id < taken.length && taken[id]) {
            id++;
        }
        if (id == taken.length) {
            taken = Arrays.copyOf(taken, 2 * id);
            queues = Arrays.copyOf(queues, 2 * id);
        }
        taken[id] = true;
        return id;
    }

    synchronized void add(int id, CompletionQueue queue) {
        queues[id] = queue;
    }

    synchronized void release(int id) {
        queues[id] = null;
        taken[id] = false;
    }

    private synchronized CompletionQueue queue(int id) {
        return queues[id];
    }

    long handle() {
        if (handle == 0) {
            throw new IllegalStateException("the completion channel with descriptor " + fd + " is closed");
        }
        return handle;
    }
}
