// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** A work completion. */
@CName("struct ibv_wc")
final class IbvWc {
    static final int SIZE = 48;

    static final int WR_ID = 0;

    static final int STATUS = 8;

    static final int OPCODE = 12;

    static final int VENDOR_ERR = 16;

    static final int BYTE_LEN = 20;

    static final int IMM_DATA = 24;

    static final int QP_NUM = 28;

    static final int WC_FLAGS = 36;

    private IbvWc() {}
}
