package io.accel.core.socket;

import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.FallbackReason;
import io.accel.core.fabric.Link;
import io.accel.core.observe.ConnectionState;
import io.accel.core.poll.Registration;
import io.accel.profile.Role;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;

/**
 * A stream socket that chooses its path when it connects. Before that, and if no fabric can carry it, it is the JDK's
 * socket channel; on a fabric it is a {@link LinkStream}.
 *
 * <p>The path is chosen once, and never changes on an established connection.
 *
 * <p>Connecting is guarded by the object's monitor; the chosen path is published by the volatile {@link #stream}.
 */
public final class StreamSocket implements BlockingWaits.Waitable {
    private final Accelerator accelerator;
    /**
     * The JDK's channel; null for accepted links, and if the adapter's kernel socket is no channel. In non-blocking mode
     * whenever this is registered.
     */
    private final SocketChannel kernel;

    /** The accelerated connection; written once, under the monitor. */
    private volatile LinkStream stream;

    /** Whether a handshake is under way, or its outcome not yet taken by {@link #finishConnect}. Written under the monitor. */
    private volatile boolean connecting;
    /** Whether OP_CONNECT is ready though the kernel does not say so. Written under the monitor. */
    private volatile boolean connectReady;

    private volatile boolean closed;
    /** Whether the adapter's kernel socket, which is no channel, is connected. */
    private volatile boolean kernelConnected;

    private volatile PathInfo path = PathInfo.KERNEL;

    // Under the monitor.
    private Iterator<Fabric> fabrics;
    private Connecting handshake;
    private IOException failure;
    private boolean fellBack;
    private InetSocketAddress remote;
    private InetSocketAddress local;
    private Fabric.Source source;

    private final Shares shares = new Shares();
    /** Written once, before others can see this connection: null as long as there is none. */
    private volatile ConnectionRecord connection;

    /**
     * A socket that is not connected, or connected by the kernel.
     *
     * @param accelerator the profile at work
     * @param kernel the JDK's channel; null if the adapter has a kernel socket of another kind, which it connects in
     *     blocking mode if {@link #connect} or {@link #takeFallback} say so
     */
    public StreamSocket(Accelerator accelerator, SocketChannel kernel) {
        this.accelerator = accelerator;
        this.kernel = kernel;
    }

    /** An accepted, accelerated connection. */
    StreamSocket(Accelerator accelerator, Link link, String fabric, InetSocketAddress local, InetSocketAddress remote) {
        this.accelerator = accelerator;
        this.kernel = null;
        this.local = local;
        this.remote = remote;
        this.path = new PathInfo(fabric, null, null);
        this.connection = ConnectionRecord.accepting(this);
        this.stream = new LinkStream(link, accelerator.lowWater(), shares, connection);
        shares.establish(stream);
        connection.established(stream);
    }

    /** The JDK's channel; null if this was accepted from a fabric. */
    public SocketChannel kernel() {
        return kernel;
    }

    /** The accelerated connection, or null as long as there is none. */
    public LinkStream stream() {
        return stream;
    }

    /** Which way the bytes take. */
    public PathInfo path() {
        return path;
    }

    /**
     * The adapter's own kernel socket is connected.
     *
     * @param from its local address
     */
    public synchronized void kernelConnected(InetSocketAddress from) {
        local = from;
        kernelConnected = true;
    }

    /** The adapter's own kernel socket was accepted. */
    synchronized void kernelAccepted(InetSocketAddress at, InetSocketAddress from) {
        remote = from;
        kernelConnected(at);
    }

    /** This was accepted from the kernel, for that reason. */
    void acceptedFromKernel(PathInfo why) {
        path = why;
        connection = ConnectionRecord.accepting(this);
        connection.fellBack();
    }

    /** Says in the log that this was accepted. */
    void logAccepted(SocketAddress at, SocketAddress from) {
        accelerator.log().accepted(at, from, path);
    }

    /** The local address of an accelerated connection; null otherwise. */
    public synchronized InetSocketAddress linkLocal() {
        return stream == null && handshake == null ? null : local;
    }

    /** The remote address of an accelerated connection, or of a handshake under way; null otherwise. */
    public synchronized InetSocketAddress linkRemote() {
        return stream == null && !connecting ? null : remote;
    }

    // ---- connecting

    /**
     * Begins to connect by the first fabric that can. If it returns false the caller connects the kernel's channel.
     *
     * @param destination where to, resolved
     * @param binder binds the kernel's channel, which lends the connection its local address
     * @return whether a handshake is under way
     * @throws IOException if binding failed, or if no fabric can and {@code fallback=fail}
     */
    public synchronized boolean connect(InetSocketAddress destination, Fabric.Source binder) throws IOException {
        List<Fabric> candidates = accelerator.fabricsFor(Role.CLIENT, destination);
        remote = destination;
        connection = ConnectionRecord.connecting(this);
        if (candidates.isEmpty()) {
            path = new PathInfo("kernel", FallbackReason.RULE, accelerator.ruleFor(Role.CLIENT, destination));
            connection.fellBack();
            accelerator.log().connected(null, destination, path);
            return false;
        }
        if (accelerator.silentPeers().contains(destination)) {
            fallBack(destination, new FallbackException(FallbackReason.TIMEOUT, "the peer was silent a moment ago"));
            return false;
        }
        fabrics = candidates.iterator();
        source = binder;
        connecting = tryNext(null);
        if (connecting) {
            shares.refresh();
        }
        return connecting;
    }

    /**
     * As {@link #connect(InetSocketAddress, Fabric.Source)}, with the local address that the kernel would have given the
     * connection.
     *
     * @param destination where to, resolved
     * @return whether a handshake is under way
     * @throws IOException if binding failed, or if no fabric can and {@code fallback=fail}
     */
    public boolean connect(InetSocketAddress destination) throws IOException {
        return connect(destination, this::bindTo);
    }

    private InetSocketAddress bindTo(InetAddress address) throws IOException {
        if (kernel.getLocalAddress() == null) {
            kernel.bind(new InetSocketAddress(address, 0));
            ensureOther((InetSocketAddress) kernel.getLocalAddress());
        }
        InetSocketAddress bound = (InetSocketAddress) kernel.getLocalAddress();
        return bound.getAddress().isAnyLocalAddress() ? new InetSocketAddress(address, bound.getPort()) : bound;
    }

    /**
     * Refuses a connection to itself. The port that the kernel gave the program's end may be the very one that it connects
     * to, which nobody listens on then; whoever did was killed, and its rendezvous is what was found. The kernel would
     * connect the socket to itself.
     *
     * @param bound what the program's end was bound to for this connection, by no wish of the program's
     * @throws ConnectException if that is where it connects to
     */
    public void ensureOther(InetSocketAddress bound) throws ConnectException {
        InetSocketAddress destination = remote;
        if (destination.getPort() == bound.getPort() && destination.getAddress().equals(bound.getAddress())) {
            throw new ConnectException("Connection refused");
        }
    }

    /** Whether {@link #connect} has begun a handshake that {@link #finishConnect} has not ended. */
    public boolean isConnecting() {
        return connecting;
    }

    /** Whether no fabric could, and the caller, in blocking mode, connects the kernel's channel. Ends the handshake. */
    public synchronized boolean takeFallback() {
        if (fellBack) {
            fellBack = false;
            connecting = false;
            connectReady = false;
            return true;
        }
        return false;
    }

    /**
     * Goes on with a handshake without waiting.
     *
     * @return true if the connection is there; false if not yet, or if {@link #takeFallback}
     * @throws IOException if neither fabric nor kernel could connect; the caller closes
     */
    public synchronized boolean finishConnect() throws IOException {
        advance();
        if (failure != null) {
            IOException cause = failure;
            connecting = false;
            throw cause;
        }
        if (fellBack) {
            return false;
        }
        if (stream != null
                || (kernel != null && (kernel.isConnected() || (handshake == null && kernel.finishConnect())))) {
            connecting = false;
            connectReady = false;
            return true;
        }
        return false;
    }

    /** Takes the peer's answer if there is one, and moves on to the next fabric or the kernel if it is no. */
    private synchronized void advance() {
        if (handshake == null || closed) {
            return;
        }
        try {
            Link link = handshake.advance();
            if (link == null) {
                return;
            }
            local = handshake.local();
            handshake = null;
            LinkStream established = new LinkStream(link, accelerator.lowWater(), shares, connection);
            shares.establish(established);
            connectReady = true;
            stream = established;
            connection.established(established);
            accelerator.log().connected(local, remote, path);
        } catch (FallbackException e) {
            handshake = null;
            if (e.reason() == FallbackReason.TIMEOUT) {
                accelerator.silentPeers().remember(remote);
            }
            moveOn(e);
        }
        shares.refresh();
    }

    private void moveOn(FallbackException why) {
        try {
            if (!tryNext(why)) {
                if (kernel == null || kernel.isBlocking()) {
                    fellBack = true; // the connecting thread does it, outside of the monitor
                    connectReady = true;
                } else {
                    connectReady = kernel.connect(remote);
                }
            }
        } catch (IOException e) {
            failure = e;
            connectReady = true;
        }
    }

    private boolean tryNext(FallbackException before) throws IOException {
        FallbackException why = before;
        while (fabrics.hasNext()) {
            Fabric fabric = fabrics.next();
            try {
                handshake = fabric.connect(remote, source);
                path = new PathInfo(fabric.name(), null, null);
                return true;
            } catch (FallbackException e) {
                // That there is no device says nothing of the peer, if another fabric could say more.
                why = why == null || e.reason() != FallbackReason.NO_DEVICE ? e : why;
            }
        }
        fallBack(remote, why);
        return false;
    }

    private void fallBack(InetSocketAddress destination, FallbackException why) throws ConnectException {
        path = new PathInfo("kernel", why.reason(), why.getMessage());
        connection.fellBack();
        accelerator.log().connected(null, destination, path);
        if (accelerator.isFailing()) {
            throw new ConnectException("not accelerated, and fallback=fail: " + why.reason() + ": " + why.getMessage());
        }
    }

    /**
     * Ends the registrations that a test picks out, as far as their kernel channel is concerned at once.
     *
     * @param over tells by the attachment
     */
    public void endRegistrations(Predicate<Object> over) {
        shares.end(over);
    }

    // ---- closing

    /**
     * Closes the accelerated connection or the handshake; the kernel's channel is the caller's to close. Never blocks.
     *
     * @param abort whether to reset, as with {@code SO_LINGER} 0
     * @param orderly whether to end in order although bytes are unread, which otherwise makes it a reset
     */
    public void close(boolean abort, boolean orderly) {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        LinkStream established;
        synchronized (this) {
            if (handshake != null) {
                handshake.abort();
                handshake = null;
            }
            established = stream;
        }
        if (established != null) {
            established.close(abort, orderly);
        } else {
            shares.close();
            ConnectionRecord known = connection;
            if (known != null) {
                known.closed();
            }
        }
    }

    // ---- for those who look

    /** What has become of a connection that is not accelerated. */
    ConnectionState kernelState() {
        if (closed) {
            return ConnectionState.CLOSING;
        }
        boolean connected = kernel == null ? kernelConnected : kernel.isConnected();
        return connecting || !connected ? ConnectionState.CONNECTING : ConnectionState.ESTABLISHED;
    }

    SocketAddress observedLocal() {
        InetSocketAddress known;
        synchronized (this) {
            known = local;
        }
        try {
            return known != null || kernel == null || !kernel.isOpen() ? known : kernel.getLocalAddress();
        } catch (IOException e) {
            return null; // closed meanwhile
        }
    }

    SocketAddress observedRemote() {
        SocketAddress known;
        synchronized (this) {
            known = remote;
        }
        try {
            return known != null || kernel == null || !kernel.isOpen() ? known : kernel.getRemoteAddress();
        } catch (IOException e) {
            return null; // closed meanwhile
        }
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    // ---- for pollers

    @Override
    public SelectableChannel watched() {
        LinkStream established = stream;
        if (established != null) {
            return established.link().doorbell();
        }
        synchronized (this) {
            if (handshake != null) {
                return handshake.channel();
            }
            if (stream != null) {
                return stream.link().doorbell();
            }
            // No selector takes a channel in blocking mode, and its connecting thread waits for nothing more.
            return kernel == null || kernel.isBlocking() ? null : kernel;
        }
    }

    @Override
    public int watchedOps(int interest) {
        LinkStream established = stream;
        if (established != null) {
            // A doorbell whose other end is gone would be readable for ever.
            return established.link().peerGone() ? 0 : SelectionKey.OP_READ;
        }
        synchronized (this) {
            if (handshake != null) {
                return SelectionKey.OP_READ;
            }
            int ops = (interest & END) != 0 ? (interest & ~END) | SelectionKey.OP_READ : interest;
            return connectReady ? ops & ~SelectionKey.OP_CONNECT : ops;
        }
    }

    @Override
    public boolean isPolled() {
        return stream != null || connectReady;
    }

    @Override
    public int look(int interest) {
        LinkStream established = stream;
        int ready = established != null ? established.look(interest) : 0;
        if (connecting && connectReady) {
            ready = interest & SelectionKey.OP_CONNECT; // and nothing else before it is finished
        }
        return ready;
    }

    @Override
    public int kernelReady(int interest, int watchedReady) {
        LinkStream established = stream;
        if (established != null) {
            // Nothing watched is ready: asked by one who spins without a registration, or whose deadline has passed.
            established.doorbellRang(watchedReady == 0 ? 0 : 1);
            return 0;
        }
        synchronized (this) {
            if (handshake != null) {
                advance();
                return 0;
            }
        }
        if (stream != null) {
            return 0;
        }
        int readable = (watchedReady & SelectionKey.OP_READ) != 0 ? interest & END : 0;
        return (watchedReady & interest) | readable;
    }

    @Override
    public void looked(int ops, int looks, boolean hit) {
        LinkStream established = stream;
        if (established != null) {
            established.looked(ops, looks, hit);
        }
    }

    @Override
    public void arm(int interest) {
        LinkStream established = stream;
        if (established != null) {
            established.arm(interest);
        }
    }

    @Override
    public long deadline() {
        if (!connecting) {
            return Long.MAX_VALUE;
        }
        synchronized (this) {
            return handshake == null ? Long.MAX_VALUE : handshake.deadline();
        }
    }

    @Override
    public boolean retained(Registration registration) {
        return shares.add(registration);
    }

    @Override
    public void released(Registration registration) {
        shares.remove(registration);
        if (registration.attachment() instanceof BlockingWaits.Waiter waiter) {
            waiter.released();
        }
    }
}
