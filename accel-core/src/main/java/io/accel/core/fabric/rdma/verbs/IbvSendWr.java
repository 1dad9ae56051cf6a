// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** A send work request. */
@CName("struct ibv_send_wr")
final class IbvSendWr {
    static final int SIZE = 128;

    static final int WR_ID = 0;

    static final int NEXT = 8;

    static final int SG_LIST = 16;

    static final int NUM_SGE = 24;

    static final int OPCODE = 28;

    static final int SEND_FLAGS = 32;

    static final int IMM_DATA = 36;

    @CName("wr.rdma.remote_addr")
    static final int WR_RDMA_REMOTE_ADDR = 40;

    @CName("wr.rdma.rkey")
    static final int WR_RDMA_RKEY = 48;

    @CName("wr.ud.ah")
    static final int WR_UD_AH = 40;

    @CName("wr.ud.remote_qpn")
    static final int WR_UD_REMOTE_QPN = 48;

    @CName("wr.ud.remote_qkey")
    static final int WR_UD_REMOTE_QKEY = 52;

    private IbvSendWr() {}
}
