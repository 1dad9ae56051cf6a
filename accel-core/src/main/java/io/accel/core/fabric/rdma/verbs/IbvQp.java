// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** A queue pair. */
@CName("struct ibv_qp")
final class IbvQp {
    static final int QP_NUM = 52;

    private IbvQp() {}
}
