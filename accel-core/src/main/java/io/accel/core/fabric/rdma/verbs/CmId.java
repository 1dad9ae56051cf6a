// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * The connection manager's counterpart of a socket, with the port numbers of its port space. No call but
 * {@link #close} waits: the {@link CmEventChannel} reports the outcome. One thread at a time.
 */
public final class CmId implements AutoCloseable {
    private final LibRdmaCm.Functions cm;

    private CmEventChannel channel;

    private QueuePair queuePair;

    private long handle;

    CmId(LibRdmaCm.Functions cm, CmEventChannel channel, long handle) {
        this.cm = cm;
        this.channel = channel;
        this.handle = handle;
    }

    /** Takes a local address; port 0 for any. With an address of a device, not the wildcard, {@link #context} is known. */
    public void bind(InetSocketAddress address) throws VerbsException {
        try (NativeMemory sockaddr = SocketAddresses.toNative(address)) {
            check("rdma_bind_addr", address.toString(), cm.rdma_bind_addr(handle(), sockaddr.address));
        }
    }

    /** Lets clients connect; each gives a CONNECT_REQUEST. */
    public void listen(int backlog) throws VerbsException {
        check("rdma_listen", String.valueOf(localAddress()), cm.rdma_listen(handle(), backlog));
    }

    /** Begins to look for the device and the peer's hardware address: ADDR_RESOLVED or ADDR_ERROR. */
    public void resolveAddress(InetSocketAddress source, InetSocketAddress destination, int timeoutMillis)
            throws VerbsException {
        // A null resource is fine with try.
        try (NativeMemory from = source == null ? null : SocketAddresses.toNative(source);
                NativeMemory to = SocketAddresses.toNative(destination)) {
            check(
                    "rdma_resolve_addr",
                    destination.toString(),
                    cm.rdma_resolve_addr(handle(), from == null ? 0 : from.address, to.address, timeoutMillis));
        }
    }

    /** Begins to look for the path: ROUTE_RESOLVED or ROUTE_ERROR. After ADDR_RESOLVED. */
    public void resolveRoute(int timeoutMillis) throws VerbsException {
        check("rdma_resolve_route", peer(), cm.rdma_resolve_route(handle(), timeoutMillis));
    }

    /** Creates the connection's queue pair; receives can be posted to it at once. After ADDR_RESOLVED or CONNECT_REQUEST. */
    public QueuePair createQueuePair(ProtectionDomain domain, QueuePairOptions options)
            throws VerbsException, VerbsUnavailableException {
        NativeMemory attributes = options.toNative();
        check("rdma_create_qp", options.toString(), cm.rdma_create_qp(handle(), domain.handle(), attributes.address));
        queuePair = new QueuePair(
                Libraries.ibv(),
                this,
                NativeMemory.getPointer(handle + RdmaCmId.VERBS),
                NativeMemory.getPointer(handle + RdmaCmId.QP),
                attributes);
        return queuePair;
    }

    /** Begins to connect: ESTABLISHED, REJECTED, UNREACHABLE or CONNECT_ERROR. After ROUTE_RESOLVED. */
    public void connect(ConnectionParameters parameters) throws VerbsException {
        try (NativeMemory memory = parameters.toNative()) {
            check("rdma_connect", peer(), cm.rdma_connect(handle(), memory.address));
        }
    }

    /** Accepts a CONNECT_REQUEST: ESTABLISHED, or CONNECT_ERROR when the client has gone. */
    public void accept(ConnectionParameters parameters) throws VerbsException {
        try (NativeMemory memory = parameters.toNative()) {
            check("rdma_accept", peer(), cm.rdma_accept(handle(), memory.address));
        }
    }

    /**
     * Refuses a CONNECT_REQUEST.
     *
     * @param privateData the bytes from position to limit go to the client, at most 148
     */
    public void reject(ByteBuffer privateData) throws VerbsException {
        int length = privateData.remaining();
        try (NativeMemory memory = NativeMemory.allocate(Math.max(length, 1))) {
            memory.buffer.put(0, privateData, privateData.position(), length);
            check("rdma_reject", peer(), cm.rdma_reject(handle(), memory.address, (byte) length));
        }
    }

    /**
     * Tells the connection manager that data has come on an accepted connection. That proves that the client has got
     * its answer, though the client's last message has not come: then ESTABLISHED follows. EISCONN if the message has
     * come after all.
     */
    public void dataHasCome() throws VerbsException {
        check("rdma_notify", peer(), cm.rdma_notify(handle(), LibIbVerbs.IBV_EVENT_COMM_EST));
    }

    /** Ends the connection; outstanding requests are flushed, and both sides get DISCONNECTED. */
    public void disconnect() throws VerbsException {
        check("rdma_disconnect", peer(), cm.rdma_disconnect(handle()));
    }

    /** From here on the events come on another channel, waiting ones included. */
    public void migrate(CmEventChannel to) throws VerbsException {
        channel.forget(handle());
        to.adopt(handle(), this);
        if (cm.rdma_migrate_id(handle(), to.handle()) != 0) {
            VerbsException failure = VerbsException.lastError("rdma_migrate_id", peer());
            to.forget(handle());
            channel.adopt(handle(), this);
            throw failure;
        }
        channel = to;
    }

    /**
     * Begins to join a multicast group: MULTICAST_JOIN or MULTICAST_ERROR. The identifier is bound to a device, and its queue pair, which
     * it has to have already, hears the group from then on.
     *
     * @param group the group's address; the port does not count
     * @param tag what the event says of the group
     */
    public void joinMulticast(InetSocketAddress group, long tag) throws VerbsException {
        try (NativeMemory sockaddr = SocketAddresses.toNative(group)) {
            check("rdma_join_multicast", group.toString(), cm.rdma_join_multicast(handle(), sockaddr.address, tag));
        }
    }

    /** Leaves a multicast group. An identifier has to leave its groups before it is closed. */
    public void leaveMulticast(InetSocketAddress group) throws VerbsException {
        try (NativeMemory sockaddr = SocketAddresses.toNative(group)) {
            check("rdma_leave_multicast", group.toString(), cm.rdma_leave_multicast(handle(), sockaddr.address));
        }
    }

    /** Lets the address be bound again while old connections from it are left; before {@link #bind}. */
    public void reuseAddress(boolean on) throws VerbsException {
        option("REUSEADDR", LibRdmaCm.OPTION_ID_REUSEADDR, on ? 1 : 0, Integer.BYTES);
    }

    /** Keeps an IPv6 wildcard from taking IPv4 too; before {@link #bind}. */
    public void familyOnly(boolean on) throws VerbsException {
        option("AFONLY", LibRdmaCm.OPTION_ID_AFONLY, on ? 1 : 0, Integer.BYTES);
    }

    /** Sets the type of service, 0 to 255, as IP_TOS; before resolving the route. */
    public void typeOfService(int tos) throws VerbsException {
        option("TOS", LibRdmaCm.OPTION_ID_TOS, tos, Byte.BYTES);
    }

    /**
     * Sets how long the device waits for an acknowledgement before it sends again; when bound, and before connecting
     * or accepting.
     *
     * @param code 1 to 31: 4.096 us * 2^code; devices take that as the least and may wait up to four times as long
     */
    public void acknowledgeTimeout(int code) throws VerbsException {
        option("ACK_TIMEOUT", LibRdmaCm.OPTION_ID_ACK_TIMEOUT, code, Byte.BYTES);
    }

    /** The open device that the identifier is bound to, null before that. */
    public Context context() throws VerbsException, VerbsUnavailableException {
        long context = NativeMemory.getPointer(handle() + RdmaCmId.VERBS);
        return context == 0 ? null : Context.shared(context);
    }

    /** The device's port that the identifier is bound to, from 1; 0 before that. */
    public int port() {
        return NativeMemory.getByte(handle() + RdmaCmId.PORT_NUM) & 0xff;
    }

    /** The local address and port, null before there is one. */
    public InetSocketAddress localAddress() {
        return SocketAddresses.fromNative(handle() + RdmaCmId.SRC_ADDR);
    }

    /** The peer's address and port, null before there is one. */
    public InetSocketAddress remoteAddress() {
        return SocketAddresses.fromNative(handle() + RdmaCmId.DST_ADDR);
    }

    /**
     * Ends the identifier, its queue pair first. A connection is cut without a word, a waiting client is refused. This waits until the
     * connection manager has no message of the connection under way any more.
     */
    @Override
    public void close() throws VerbsException {
        end().close();
    }

    /**
     * As {@link #close}, but does not wait.
     *
     * @return does the rest, which may wait, in any thread, once; the identifier's channel stays open until then
     */
    public Rest end() throws VerbsException {
        if (handle == 0) {
            return () -> {};
        }
        if (queuePair != null) {
            queuePair.close();
        }
        long ending = handle;
        // The channel forgets the identifier first: as soon as it is destroyed another may get its address.
        channel.forget(ending);
        handle = 0;
        return () -> check("rdma_destroy_id", "identifier", cm.rdma_destroy_id(ending));
    }

    /** What is left to be done of an identifier that has {@linkplain #end ended}. */
    @FunctionalInterface
    public interface Rest extends AutoCloseable {
        @Override
        void close() throws VerbsException;
    }

    void destroyQueuePair() {
        cm.rdma_destroy_qp(handle());
        queuePair = null;
    }

    /** The identifier's addresses, for messages. */
    @Override
    public String toString() {
        return handle == 0 ? "a closed identifier" : localAddress() + " to " + remoteAddress();
    }

    private void option(String name, int option, int value, int length) throws VerbsException {
        try (NativeMemory memory = NativeMemory.allocate(Integer.BYTES)) {
            if (length == Byte.BYTES) {
                memory.buffer.put(0, (byte) value);
            } else {
                memory.buffer.putInt(0, value);
            }
            check(
                    "rdma_set_option",
                    name + " = " + value,
                    cm.rdma_set_option(handle(), LibRdmaCm.OPTION_ID, option, memory.address, length));
        }
    }

    private String peer() {
        return "peer " + remoteAddress();
    }

    private static void check(String call, String subject, int result) throws VerbsException {
        if (result != 0) {
            throw VerbsException.lastError(call, subject);
        }
    }

    private long handle() {
        if (handle == 0) {
            throw new IllegalStateException("the identifier is closed");
        }
        return handle;
    }
}
