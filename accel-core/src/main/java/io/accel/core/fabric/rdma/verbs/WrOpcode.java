// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** Kinds of send work request. */
@CName("IBV_WR_")
final class WrOpcode {
    static final int RDMA_WRITE = 0;

    static final int RDMA_WRITE_WITH_IMM = 1;

    static final int SEND = 2;

    static final int SEND_WITH_IMM = 3;

    private WrOpcode() {}
}
