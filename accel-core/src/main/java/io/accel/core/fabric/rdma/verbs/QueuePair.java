// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import java.lang.ref.Reference;

/**
 * A queue pair of a reliable connection or of multicast groups, made through its {@link CmId}. Posting does not allocate. The queues do
 * not count: the caller keeps within {@link #maxSends} and {@link #maxReceives} not yet completed. One thread at a time.
 */
public final class QueuePair implements AutoCloseable {
    private final LibIbVerbs.Functions ibv;

    private final CmId id;

    private final int number;

    private final int maxSends;

    private final int maxReceives;

    private final int maxInline;

    private final long postSend;

    private final long postRecv;

    private final NativeMemory bad = NativeMemory.allocate(Long.BYTES);

    private long handle;

    QueuePair(LibIbVerbs.Functions ibv, CmId id, long context, long handle, NativeMemory got) {
        this.ibv = ibv;
        this.id = id;
        this.handle = handle;
        this.number = NativeMemory.getInt(handle + IbvQp.QP_NUM);
        this.maxSends = got.buffer.getInt(IbvQpInitAttr.CAP_MAX_SEND_WR);
        this.maxReceives = got.buffer.getInt(IbvQpInitAttr.CAP_MAX_RECV_WR);
        this.maxInline = got.buffer.getInt(IbvQpInitAttr.CAP_MAX_INLINE_DATA);
        this.postSend = NativeMemory.getPointer(context + IbvContext.OPS_POST_SEND);
        this.postRecv = NativeMemory.getPointer(context + IbvContext.OPS_POST_RECV);
    }

    /** The number by which completions name the queue pair. */
    public int number() {
        return number;
    }

    /** How many send requests may be outstanding. */
    public int maxSends() {
        return maxSends;
    }

    /** How many receive requests may be outstanding. */
    public int maxReceives() {
        return maxReceives;
    }

    /** How many bytes {@link SendFlags#INLINE} may copy. */
    public int maxInline() {
        return maxInline;
    }

    /**
     * Checks whether the device takes requests that programs post, by posting none: there are devices that take
     * requests only through calls of their own.
     *
     * @throws VerbsException with EOPNOTSUPP if it does not
     */
    public void checkPosting() throws VerbsException {
        checkPosting(postSend, handle(), toString());
    }

    static void checkPosting(long postSend, long pair, String subject) throws VerbsException {
        try (NativeMemory bad = NativeMemory.allocate(Long.BYTES)) {
            int error = DataPath.call(postSend, pair, 0, bad.address);
            if (error == LibC.EOPNOTSUPP) {
                throw VerbsException.of(
                        "ibv_post_send", subject, error); // other errors are about the state of the pair
            }
        }
    }

    /**
     * Hands {@code count} requests from {@code first} on to the device, in this order, with one call.
     *
     * @throws VerbsException when the device refused a request; the requests before it are on their way, and the
     * message says how many
     */
    public void postSend(SendRequests requests, int first, int count) throws VerbsException {
        try {
            int error = DataPath.call(postSend, handle(), requests.link(first, count), bad.address);
            if (error != 0) {
                throw refused("ibv_post_send", error, requests.indexOf(bad.buffer.getLong(0)) - first, count);
            }
        } finally {
            Reference.reachabilityFence(requests);
        }
    }

    /** As {@link #postSend}, for receives; allowed as soon as the queue pair exists. */
    public void postReceive(ReceiveRequests requests, int first, int count) throws VerbsException {
        try {
            int error = DataPath.call(postRecv, handle(), requests.link(first, count), bad.address);
            if (error != 0) {
                throw refused("ibv_post_recv", error, requests.indexOf(bad.buffer.getLong(0)) - first, count);
            }
        } finally {
            Reference.reachabilityFence(requests);
        }
    }

    /**
     * Ends the queue pair at once, without telling the peer: outstanding requests complete with {@link
     * WcStatus#WR_FLUSH_ERR}.
     */
    public void fail() throws VerbsException {
        try (NativeMemory attributes = NativeMemory.allocate(IbvQpAttr.SIZE)) {
            attributes.buffer.putInt(IbvQpAttr.QP_STATE, LibIbVerbs.IBV_QPS_ERR);
            modify(attributes, LibIbVerbs.IBV_QP_STATE);
        }
    }

    /**
     * Sets how long the peer is told to wait when it finds no receive posted here. For a connected queue pair.
     *
     * @param code 0 to 31 as the InfiniBand specification numbers them: 0 is 655 ms, 1 is 10 us, 12 is 640 us
     */
    public void receiverNotReadyTimer(int code) throws VerbsException {
        try (NativeMemory attributes = NativeMemory.allocate(IbvQpAttr.SIZE)) {
            attributes.buffer.put(IbvQpAttr.MIN_RNR_TIMER, (byte) code);
            modify(attributes, LibIbVerbs.IBV_QP_MIN_RNR_TIMER);
        }
    }

    /** Destroys the queue pair: outstanding requests are forgotten, and none of them completes any more. */
    @Override
    public void close() {
        if (handle != 0) {
            handle = 0;
            id.destroyQueuePair();
        }
    }

    private void modify(NativeMemory attributes, int mask) throws VerbsException {
        Context.check("ibv_modify_qp", toString(), ibv.ibv_modify_qp(handle(), attributes.address, mask));
    }

    private VerbsException refused(String call, int error, int accepted, int count) {
        // Not every provider says at which request it stopped.
        boolean isSaid = accepted >= 0 && accepted < count;
        return VerbsException.of(
                call, this + " took " + (isSaid ? accepted : "not all") + " of " + count + " requests", error);
    }

    private long handle() {
        if (handle == 0) {
            throw new IllegalStateException(this + " is closed");
        }
        return handle;
    }

    @Override
    public String toString() {
        return "queue pair " + number;
    }
}
