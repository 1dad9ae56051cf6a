// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** An event of the connection manager. */
@CName("struct rdma_cm_event")
final class RdmaCmEvent {
    static final int ID = 0;

    static final int LISTEN_ID = 8;

    static final int EVENT = 16;

    static final int STATUS = 20;

    @CName("param.conn")
    static final int PARAM_CONN = 24;

    @CName("param.ud")
    static final int PARAM_UD = 24;

    private RdmaCmEvent() {}
}
