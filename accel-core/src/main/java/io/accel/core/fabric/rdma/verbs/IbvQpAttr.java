// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** The attributes that ibv_modify_qp changes. */
@CName("struct ibv_qp_attr")
final class IbvQpAttr {
    static final int SIZE = 144;

    static final int QP_STATE = 0;

    static final int MIN_RNR_TIMER = 128;

    private IbvQpAttr() {}
}
