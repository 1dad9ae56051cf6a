// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import io.accel.PathInfo;
import io.accel.core.daemon.Dropped;
import io.accel.core.daemon.Privileged;
import io.accel.core.poll.Pollable;
import io.accel.core.socket.DatagramGroups;
import io.accel.core.socket.DatagramSocket;
import io.accel.core.socket.KernelAlone;
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
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import java.nio.channels.NotYetConnectedException;
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
    private final AccelSelectorProvider provider;
    private final DatagramChannel kernel;
    private final KernelAlone alone;
    private final OnInterrupt onInterrupt;
    /** Whether the program asked for IPv4 alone. */
    private final boolean onlyIpv4;

    /** What this has beside the kernel's channel; null as long as that is enough. Written under the monitor of {@link #alone}, once. */
    private volatile Own own;
    /**
     * Lets the garbage collector close this if the program drops it; null as long as the kernel's channel, which the JDK closes then, does
     * everything. Written by the thread that ends that time.
     */
    private volatile Cleaner.Cleanable dropped;

    /** Null until the first membership. Written under the monitor of {@link #alone}. */
    private volatile Map<MembershipKey, AccelMembershipKey> memberships;

    /** The peer; written in both halves, or by the kernel alone. Read again behind {@link #own} by the thread that makes it. */
    private volatile InetSocketAddress connected;
    /** The address that the program has bound this to; null before that. Read again as {@link #connected}. */
    private volatile InetSocketAddress bound;
    /** Whether the program has set an option with which sockets share a port. Written by any thread. */
    private volatile boolean sharesPorts;

    private java.net.DatagramSocket adaptor; // guarded by this

    private record Own(
            DatagramSocket socket, DatagramInterrupts interrupts, DatagramInput input, DatagramOutput output) {}

    /** Opens one over the JDK's. A class that calls this can be loaded without this one. */
    static DatagramChannel over(AccelSelectorProvider provider, DatagramChannel kernel, ProtocolFamily family)
            throws IOException {
        KernelAlone alone = KernelAlone.begin(provider.accelerator(), kernel);
        return new AccelDatagramChannel(provider, kernel, alone, family, OnInterrupt.CLOSES);
    }

    private AccelDatagramChannel(
            AccelSelectorProvider provider,
            DatagramChannel kernel,
            KernelAlone alone,
            ProtocolFamily family,
            OnInterrupt onInterrupt) {
        super(provider);
        this.provider = provider;
        this.kernel = kernel;
        this.alone = alone;
        this.onInterrupt = onInterrupt;
        this.onlyIpv4 = family == StandardProtocolFamily.INET;
        if (alone.isOver()) {
            watchForDrop(own().socket);
        }
    }

    /**
     * Opens a channel whose {@link #socket()} is put under a {@link java.net.DatagramSocket}, which an interrupt does not close.
     *
     * @param isUninterruptible whether no interrupt closes the kernel's channel, which then may wait by itself
     */
    static DatagramChannel uninterruptible(
            AccelSelectorProvider provider, DatagramChannel kernel, boolean isUninterruptible) throws IOException {
        KernelAlone alone =
                isUninterruptible ? KernelAlone.begin(provider.accelerator(), kernel) : KernelAlone.over(kernel);
        return new AccelDatagramChannel(provider, kernel, alone, null, OnInterrupt.WAITS_ON);
    }

    // ---- its parts

    private Own own() {
        Own present = own;
        return present == null ? makeOwn() : present;
    }

    private Own makeOwn() {
        synchronized (alone) {
            if (own == null) {
                DatagramSocket socket = new DatagramSocket(provider.accelerator(), alone);
                DatagramInterrupts interrupts = new DatagramInterrupts(this, new BeginAndEnd(), onInterrupt);
                own = new Own(
                        socket,
                        interrupts,
                        new DatagramInput(this, socket, interrupts),
                        new DatagramOutput(this, socket, provider.accelerator().waits(), interrupts));
                tellWhatWas(socket); // after own is set: a thread that changes it from now on says so itself
            }
            return own;
        }
    }

    private void tellWhatWas(DatagramSocket socket) {
        if (sharesPorts) {
            socket.optionSet(StandardSocketOptions.SO_REUSEADDR);
        }
        InetSocketAddress peer = connected;
        if (peer != null) {
            socket.connected(peer);
        }
        InetSocketAddress at = bound;
        if (at != null) {
            try {
                socket.bound(at);
            } catch (IOException e) {
                return; // closed meanwhile
            }
        }
        if (!isOpen()) {
            socket.close();
        }
    }

    // ---- the kernel alone

    /** As {@link KernelAlone#enter}. */
    boolean enterKernel() {
        return alone.enter();
    }

    /** As {@link KernelAlone#leave}, at the end of an operation that may have closed the kernel's channel. */
    void leaveKernel(InetAddress peer, int port, boolean came) {
        if (alone.leave(peer, port)) {
            DatagramSocket socket = own().socket;
            socket.aloneNoMore(came ? new InetSocketAddress(peer, port) : null);
            watchForDrop(socket);
        } else if (peer == null && !kernel.isOpen()) {
            closeToo();
        }
    }

    private void leaveKernel(InetSocketAddress peer, boolean came) {
        if (peer == null) {
            leaveKernel(null, 0, came);
        } else {
            leaveKernel(peer.getAddress(), peer.getPort(), came);
        }
    }

    /** Closes this after the kernel's channel, which an interrupt has closed. The operation throws what it has met. */
    private void closeToo() {
        try {
            close();
        } catch (IOException e) {
            throw new UncheckedIOException("a channel that an interrupt has closed", e);
        }
    }

    private void watchForDrop(DatagramSocket socket) {
        dropped = Dropped.watch(this, socket::close);
        if (!isOpen()) {
            dropped.clean(); // whoever has closed this may not have seen it
        }
    }

    Pollable pollable() {
        return own().socket;
    }

    /**
     * Returns the path that datagrams to a destination take now, and the reason why not a faster one. The first datagrams to a new
     * destination always take the kernel's path, while Accel looks for a faster one.
     *
     * @param target the destination
     * @return the path
     */
    public PathInfo path(InetSocketAddress target) {
        Own present = own;
        return present == null ? PathInfo.KERNEL : present.socket.path(target);
    }

    // ---- receiving and sending

    @Override
    public SocketAddress receive(ByteBuffer dst) throws IOException {
        if (!enterKernel()) {
            return own().input.receive(dst);
        }
        InetSocketAddress from = null;
        try {
            from = (InetSocketAddress) kernel.receive(dst);
            return from;
        } finally {
            leaveKernel(from, true);
        }
    }

    /**
     * Waits for a datagram for the socket adaptor; throws if waiting is not allowed.
     *
     * @param timeoutNanos how long to wait; negative for no limit
     * @throws java.net.SocketTimeoutException if the time is over
     */
    SocketAddress receiveBlocking(ByteBuffer dst, long timeoutNanos) throws IOException {
        return own().input.receiveBlocking(dst, timeoutNanos);
    }

    @Override
    public int read(ByteBuffer dst) throws IOException {
        if (!enterKernel()) {
            return own().input.read(dst);
        }
        int n = 0;
        try {
            n = kernel.read(dst);
            return n;
        } finally {
            leaveKernel(n == 0 ? null : connected, true);
        }
    }

    @Override
    public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        if (!enterKernel()) {
            return own().input.read(dsts, offset, length);
        }
        long n = 0;
        try {
            n = kernel.read(dsts, offset, length);
            return n;
        } finally {
            leaveKernel(n == 0 ? null : connected, true);
        }
    }

    @Override
    public int send(ByteBuffer src, SocketAddress target) throws IOException {
        Objects.requireNonNull(src, "src");
        if (!(target instanceof InetSocketAddress address)
                || address.isUnresolved()
                || (onlyIpv4 && !(address.getAddress() instanceof Inet4Address))) {
            return kernel.send(src, target); // this throws the JDK's exception
        }
        if (!enterKernel()) {
            return own().output.sendTo(src, address);
        }
        int n = 0;
        try {
            n = kernel.send(src, target);
            return n;
        } finally {
            leaveKernel(n == 0 ? null : address, false);
        }
    }

    @Override
    public int write(ByteBuffer src) throws IOException {
        if (!enterKernel()) {
            return own().output.write(src);
        }
        int n = 0;
        try {
            n = kernel.write(src);
            return n;
        } finally {
            leaveKernel(n == 0 ? null : connected, false);
        }
    }

    @Override
    public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        if (!enterKernel()) {
            return own().output.write(srcs, offset, length);
        }
        long n = 0;
        try {
            n = kernel.write(srcs, offset, length);
            return n;
        } finally {
            leaveKernel(n == 0 ? null : connected, false);
        }
    }

    // ---- addresses

    @Override
    public DatagramChannel bind(SocketAddress local) throws IOException {
        if (sharesPorts) {
            Own unused = own(); // which asks for the options now
        }
        change(() -> {
            ensureOpen();
            kernel.bind(local);
            bound = (InetSocketAddress) Privileged.call(kernel::getLocalAddress);
            Own present = own;
            if (present != null) {
                present.socket.bound(bound);
            }
            return kernel;
        });
        return this;
    }

    @Override
    public DatagramChannel connect(SocketAddress remote) throws IOException {
        changePeer(() -> kernel.connect(remote));
        return this;
    }

    /** Connects, even a channel that is connected, as the JDK lets its adaptor do without a disconnect in between. */
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
        change(() -> {
            Object unused = change.run();
            InetSocketAddress peer = (InetSocketAddress) kernel.getRemoteAddress();
            connected = peer;
            Own present = own;
            if (present != null) {
                present.socket.connected(peer);
            }
            return kernel;
        });
    }

    /** Makes a change in both halves, unless the kernel alone has them. */
    private void change(Change change) throws IOException {
        Own present = own;
        if (present == null) {
            Object unused = change.run();
            return;
        }
        DatagramSocket socket = present.socket;
        socket.lockRead();
        try {
            socket.lockWrite();
            try {
                Object unused = change.run();
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
        optionSet(name);
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
        groups().joining(group, networkInterface);
        return ours(kernel.join(group, networkInterface));
    }

    @Override
    public MembershipKey join(InetAddress group, NetworkInterface networkInterface, InetAddress source)
            throws IOException {
        groups().joining(group, networkInterface);
        return ours(kernel.join(group, networkInterface, source));
    }

    /** Returns our key for the kernel's; as in the JDK, the same key for the same membership. */
    private MembershipKey ours(MembershipKey kernels) {
        Map<MembershipKey, AccelMembershipKey> all = memberships();
        all.keySet().removeIf(known -> !known.isValid());
        groups().joined(kernels.group(), kernels.networkInterface(), kernels.sourceAddress());
        return all.computeIfAbsent(kernels, key -> new AccelMembershipKey(this, groups(), key));
    }

    private Map<MembershipKey, AccelMembershipKey> memberships() {
        synchronized (alone) {
            if (memberships == null) {
                memberships = new ConcurrentHashMap<>();
            }
            return memberships;
        }
    }

    /** Tells the socket of an option that the adaptor has set. */
    void optionSet(SocketOption<?> option) {
        if (option == StandardSocketOptions.SO_REUSEADDR || option == StandardSocketOptions.SO_REUSEPORT) {
            sharesPorts = true;
        }
        Own present = own;
        if (present != null) {
            present.socket.optionSet(option);
        }
    }

    /** The groups, which the adaptor tells of changes to the kernel's socket. */
    DatagramGroups groups() {
        return own().socket.groups();
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
    protected void implCloseSelectableChannel() throws IOException {
        try {
            Own present;
            synchronized (alone) { // who makes it later finds this closed
                present = own;
            }
            if (present == null) {
                kernel.close();
                alone.awaitLeft();
            } else {
                present.socket.close();
            }
        } finally {
            Cleaner.Cleanable present = dropped;
            if (present != null) {
                present.clean();
            }
        }
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        Own present = own;
        if (present != null) {
            present.socket.endRegistrations(AccelSocketChannel::isOver);
        }
        if (enterKernel()) {
            try {
                kernel.configureBlocking(block);
            } finally {
                leaveKernel(null, 0, false);
            }
            return;
        }
        // As in the JDK, an operation that is under way ends in the mode in which it has begun. The kernel's channel is
        // in non-blocking mode all the time: it is only one of several sources.
        Own unused = own();
        change(() -> {
            ensureOpen();
            return kernel;
        });
    }

    /**
     * Throws if the channel is closed. Called before a lock is taken: an operation that finds the channel closed later was ended by the
     * close.
     */
    void ensureOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    /**
     * Throws as a transfer does that finds the channel closed: on older JDKs one in blocking mode is told that it was closed meanwhile.
     */
    void ensureOpenToTransfer() throws ClosedChannelException {
        if (!isOpen()) {
            throw isBlocking() && ClosedDatagrams.ARE_ASYNCHRONOUS
                    ? new AsynchronousCloseException()
                    : new ClosedChannelException();
        }
    }

    void ensureConnected() throws IOException {
        ensureOpenToTransfer();
        if (connected == null) {
            own().interrupts.refuseInBlockingMode();
            throw new NotYetConnectedException();
        }
    }

    /** Returns the exception to throw where an operation found the kernel's channel closed, as only our own close closes it. */
    IOException asClosed(ClosedChannelException e) {
        if (e.getClass() != ClosedChannelException.class || kernel.isOpen()) {
            return e;
        }
        IOException asynchronous = new AsynchronousCloseException();
        asynchronous.addSuppressed(e);
        return asynchronous;
    }

    /** Returns the address connected to, or null. */
    InetSocketAddress peer() {
        return connected;
    }

    private final class BeginAndEnd extends Blocking {
        @Override
        void begin() {
            AccelDatagramChannel.this.begin();
        }

        @Override
        void end(boolean completed) throws AsynchronousCloseException {
            AccelDatagramChannel.this.end(completed);
        }

        @Override
        boolean isOpen() {
            return AccelDatagramChannel.this.isOpen();
        }
    }

    @Override
    public String toString() {
        // As of any object of the JDK's class, whose channels tell nothing of their state.
        return kernel.getClass().getName() + '@' + Integer.toHexString(hashCode());
    }
}
