// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** The connection manager's counterpart of a socket. */
@CName("struct rdma_cm_id")
final class RdmaCmId {
    static final int VERBS = 0;

    static final int QP = 24;

    @CName("route.addr.src_storage")
    static final int SRC_ADDR = 32;

    @CName("route.addr.dst_storage")
    static final int DST_ADDR = 160;

    static final int PORT_NUM = 348;

    private RdmaCmId() {}
}
