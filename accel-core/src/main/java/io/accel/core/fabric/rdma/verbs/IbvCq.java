// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** A completion queue. */
@CName("struct ibv_cq")
final class IbvCq {
    static final int CQE = 28;

    private IbvCq() {}
}
