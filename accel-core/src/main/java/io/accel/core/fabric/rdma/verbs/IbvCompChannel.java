// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** The channel on which completion queues announce completions. */
@CName("struct ibv_comp_channel")
final class IbvCompChannel {
    static final int FD = 8;

    private IbvCompChannel() {}
}
