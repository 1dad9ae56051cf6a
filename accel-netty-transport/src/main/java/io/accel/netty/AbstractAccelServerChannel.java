// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.poll.KernelPollable;
import io.accel.core.poll.Pollable;
import io.accel.core.socket.Anchor;
import io.accel.core.socket.Relief;
import io.accel.core.socket.StreamListener;
import io.accel.core.socket.StreamSocket;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.ServerChannel;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** A listener of the kernel's, of either kind of addresses, whose connections may move to faster paths. */
abstract class AbstractAccelServerChannel extends AbstractAccelChannel implements ServerChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);
    private static final InternalLogger LOG = InternalLoggerFactory.getInstance(AccelServerSocketChannel.class);

    /** The JDK's channel. */
    final ServerSocketChannel kernel;

    final StreamListener listener;
    private final KernelPollable pollable;

    private volatile SocketAddress bound;
    private volatile boolean closed;

    /**
     * A listener that is not bound.
     *
     * @param kernel the JDK's channel, in non-blocking mode
     */
    AbstractAccelServerChannel(ServerSocketChannel kernel) {
        super(null, AccelIoOps.ACCEPT);
        this.kernel = kernel;
        listener = new StreamListener(Accel.accelerator());
        pollable = new KernelPollable(kernel);
    }

    /** Opens the JDK's channel. Throws a {@link ChannelException} if the kernel's socket cannot be opened. */
    static ServerSocketChannel open(KernelOpening<ServerSocketChannel> opening) {
        return KernelOpening.nonBlocking("a listening socket", opening);
    }

    /** Binds the JDK's channel, and opens the listener to the fabrics. Returns the address that the program is told. */
    abstract SocketAddress listen(SocketAddress local) throws IOException;

    /** The anchor of an accepted connection. */
    abstract Anchor anchor(SocketChannel accepted);

    /** Makes the channel of an accepted connection. */
    abstract AbstractAccelSocketChannel wrap(StreamSocket socket, SocketChannel accepted) throws IOException;

    @Override
    Pollable pollable() {
        return pollable;
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
    protected SocketAddress localAddress0() {
        return bound;
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return null;
    }

    @Override
    protected void doBind(SocketAddress local) throws Exception {
        bound = listen(local);
        activated();
    }

    @Override
    protected void doClose() throws Exception {
        closed = true;
        try {
            listener.close();
        } finally {
            try {
                pollable.close();
            } finally {
                kernel.close();
            }
        }
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
            handle.reset(config());
            handle.attemptedBytesRead(1);
            Throwable failure = null;
            try {
                do {
                    AbstractAccelSocketChannel accepted = accept();
                    if (accepted == null) {
                        break;
                    }
                    handle.lastBytesRead(1);
                    handle.incMessagesRead(1);
                    readPending = false;
                    pipeline.fireChannelRead(accepted);
                } while (isOpen() && handle.continueReading());
            } catch (Throwable e) { // as in Netty's own transports
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

        /** Accepts, and gives links back if there is no descriptor for that. Null if there is no connection to accept yet. */
        private SocketChannel acceptFromKernel() throws IOException {
            for (int tries = 1; ; tries++) {
                try {
                    return kernel.accept();
                } catch (IOException e) {
                    switch (Relief.after(e, Accel.accelerator().waits(), Relief.HARDLY_NANOS, tries)) {
                        case NONE -> throw e;
                        case UNDER_WAY -> {
                            return null;
                        }
                        case DONE -> {} // there is one now
                    }
                }
            }
        }

        private AbstractAccelSocketChannel accept() throws IOException {
            SocketChannel accepted = acceptFromKernel();
            if (accepted == null) {
                return null;
            }
            StreamSocket socket = null;
            AbstractAccelSocketChannel wrapped = null;
            try {
                accepted.configureBlocking(false);
                socket = listener.accepted(anchor(accepted));
                wrapped = wrap(socket, accepted);
            } catch (IOException | RuntimeException e) {
                LOG.warn("an accepted connection was gone before it became a channel", e);
            } finally {
                if (wrapped == null) {
                    StreamListener.drop(socket, accepted);
                }
            }
            return wrapped;
        }
    }
}
