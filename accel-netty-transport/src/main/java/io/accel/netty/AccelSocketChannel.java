package io.accel.netty;

import io.accel.core.jdk.JdkAccess;
import io.accel.core.poll.Pollable;
import io.accel.core.socket.PathInfo;
import io.accel.core.socket.StreamSocket;
import io.accel.profile.Keys;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.internal.StringUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.concurrent.Executor;

/**
 * A stream connection that takes an accelerated path if its peer can be reached by one, and otherwise the kernel's. Which one
 * it took, {@link #path()} tells.
 */
public final class AccelSocketChannel extends AbstractAccelDuplexChannel implements SocketChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    private final StreamSocket socket;
    /** The JDK's channel: not yet or really connected, or lending its local address; null if accepted from a fabric. */
    private final java.nio.channels.SocketChannel kernel;

    private final AccelSocketChannelConfig config;
    private final Runnable flushAgain = this::flushAgain;

    /** Set when the connection is established, and never taken back. */
    private volatile StreamIo io;

    private volatile InetSocketAddress local;
    private volatile InetSocketAddress remote;
    private volatile boolean closed;

    /** A channel that is not connected, for IPv6 and IPv4, as the JDK opens it. */
    public AccelSocketChannel() {
        this((SocketProtocolFamily) null);
    }

    /**
     * A channel that is not connected, of one protocol family.
     *
     * @param family the family, or null for the JDK's default
     * @throws ChannelException if the kernel's socket cannot be opened
     */
    public AccelSocketChannel(SocketProtocolFamily family) {
        super(null);
        kernel = open(family);
        socket = new StreamSocket(Accel.accelerator(), kernel);
        config = new AccelSocketChannelConfig(this, SocketOptions.of(kernel));
    }

    /** An accepted connection. */
    AccelSocketChannel(AccelServerSocketChannel parent, StreamSocket socket) throws IOException {
        super(parent);
        this.socket = socket;
        kernel = socket.kernel();
        if (kernel != null) {
            kernel.configureBlocking(false);
        }
        config = new AccelSocketChannelConfig(this, kernel != null ? SocketOptions.of(kernel) : keptOptions());
        established();
    }

    private static java.nio.channels.SocketChannel open(SocketProtocolFamily family) {
        Accel.ensureAvailability();
        try {
            java.nio.channels.SocketChannel channel = family == null
                    ? JdkAccess.kernelProvider().openSocketChannel()
                    : JdkAccess.kernelProvider().openSocketChannel(family.toJdkFamily());
            channel.configureBlocking(false);
            return channel;
        } catch (IOException e) {
            throw new ChannelException("cannot open a socket", e);
        }
    }

    private static SocketOptions keptOptions() {
        return SocketOptions.kept(Accel.accelerator().profile().get(Keys.RING_SIZE));
    }

    /** Which way the connection's bytes take, and why not a faster one. Before it is connected, the kernel's. */
    public PathInfo path() {
        return socket.path();
    }

    @Override
    Pollable pollable() {
        return socket;
    }

    @Override
    public AccelSocketChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public ServerSocketChannel parent() {
        return (ServerSocketChannel) super.parent();
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public boolean isActive() {
        return io != null && !closed;
    }

    // ---- addresses

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return (InetSocketAddress) super.remoteAddress();
    }

    @Override
    protected SocketAddress localAddress0() {
        return local;
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return remote;
    }

    @Override
    protected void doBind(SocketAddress address) throws IOException {
        if (address instanceof InetSocketAddress internet && internet.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        if (kernel == null) {
            throw new AlreadyConnectedException();
        }
        kernel.bind(address);
        local = (InetSocketAddress) kernel.getLocalAddress();
    }

    // ---- connecting

    @Override
    boolean doConnect(SocketAddress to, SocketAddress from) throws IOException {
        InetSocketAddress destination = check(to);
        if (io != null) {
            throw new AlreadyConnectedException();
        }
        if (from != null) {
            doBind(from);
        }
        boolean begun = false;
        try {
            // Not by the poller yet: a fabric that says no leaves the kernel to connect, which may be done at once.
            boolean connected = !socket.connect(destination) && kernel.connect(destination);
            begun = true;
            if (connected) {
                established();
            } else {
                addOps(AccelIoOps.CONNECT);
            }
            return connected;
        } finally {
            if (!begun) {
                closeQuietly();
            }
        }
    }

    private static InetSocketAddress check(SocketAddress to) throws IOException {
        if (!(to instanceof InetSocketAddress address)) {
            throw new UnsupportedAddressTypeException();
        }
        if (address.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        // As the JDK has it: the wildcard stands for this host.
        return address.getAddress().isAnyLocalAddress()
                ? new InetSocketAddress(InetAddress.getLocalHost(), address.getPort())
                : address;
    }

    @Override
    boolean doFinishConnect() throws IOException {
        if (!socket.finishConnect()) {
            return false;
        }
        established();
        return true;
    }

    private void established() throws IOException {
        if (socket.stream() != null) {
            local = socket.linkLocal();
            remote = socket.linkRemote();
            io = new LinkIo(socket.stream(), config);
        } else {
            local = (InetSocketAddress) kernel.getLocalAddress();
            remote = (InetSocketAddress) kernel.getRemoteAddress();
            io = new KernelIo(kernel, config);
        }
    }

    // ---- reading and writing

    @Override
    ByteBuf doRead(RecvByteBufAllocator.ExtendedHandle handle) throws Exception {
        return connectedIo().read(handle);
    }

    @Override
    boolean isAtEnd() {
        StreamIo connected = io;
        return connected != null && connected.isAtEnd();
    }

    @Override
    boolean hasReadAhead() {
        StreamIo connected = io;
        return connected != null && connected.hasReadAhead();
    }

    @Override
    void readComplete() {
        StreamIo connected = io;
        if (connected != null && !closed) {
            connected.readComplete();
        }
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws Exception {
        StreamIo out = connectedIo();
        int spins = config.getWriteSpinCount();
        do {
            int used = in.isEmpty() ? StreamIo.ALL_UNDER_WAY : out.write(in);
            if (used == StreamIo.ALL_UNDER_WAY) {
                removeOps(AccelIoOps.WRITE);
                awaitSent(out);
                return;
            }
            spins -= used;
            // On although all is written: listeners that were told of it may have flushed more.
        } while (spins > 0);
        awaitSent(out);
        if (spins < 0) {
            addOps(AccelIoOps.WRITE);
        } else {
            // There was room to the last; others have their turn, then it goes on.
            removeOps(AccelIoOps.WRITE);
            eventLoop().execute(flushAgain);
        }
    }

    private void awaitSent(StreamIo out) {
        if (out.isUnderWay()) {
            addOps(AccelIoOps.SENT);
        } else {
            removeOps(AccelIoOps.SENT);
        }
    }

    private void flushAgain() {
        ((StreamUnsafe) unsafe()).flush0();
    }

    @Override
    protected Object filterOutboundMessage(Object msg) {
        if (msg instanceof ByteBuf buffer) {
            StreamIo out = io;
            if (out == null || out.wantsDirect()) {
                RingByteBuf.settle(buffer); // the kernel's path keeps a view of what it cannot write at once
            }
            return out == null || buffer.isDirect() || !out.wantsDirect() ? buffer : toDirect(buffer);
        }
        if (msg instanceof FileRegion) {
            return msg;
        }
        throw new UnsupportedOperationException(
                "unsupported message type: " + StringUtil.simpleClassName(msg) + " (expected: ByteBuf, FileRegion)");
    }

    /** For the kernel, which would copy it at every attempt; where a direct buffer is cheap to have. */
    private ByteBuf toDirect(ByteBuf buffer) {
        ByteBufAllocator allocator = alloc();
        if (!allocator.isDirectBufferPooled() || !buffer.isReadable()) {
            return buffer;
        }
        ByteBuf direct = allocator.directBuffer(buffer.readableBytes());
        direct.writeBytes(buffer, buffer.readerIndex(), buffer.readableBytes());
        buffer.release();
        return direct;
    }

    private StreamIo connectedIo() throws ClosedChannelException {
        StreamIo connected = io;
        if (connected == null) {
            if (closed) {
                throw new ClosedChannelException();
            }
            throw new NotYetConnectedException();
        }
        return connected;
    }

    // ---- shutting down and closing

    @Override
    boolean isAllowHalfClosure() {
        return config.isAllowHalfClosure();
    }

    @Override
    boolean isInputShut() {
        StreamIo connected = io;
        return connected == null || closed || connected.isInputShut();
    }

    @Override
    boolean isOutputShut() {
        StreamIo connected = io;
        return connected == null || closed || connected.isOutputShut();
    }

    @Override
    void doShutdownInput() throws IOException {
        connectedIo().shutdownInput();
    }

    @Override
    protected void doShutdownOutput() throws IOException {
        connectedIo().shutdownOutput();
    }

    @Override
    protected void doDisconnect() throws Exception {
        doClose();
    }

    @Override
    protected void doDeregister() throws Exception {
        super.doDeregister();
        if (io != null && !closed) {
            io.leaving(); // another thread may be the next one to touch the ring
        }
    }

    @Override
    Executor closeExecutor() {
        if (kernel == null || closed || socket.stream() != null) {
            return null;
        }
        try {
            if (config.getSoLinger() > 0) {
                // The close will block, so nothing may wait for the socket any more.
                doDeregister();
                return GlobalEventExecutor.INSTANCE;
            }
        } catch (Exception e) {
            return null; // closed under our hands: there is nothing to linger for
        }
        return null;
    }

    @Override
    protected void doClose() throws Exception {
        if (closed) {
            return;
        }
        super.doClose();
        int linger = lingerAtClose();
        closed = true;
        StreamIo connected = io;
        if (connected != null) {
            connected.closing(isRegistered() && eventLoop().inEventLoop() ? eventLoop() : null);
        }
        // As of the JDK's channels that are registered, a peer sees an end in order even if not all was read.
        boolean orderly = linger != 0;
        if (connected instanceof KernelIo && orderly) {
            endInOrder();
        }
        socket.close(linger == 0, orderly);
        if (kernel != null) {
            kernel.close();
        }
    }

    private int lingerAtClose() {
        try {
            return config.getSoLinger();
        } catch (ChannelException e) {
            return -1; // the JDK closed its channel, as after a failed connect
        }
    }

    private void endInOrder() {
        try {
            kernel.shutdownOutput();
        } catch (IOException e) {
            LOG.debug("{} was ended by its peer before its close", this, e);
        }
    }

    private void closeQuietly() {
        try {
            doClose();
        } catch (Exception e) {
            LOG.debug("closing {} after a failed connect failed", this, e);
        }
    }
}
