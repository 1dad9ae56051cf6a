package io.accel.core.fabric.rdma.verbs;

/** Where the connection manager's events come. */
@CName("struct rdma_event_channel")
final class RdmaEventChannel {
    static final int FD = 0;

    private RdmaEventChannel() {}
}
