package io.accel.nio;

import io.accel.core.daemon.Dropped;
import io.accel.core.daemon.Privileged;
import io.accel.core.jdk.VirtualThreads;
import io.accel.core.poll.Pollable;
import io.accel.core.socket.DatagramSocket;
import io.accel.core.socket.PathInfo;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.Cleaner;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.MembershipKey;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A datagram channel whose datagrams take an accelerated path where the other end can be reached by one. The JDK's own
 * channel under it is bound, decides about addresses, options and multicast, and carries all else. Safe for use by many
 * threads, as {@link DatagramChannel} promises.
 */
public final class AccelDatagramChannel extends DatagramChannel {
    /** What the JDK's channels return for an empty datagram that was read, in their words the end of a stream. */
    private static final int EMPTY = -1;

    private final AccelSelectorProvider provider;
    private final DatagramChannel kernel;
    private final DatagramSocket socket;
    /** By which the collector closes this if the program drops it. */
    private final Cleaner.Cleanable dropped;
    /** Whether the program asked for IPv4 alone. */
    private final boolean onlyIpv4;

    private final OnInterrupt onInterrupt;

    private final Map<MembershipKey, AccelMembershipKey> memberships = new ConcurrentHashMap<>();

    /** The peer; written in both halves. */
    private volatile InetSocketAddress connected;

    private java.net.DatagramSocket adaptor; // guarded by this

    AccelDatagramChannel(AccelSelectorProvider provider, DatagramChannel kernel, ProtocolFamily family)
            throws IOException {
        this(provider, kernel, family, OnInterrupt.CLOSES);
    }

    private AccelDatagramChannel(
            AccelSelectorProvider provider, DatagramChannel kernel, ProtocolFamily family, OnInterrupt onInterrupt)
            throws IOException {
        super(provider);
        this.onInterrupt = onInterrupt;
        this.provider = provider;
        this.kernel = kernel;
        this.socket = new DatagramSocket(provider.accelerator(), kernel);
        this.dropped = Dropped.watch(this, socket::close);
        this.onlyIpv4 = family == StandardProtocolFamily.INET;
    }

    /** One whose {@link #socket()} is to be under a {@link java.net.DatagramSocket}, which an interrupt does not close. */
    static AccelDatagramChannel uninterruptible(AccelSelectorProvider provider, DatagramChannel kernel)
            throws IOException {
        return new AccelDatagramChannel(provider, kernel, null, OnInterrupt.WAITS_ON);
    }

    Pollable pollable() {
        return socket;
    }

    /**
     * Which way datagrams to a destination take now, and why not a faster one. The first to a new
     * destination always take the kernel's, while a faster one is looked for.
     *
     * @param target the destination
     * @return the path
     */
    public PathInfo path(InetSocketAddress target) {
        return socket.path(target);
    }

    // ---- receiving

    @Override
    public SocketAddress receive(ByteBuffer dst) throws IOException {
        if (dst.isReadOnly()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
        return receive(dst, -1);
    }

    /**
     * As {@link #receive(ByteBuffer)}, within a time if the channel is in blocking mode.
     *
     * @param timeoutNanos how long to wait; negative for no limit
     * @throws SocketTimeoutException if the time is over
     */
    private SocketAddress receive(ByteBuffer dst, long timeoutNanos) throws IOException {
        ensureOpen();
        socket.lockRead();
        try {
            ensureOpen();
            boolean waits = isBlocking();
            if (waits) {
                closeIfInterrupted();
            }
            SocketAddress from = socket.receive(dst);
            return from != null || !waits ? from : receiveWaiting(dst, timeoutNanos);
        } catch (ClosedChannelException e) {
            throw asClosed(e);
        } finally {
            socket.unlockRead();
        }
    }

    private SocketAddress receiveWaiting(ByteBuffer dst, long timeoutNanos) throws IOException {
        long start = System.nanoTime();
        SocketAddress from = null;
        Wait wait = new Wait();
        try {
            wait.begin();
            while (isOpen()) {
                from = socket.receive(dst);
                if (from != null) {
                    break;
                }
                waitForDatagram(wait, start, timeoutNanos);
            }
        } finally {
            wait.end(from != null);
        }
        return from;
    }

    private void waitForDatagram(Wait wait, long start, long timeoutNanos) throws IOException {
        long left = timeoutNanos < 0 ? -1 : timeoutNanos - (System.nanoTime() - start);
        if (timeoutNanos >= 0 && left <= 0) {
            throw new SocketTimeoutException("Receive timed out");
        }
        socket.awaitReadable(left);
        wait.begin(); // a selector within the wait has taken the interrupts for itself
    }

    /** One operation of one thread that waits, and what its interrupts do. */
    private final class Wait {
        private boolean interrupted;
        /** Whether it has closed the socket, and said so. */
        private boolean isSaid;

        void begin() throws SocketException {
            if (onInterrupt == OnInterrupt.CLOSES) {
                AccelDatagramChannel.this.begin();
            } else if (Thread.currentThread().isInterrupted()) {
                if (VirtualThreads.isCurrent()) {
                    isSaid = true;
                    closeQuietly();
                    throw new SocketException("Closed by interrupt");
                }
                interrupted = Thread.interrupted(); // it could not wait otherwise
            }
        }

        void end(boolean completed) throws AsynchronousCloseException {
            if (onInterrupt == OnInterrupt.CLOSES) {
                AccelDatagramChannel.this.end(completed);
                return;
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            if (!completed && !isOpen() && !isSaid) {
                throw new AsynchronousCloseException();
            }
        }
    }

    /** For the socket adaptor: waits, and says so if that is not allowed. */
    SocketAddress receiveBlocking(ByteBuffer dst, long timeoutNanos) throws IOException {
        if (!isBlocking()) {
            throw new IllegalBlockingModeException();
        }
        return receive(dst, timeoutNanos);
    }

    @Override
    public int read(ByteBuffer dst) throws IOException {
        Objects.requireNonNull(dst, "dst");
        ensureConnected();
        if (dst.isReadOnly()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
        if (!dst.hasRemaining()) {
            closeIfInterruptedInBlockingMode();
            return 0; // as the JDK has it: the datagram stays
        }
        int before = dst.position();
        boolean found = receive(dst, -1) != null;
        int n = dst.position() - before;
        return found && n == 0 ? EMPTY : n;
    }

    @Override
    public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, dsts.length);
        ensureConnected();
        boolean room = false;
        for (int i = offset; i < offset + length; i++) {
            if (dsts[i].isReadOnly()) {
                throw new IllegalArgumentException("Read-only buffer");
            }
            room |= dsts[i].hasRemaining();
        }
        if (!room) {
            closeIfInterruptedInBlockingMode();
            return 0;
        }
        socket.lockRead();
        long n = -1;
        try {
            ensureOpen();
            boolean waits = isBlocking();
            if (waits) {
                closeIfInterrupted();
            }
            n = socket.receive(dsts, offset, length);
            if (n < 0 && !waits) {
                return 0;
            }
            n = n < 0 ? readWaiting(dsts, offset, length) : n;
            return n == 0 ? EMPTY : n;
        } catch (ClosedChannelException e) {
            throw asClosed(e);
        } finally {
            socket.unlockRead();
        }
    }

    private long readWaiting(ByteBuffer[] dsts, int offset, int length) throws IOException {
        long n = -1;
        Wait wait = new Wait();
        try {
            wait.begin();
            while (isOpen()) {
                n = socket.receive(dsts, offset, length);
                if (n >= 0) {
                    break;
                }
                waitForDatagram(wait, 0, -1);
            }
        } finally {
            wait.end(n >= 0);
        }
        return n;
    }

    // ---- sending

    @Override
    public int send(ByteBuffer src, SocketAddress target) throws IOException {
        Objects.requireNonNull(src, "src");
        if (!(target instanceof InetSocketAddress address)
                || address.isUnresolved()
                || (onlyIpv4 && !(address.getAddress() instanceof Inet4Address))) {
            return kernel.send(src, target); // which throws what it has to
        }
        ensureOpen();
        socket.lockWrite();
        try {
            ensureOpen();
            closeIfInterruptedInBlockingMode();
            InetSocketAddress only = connected;
            if (only != null && !only.equals(address)) {
                throw new AlreadyConnectedException();
            }
            return only != null && !src.hasRemaining() ? 0 : send(src, address);
        } catch (ClosedChannelException e) {
            throw asClosed(e);
        } finally {
            socket.unlockWrite();
        }
    }

    @Override
    public int write(ByteBuffer src) throws IOException {
        Objects.requireNonNull(src, "src");
        ensureConnected();
        if (!src.hasRemaining()) {
            closeIfInterruptedInBlockingMode();
            return 0; // as the JDK has it; only send() without a connection sends empty datagrams
        }
        socket.lockWrite();
        try {
            ensureOpen();
            closeIfInterruptedInBlockingMode();
            InetSocketAddress target = connected;
            if (target == null) {
                throw new NotYetConnectedException();
            }
            return send(src, target);
        } catch (ClosedChannelException e) {
            throw asClosed(e);
        } finally {
            socket.unlockWrite();
        }
    }

    private int send(ByteBuffer src, InetSocketAddress target) throws IOException {
        boolean waits = isBlocking();
        int n = socket.send(src, target);
        if (n > 0 || !waits || !src.hasRemaining()) {
            return n;
        }
        Wait wait = new Wait();
        try {
            wait.begin();
            while (isOpen() && n == 0) {
                waitForRoom(wait);
                n = socket.send(src, target);
            }
        } finally {
            wait.end(n > 0);
        }
        return n;
    }

    private void waitForRoom(Wait wait) throws IOException {
        provider.accelerator().waits().await(socket, SelectionKey.OP_WRITE, -1);
        wait.begin(); // as in waitForDatagram
    }

    @Override
    public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, srcs.length);
        ensureConnected();
        boolean empty = true;
        for (int i = offset; i < offset + length; i++) {
            empty &= !srcs[i].hasRemaining();
        }
        if (empty) {
            closeIfInterruptedInBlockingMode();
            return 0;
        }
        socket.lockWrite();
        try {
            ensureOpen();
            boolean waits = isBlocking();
            if (waits) {
                closeIfInterrupted();
            }
            if (connected == null) {
                throw new NotYetConnectedException();
            }
            long n = socket.write(srcs, offset, length);
            return n > 0 || !waits ? n : writeWaiting(srcs, offset, length);
        } catch (ClosedChannelException e) {
            throw asClosed(e);
        } finally {
            socket.unlockWrite();
        }
    }

    private long writeWaiting(ByteBuffer[] srcs, int offset, int length) throws IOException {
        long n = 0;
        Wait wait = new Wait();
        try {
            wait.begin();
            while (isOpen() && n == 0) {
                waitForRoom(wait);
                n = socket.write(srcs, offset, length);
            }
        } finally {
            wait.end(n > 0);
        }
        return n;
    }

    // ---- addresses

    @Override
    public DatagramChannel bind(SocketAddress local) throws IOException {
        socket.lockRead();
        try {
            socket.lockWrite();
            try {
                ensureOpen();
                kernel.bind(local);
                socket.bound((InetSocketAddress) Privileged.call(kernel::getLocalAddress));
            } finally {
                socket.unlockWrite();
            }
        } finally {
            socket.unlockRead();
        }
        return this;
    }

    @Override
    public DatagramChannel connect(SocketAddress remote) throws IOException {
        changePeer(() -> kernel.connect(remote));
        return this;
    }

    /** As {@link #connect}, also of a channel that is connected, which the JDK lets its adaptor do without a disconnect in between. */
    void connectAnew(SocketAddress remote) throws IOException {
        changePeer(() -> {
            kernel.socket().connect(remote);
            return kernel;
        });
    }

    @Override
    public DatagramChannel disconnect() throws IOException {
        if (isOpen()) {
            changePeer(kernel::disconnect);
        }
        return this;
    }

    private interface Change {
        Object run() throws IOException;
    }

    private void changePeer(Change change) throws IOException {
        socket.lockRead();
        try {
            socket.lockWrite();
            try {
                Object unused = change.run();
                InetSocketAddress peer = (InetSocketAddress) kernel.getRemoteAddress();
                connected = peer;
                socket.connected(peer);
            } finally {
                socket.unlockWrite();
            }
        } finally {
            socket.unlockRead();
        }
    }

    @Override
    public boolean isConnected() {
        return kernel.isConnected();
    }

    @Override
    public SocketAddress getRemoteAddress() throws IOException {
        ensureOpen();
        return kernel.getRemoteAddress();
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        ensureOpen();
        return kernel.getLocalAddress();
    }

    // ---- options and groups: the kernel's

    @Override
    public <T> DatagramChannel setOption(SocketOption<T> name, T value) throws IOException {
        kernel.setOption(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return kernel.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return kernel.supportedOptions();
    }

    @Override
    public MembershipKey join(InetAddress group, NetworkInterface networkInterface) throws IOException {
        return ours(kernel.join(group, networkInterface));
    }

    @Override
    public MembershipKey join(InetAddress group, NetworkInterface networkInterface, InetAddress source)
            throws IOException {
        return ours(kernel.join(group, networkInterface, source));
    }

    /** The JDK returns the same key for the same membership, and so does this. */
    private MembershipKey ours(MembershipKey kernels) {
        memberships.keySet().removeIf(known -> !known.isValid());
        return memberships.computeIfAbsent(kernels, key -> new AccelMembershipKey(this, key));
    }

    @Override
    public synchronized java.net.DatagramSocket socket() {
        if (adaptor == null) {
            try {
                adaptor = Privileged.call(() -> new AccelDatagramSocket(this, (MulticastSocket) kernel.socket()));
            } catch (IOException e) {
                throw new UncheckedIOException("out of descriptors, most likely", e);
            }
        }
        return adaptor;
    }

    // ---- closing

    @Override
    protected void implCloseSelectableChannel() {
        socket.close();
        dropped.clean();
    }

    @Override
    protected void implConfigureBlocking(boolean block) {
        // The kernel's channel is in non-blocking mode all the time: it is only one of several sources.
        socket.endRegistrations(AccelSocketChannel::isOver);
    }

    /** Asked before a lock is taken: what finds the channel closed from then on has been ended by that. */
    private void ensureOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    private void ensureConnected() throws IOException {
        ensureOpen();
        if (connected == null) {
            closeIfInterruptedInBlockingMode();
            throw new NotYetConnectedException();
        }
    }

    /** The kernel's channel was found closed in the middle of an operation, which only our own close does. */
    private IOException asClosed(ClosedChannelException e) {
        if (e.getClass() != ClosedChannelException.class || kernel.isOpen()) {
            return e;
        }
        IOException asynchronous = new AsynchronousCloseException();
        asynchronous.addSuppressed(e);
        return asynchronous;
    }

    /** An interrupted thread that could wait does not come in; not of a {@link java.net.DatagramSocket}. */
    private void closeIfInterrupted() throws IOException {
        if (onInterrupt == OnInterrupt.CLOSES && Thread.currentThread().isInterrupted()) {
            boolean completed = false;
            try {
                begin();
                completed = isOpen();
            } finally {
                end(completed);
            }
        }
    }

    /** As the JDK's, also where there is nothing to wait for, or the operation is refused. */
    private void closeIfInterruptedInBlockingMode() throws IOException {
        if (isBlocking()) {
            closeIfInterrupted();
        }
    }

    private void closeQuietly() {
        try {
            close();
        } catch (IOException e) {
            // closed it is, and why is about to be said
        }
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(getClass().getName()).append('[');
        if (!isOpen()) {
            return text.append("closed]").toString();
        }
        try {
            text.append("local=").append(kernel.getLocalAddress());
            SocketAddress remote = kernel.getRemoteAddress();
            if (remote != null) {
                text.append(" remote=").append(remote);
            }
            text.append(" accelerated peers=").append(socket.links());
        } catch (IOException e) {
            text.append("closing"); // by another thread, in this moment
        }
        return text.append(']').toString();
    }
}
