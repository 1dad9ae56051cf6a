// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** The limits of a device. */
@CName("struct ibv_device_attr")
final class IbvDeviceAttr {
    static final int SIZE = 232;

    static final int FW_VER = 0;

    static final int MAX_MR_SIZE = 80;

    static final int MAX_QP = 108;

    static final int MAX_QP_WR = 112;

    static final int DEVICE_CAP_FLAGS = 116;

    static final int MAX_SGE = 120;

    static final int MAX_CQ = 128;

    static final int MAX_CQE = 132;

    static final int MAX_MR = 136;

    static final int MAX_MCAST_GRP = 188;

    static final int PHYS_PORT_CNT = 227;

    private IbvDeviceAttr() {}
}
