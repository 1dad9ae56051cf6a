// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** The way to a receiver of datagrams. */
@CName("struct ibv_ah_attr")
final class IbvAhAttr {
    static final int SIZE = 32;

    @CName("grh.hop_limit")
    static final int GRH_HOP_LIMIT = 21;

    private IbvAhAttr() {}
}
