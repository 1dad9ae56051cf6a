// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.daemon.Privileged;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.poll.KernelPollable;
import io.accel.core.poll.Pollable;
import io.accel.core.socket.ChannelAnchor;
import io.accel.core.socket.StreamListener;
import io.accel.core.socket.StreamSocket;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;

/** A listener of the kernel's, whose connections may move to faster paths. */
public final class AccelServerSocketChannel extends AbstractAccelChannel implements ServerSocketChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);
    private static final InternalLogger LOG = InternalLoggerFactory.getInstance(AccelServerSocketChannel.class);

    private final java.nio.channels.ServerSocketChannel kernel;
    private final StreamListener listener;
    private final KernelPollable pollable;
    private final AccelServerSocketChannelConfig config;

    private volatile InetSocketAddress bound;
    private volatile boolean closed;

    /** Opens a listener for IPv6 and IPv4, as the JDK does. */
    public AccelServerSocketChannel() {
        this(null);
    }

    /**
     * Opens a listener of one protocol family.
     *
     * @param family the family, or null for the JDK's default
     * @throws ChannelException if the kernel's socket cannot be opened
     */
    public AccelServerSocketChannel(SocketProtocolFamily family) {
        super(null, AccelIoOps.ACCEPT);
        kernel = open(family);
        listener = new StreamListener(Accel.accelerator());
        pollable = new KernelPollable(kernel);
        config = new AccelServerSocketChannelConfig(this, new SocketOptions(kernel));
    }

    private static java.nio.channels.ServerSocketChannel open(SocketProtocolFamily family) {
        Accel.ensureAvailability();
        try {
            java.nio.channels.ServerSocketChannel channel = family == null
                    ? JdkAccess.kernelProvider().openServerSocketChannel()
                    : JdkAccess.kernelProvider().openServerSocketChannel(family.toJdkFamily());
            channel.configureBlocking(false);
            return channel;
        } catch (IOException e) {
            throw new ChannelException("cannot open a listening socket", e);
        }
    }

    @Override
    Pollable pollable() {
        return pollable;
    }

    @Override
    public AccelServerSocketChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public boolean isActive() {
        return bound != null && !closed;
    }

    /**
     * Returns whether connections may move to a fabric; false before {@code bind}, and where a rule or a failure leaves only the
     * kernel.
     */
    public boolean isAccelerated() {
        return listener.isAccelerated();
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    protected SocketAddress localAddress0() {
        return bound;
    }

    /** Returns null: a listener has no remote address. */
    @Override
    public InetSocketAddress remoteAddress() {
        return null;
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return null;
    }

    @Override
    protected void doBind(SocketAddress local) throws Exception {
        if (local instanceof InetSocketAddress internet && internet.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        kernel.bind(local, config.getBacklog());
        // The JDK tells a program with few rights another address than the one by which clients find the listener.
        if (!(kernel.getLocalAddress() instanceof InetSocketAddress told)
                || !(Privileged.call(kernel::getLocalAddress) instanceof InetSocketAddress address)) {
            throw new UnsupportedAddressTypeException();
        }
        listener.bound(address);
        bound = told;
        activated();
    }

    @Override
    protected void doClose() throws Exception {
        closed = true;
        listener.close();
        pollable.close();
        kernel.close();
    }

    // ---- what a listener does not do

    @Override
    protected void doDisconnect() {
        throw new UnsupportedOperationException("a listener is not connected");
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) {
        throw new UnsupportedOperationException("a listener does not write");
    }

    @Override
    protected Object filterOutboundMessage(Object msg) {
        throw new UnsupportedOperationException("a listener does not write");
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new ListenerUnsafe();
    }

    private final class ListenerUnsafe extends AbstractAccelUnsafe {
        @Override
        public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            safeSetFailure(promise, new UnsupportedOperationException("a listener does not connect"));
        }

        @Override
        void read() {
            ChannelPipeline pipeline = pipeline();
            RecvByteBufAllocator.ExtendedHandle handle = recvBufAllocHandle();
            handle.reset(config);
            handle.attemptedBytesRead(1);
            Throwable failure = null;
            try {
                do {
                    AccelSocketChannel accepted = accept();
                    if (accepted == null) {
                        break;
                    }
                    handle.lastBytesRead(1);
                    handle.incMessagesRead(1);
                    readPending = false;
                    pipeline.fireChannelRead(accepted);
                } while (isOpen() && handle.continueReading());
            } catch (IOException | RuntimeException e) {
                failure = e;
            }
            try {
                handle.readComplete();
                pipeline.fireChannelReadComplete();
                if (failure != null) {
                    // The listener goes on: a process that is out of descriptors now may have some again soon.
                    pipeline.fireExceptionCaught(failure);
                }
            } finally {
                stopReadingUnlessWanted();
            }
        }

        private AccelSocketChannel accept() throws IOException {
            java.nio.channels.SocketChannel accepted = kernel.accept();
            if (accepted == null) {
                return null;
            }
            accepted.configureBlocking(false);
            StreamSocket socket = listener.accepted(new ChannelAnchor(accepted));
            try {
                return new AccelSocketChannel(AccelServerSocketChannel.this, socket, accepted);
            } catch (IOException | RuntimeException e) {
                LOG.warn("an accepted connection was gone before it became a channel", e);
                socket.close(() -> true, false);
                accepted.close();
                return null;
            }
        }
    }
}
