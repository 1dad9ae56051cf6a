// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** The channel on which the connection manager's events arrive. */
@CName("struct rdma_event_channel")
final class RdmaEventChannel {
    static final int FD = 0;

    private RdmaEventChannel() {}
}
