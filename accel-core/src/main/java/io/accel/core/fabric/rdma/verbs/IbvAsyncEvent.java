// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** Something that happened to a device, a port, a queue pair or a completion queue. */
@CName("struct ibv_async_event")
final class IbvAsyncEvent {
    static final int SIZE = 16;

    static final int ELEMENT = 0;

    static final int EVENT_TYPE = 8;

    private IbvAsyncEvent() {}
}
