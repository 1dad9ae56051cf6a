// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

/** Says where a datagram goes. It is closed when no request uses it any more, and before its protection domain. */
public final class AddressHandle implements AutoCloseable {
    private final LibIbVerbs.Functions ibv;
    private final GroupAddress group;
    private long handle;

    AddressHandle(LibIbVerbs.Functions ibv, long handle, GroupAddress group) {
        this.ibv = ibv;
        this.handle = handle;
        this.group = group;
    }

    GroupAddress group() {
        return group;
    }

    long handle() {
        if (handle == 0) {
            throw new IllegalStateException("the address handle is closed");
        }
        return handle;
    }

    @Override
    public void close() throws VerbsException {
        if (handle != 0) {
            Context.check("ibv_destroy_ah", "a multicast group", ibv.ibv_destroy_ah(handle));
            handle = 0;
        }
    }
}
