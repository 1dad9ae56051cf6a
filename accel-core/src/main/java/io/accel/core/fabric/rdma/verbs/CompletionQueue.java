// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/**
 * Reports the finished requests of one or several queue pairs. Polling and arming do not allocate. One thread at a
 * time polls, since the completions have an order.
 */
public final class CompletionQueue implements AutoCloseable {
    private final LibIbVerbs.Functions ibv;

    private final CompletionChannel channel;

    private final int id;

    private final int entries;

    private final long pollCq;

    private final long reqNotifyCq;

    private int unacknowledged;

    private long handle;

    CompletionQueue(LibIbVerbs.Functions ibv, long context, long handle, CompletionChannel channel, int id) {
        this.ibv = ibv;
        this.handle = handle;
        this.channel = channel;
        this.id = id;
        this.entries = NativeMemory.getInt(handle + IbvCq.CQE);
        this.pollCq = NativeMemory.getPointer(context + IbvContext.OPS_POLL_CQ);
        this.reqNotifyCq = NativeMemory.getPointer(context + IbvContext.OPS_REQ_NOTIFY_CQ);
        if (channel != null) {
            channel.add(id, this);
        }
    }

    /** How many completions the queue can hold. */
    public int entries() {
        return entries;
    }

    /**
     * Takes completed requests, at most as many as fit the batch; never waits.
     *
     * @return how many completions the batch holds now, 0 when nothing has completed
     */
    public int pollInto(WorkCompletions batch) throws VerbsException {
        int count = DataPath.call(pollCq, handle(), batch.capacity(), batch.address());
        if (count < 0) {
            throw VerbsException.of("ibv_poll_cq", "a queue of " + entries + " entries", -count);
        }
        batch.count(count);
        return count;
    }

    /**
     * Asks for one event on the channel at the next completion. Earlier completions do not count: poll once more
     * after arming, before going to sleep.
     *
     * @param solicitedOnly whether only a completion counts whose sender set {@link SendFlags#SOLICITED}, or that
     * failed
     */
    public void requestNotify(boolean solicitedOnly) throws VerbsException {
        int error = DataPath.call(reqNotifyCq, handle(), solicitedOnly ? 1 : 0);
        if (error != 0) {
            throw VerbsException.of("ibv_req_notify_cq", "a queue of " + entries + " entries", error);
        }
    }

    /**
     * Acknowledges the events that the channel has given so far. This takes a lock, so it is not done for each event
     * by itself.
     */
    public void acknowledgeEvents() {
        if (unacknowledged > 0) {
            ibv.ibv_ack_cq_events(handle(), unacknowledged);
            unacknowledged = 0;
        }
    }

    /** Destroys the queue; EBUSY while queue pairs of it are left. */
    @Override
    public void close() throws VerbsException {
        if (handle == 0) {
            return;
        }
        // Destroying waits for the acknowledgements, for ever if need be.
        acknowledgeEvents();
        Context.check("ibv_destroy_cq", "a queue of " + entries + " entries", ibv.ibv_destroy_cq(handle));
        handle = 0;
        if (channel != null) {
            channel.release(id);
        }
    }

    void countEvent() {
        unacknowledged++;
    }

    long handle() {
        if (handle == 0) {
            throw new IllegalStateException("the completion queue is closed");
        }
        return handle;
    }
}
