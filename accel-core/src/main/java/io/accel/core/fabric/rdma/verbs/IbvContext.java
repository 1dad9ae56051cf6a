// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** An open device, with the functions of its data path in {@code ops}. */
@CName("struct ibv_context")
final class IbvContext {
    @CName("ops.poll_cq")
    static final int OPS_POLL_CQ = 96;

    @CName("ops.req_notify_cq")
    static final int OPS_REQ_NOTIFY_CQ = 104;

    @CName("ops.post_send")
    static final int OPS_POST_SEND = 208;

    @CName("ops.post_recv")
    static final int OPS_POST_RECV = 216;

    static final int DEVICE = 0;

    static final int ASYNC_FD = 268;

    static final int NUM_COMP_VECTORS = 272;

    private IbvContext() {}
}
