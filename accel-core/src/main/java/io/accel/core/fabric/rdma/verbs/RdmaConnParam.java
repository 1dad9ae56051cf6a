// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** The parameters that connect and accept send to the other side. */
@CName("struct rdma_conn_param")
final class RdmaConnParam {
    static final int SIZE = 24;

    static final int PRIVATE_DATA = 0;

    static final int PRIVATE_DATA_LEN = 8;

    static final int RESPONDER_RESOURCES = 9;

    static final int INITIATOR_DEPTH = 10;

    static final int FLOW_CONTROL = 11;

    static final int RETRY_COUNT = 12;

    static final int RNR_RETRY_COUNT = 13;

    private RdmaConnParam() {}
}
