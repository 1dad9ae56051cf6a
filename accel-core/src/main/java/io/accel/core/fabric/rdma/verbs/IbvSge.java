// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** A piece of local memory in a work request. */
@CName("struct ibv_sge")
final class IbvSge {
    static final int SIZE = 16;

    static final int ADDR = 0;

    static final int LENGTH = 8;

    static final int LKEY = 12;

    private IbvSge() {}
}
