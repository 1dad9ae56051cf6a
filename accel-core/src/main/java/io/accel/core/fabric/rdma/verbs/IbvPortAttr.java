// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** The state of one port. */
@CName("struct ibv_port_attr")
final class IbvPortAttr {
    static final int SIZE = 52;

    static final int STATE = 0;

    static final int MAX_MTU = 4;

    static final int ACTIVE_MTU = 8;

    static final int GID_TBL_LEN = 12;

    static final int LINK_LAYER = 46;

    private IbvPortAttr() {}
}
