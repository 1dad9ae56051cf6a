// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/**
 * The options that a queue pair is created with. The device may give more.
 *
 * @param sendQueue the queue that reports finished sends
 * @param receiveQueue the queue that reports finished receives; may be the same
 * @param maxSends send requests outstanding at a time
 * @param maxReceives receive requests outstanding at a time
 * @param maxSegments pieces of memory of a send request
 * @param maxInline bytes that {@link SendFlags#INLINE} may copy
 * @param service what the queue pair carries
 */
public record QueuePairOptions(
        CompletionQueue sendQueue,
        CompletionQueue receiveQueue,
        int maxSends,
        int maxReceives,
        int maxSegments,
        int maxInline,
        Service service) {
    /** What a queue pair carries. */
    public enum Service {
        /** A reliable connection. */
        CONNECTION(LibIbVerbs.IBV_QPT_RC),
        /** Datagrams, which may be lost. */
        DATAGRAMS(LibIbVerbs.IBV_QPT_UD);

        private final int code;

        Service(int code) {
            this.code = code;
        }
    }

    /** The options of a reliable connection's queue pair. */
    public QueuePairOptions(
            CompletionQueue sendQueue,
            CompletionQueue receiveQueue,
            int maxSends,
            int maxReceives,
            int maxSegments,
            int maxInline) {
        this(sendQueue, receiveQueue, maxSends, maxReceives, maxSegments, maxInline, Service.CONNECTION);
    }

    NativeMemory toNative() {
        NativeMemory attributes = NativeMemory.allocate(IbvQpInitAttr.SIZE);
        attributes.buffer.putLong(IbvQpInitAttr.SEND_CQ, sendQueue.handle());
        attributes.buffer.putLong(IbvQpInitAttr.RECV_CQ, receiveQueue.handle());
        attributes.buffer.putInt(IbvQpInitAttr.CAP_MAX_SEND_WR, maxSends);
        attributes.buffer.putInt(IbvQpInitAttr.CAP_MAX_RECV_WR, maxReceives);
        attributes.buffer.putInt(IbvQpInitAttr.CAP_MAX_SEND_SGE, maxSegments);
        attributes.buffer.putInt(IbvQpInitAttr.CAP_MAX_RECV_SGE, 1);
        attributes.buffer.putInt(IbvQpInitAttr.CAP_MAX_INLINE_DATA, maxInline);
        attributes.buffer.putInt(IbvQpInitAttr.QP_TYPE, service.code);
        attributes.buffer.putInt(IbvQpInitAttr.SQ_SIG_ALL, 0);
        return attributes;
    }
}
