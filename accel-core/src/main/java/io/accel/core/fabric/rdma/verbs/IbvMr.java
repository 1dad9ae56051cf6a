// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** A registered memory region. */
@CName("struct ibv_mr")
final class IbvMr {
    static final int LKEY = 36;

    static final int RKEY = 40;

    private IbvMr() {}
}
