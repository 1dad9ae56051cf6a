// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** The attributes that a queue pair is created with; the capabilities are overwritten with those obtained. */
@CName("struct ibv_qp_init_attr")
final class IbvQpInitAttr {
    static final int SIZE = 64;

    static final int SEND_CQ = 8;

    static final int RECV_CQ = 16;

    @CName("cap.max_send_wr")
    static final int CAP_MAX_SEND_WR = 32;

    @CName("cap.max_recv_wr")
    static final int CAP_MAX_RECV_WR = 36;

    @CName("cap.max_send_sge")
    static final int CAP_MAX_SEND_SGE = 40;

    @CName("cap.max_recv_sge")
    static final int CAP_MAX_RECV_SGE = 44;

    @CName("cap.max_inline_data")
    static final int CAP_MAX_INLINE_DATA = 48;

    static final int QP_TYPE = 52;

    static final int SQ_SIG_ALL = 56;

    private IbvQpInitAttr() {}
}
