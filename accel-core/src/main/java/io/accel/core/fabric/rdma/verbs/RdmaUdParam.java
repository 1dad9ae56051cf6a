// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** What an event says of a multicast group. The private data is the tag that the group was joined with. */
@CName("struct rdma_ud_param")
final class RdmaUdParam {
    static final int PRIVATE_DATA = 0;

    static final int AH_ATTR = 16;

    static final int QP_NUM = 48;

    static final int QKEY = 52;

    private RdmaUdParam() {}
}
