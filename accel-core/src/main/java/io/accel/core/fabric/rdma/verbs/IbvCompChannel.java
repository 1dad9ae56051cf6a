package io.accel.core.fabric.rdma.verbs;

/** Where completion queues announce that something has come. */
@CName("struct ibv_comp_channel")
final class IbvCompChannel {
    static final int FD = 8;

    private IbvCompChannel() {}
}
