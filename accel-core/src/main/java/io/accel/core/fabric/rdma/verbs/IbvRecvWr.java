// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** A receive work request. */
@CName("struct ibv_recv_wr")
final class IbvRecvWr {
    static final int SIZE = 32;

    static final int WR_ID = 0;

    static final int NEXT = 8;

    static final int SG_LIST = 16;

    static final int NUM_SGE = 24;

    private IbvRecvWr() {}
}
