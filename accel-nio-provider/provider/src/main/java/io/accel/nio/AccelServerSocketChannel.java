// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import io.accel.core.daemon.Privileged;
import io.accel.core.poll.KernelPollable;
import io.accel.core.socket.Anchor;
import io.accel.core.socket.ChannelAnchor;
import io.accel.core.socket.PlainStream;
import io.accel.core.socket.Relief;
import io.accel.core.socket.StreamListener;
import io.accel.core.socket.UnixAnchor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A listening channel of the JDK's own, whose connections may get links. Safe for use by many threads, as {@link
 * ServerSocketChannel} promises.
 */
public final class AccelServerSocketChannel extends ServerSocketChannel {
    private final AccelSelectorProvider provider;
    private final ServerSocketChannel kernel;
    /** Whether it accepts Unix-domain connections, and not TCP's. */
    private final boolean isUnix;

    private final StreamListener listener;
    /** Made when a selector first watches this; null before that. Written under the listener's monitor. */
    private volatile KernelPollable pollable;

    private ServerSocket socket; // guarded by this

    /**
     * Opens one over the JDK's.
     *
     * @param isUnix whether its connections are Unix-domain connections, and not TCP's
     */
    static ServerSocketChannel over(AccelSelectorProvider provider, ServerSocketChannel kernel, boolean isUnix) {
        return new AccelServerSocketChannel(provider, kernel, isUnix);
    }

    private AccelServerSocketChannel(AccelSelectorProvider provider, ServerSocketChannel kernel, boolean isUnix) {
        super(provider);
        this.provider = provider;
        this.kernel = kernel;
        this.isUnix = isUnix;
        this.listener = new StreamListener(provider.accelerator());
    }

    KernelPollable pollable() {
        KernelPollable made = pollable;
        return made != null ? made : makePollable();
    }

    private KernelPollable makePollable() {
        synchronized (listener) {
            if (pollable == null) {
                KernelPollable made = new KernelPollable(kernel);
                if (!isOpen()) {
                    made.close(); // a later close finds it
                }
                pollable = made;
            }
            return pollable;
        }
    }

    private KernelPollable pollableOrNull() {
        synchronized (listener) {
            return pollable;
        }
    }

    @Override
    public ServerSocketChannel bind(SocketAddress local, int backlog) throws IOException {
        kernel.bind(local, backlog);
        SocketAddress at = Privileged.localAddress(kernel);
        try {
            if (at instanceof InetSocketAddress bound) {
                listener.bound(bound);
            } else if (isUnix) {
                listener.boundToFile(at);
            }
        } catch (IOException e) {
            close();
            throw e;
        }
        return this;
    }

    @Override
    public SocketChannel accept() throws IOException {
        for (int tries = 1; ; tries++) {
            try {
                return wrap(kernel.accept());
            } catch (IOException e) {
                if (!mayTryAgain(e, tries)) {
                    return null;
                }
            }
        }
    }

    private SocketChannel acceptWithin(long timeoutNanos) throws IOException {
        for (int tries = 1; ; tries++) {
            try {
                kernel.socket().setSoTimeout(AccelSocketChannel.toMillis(timeoutNanos));
                return wrap(kernel.socket().accept().getChannel());
            } catch (IOException e) {
                if (!mayTryAgain(e, tries)) {
                    throw failed(e);
                }
            }
        }
    }

    /**
     * Gives links back if an accept failed for want of a descriptor that the program would have without them.
     *
     * @return false in non-blocking mode while links are on their way back, so that there is no connection to accept yet
     * @throws IOException the failure, if there is nothing to try again for
     */
    private boolean mayTryAgain(IOException e, int tries) throws IOException {
        boolean waits = kernel.isBlocking();
        long most = waits ? Relief.PATIENCE_NANOS : Relief.HARDLY_NANOS;
        Relief.Outcome outcome = Relief.after(e, provider.accelerator().waits(), most, tries);
        if (outcome == Relief.Outcome.NONE || (outcome == Relief.Outcome.UNDER_WAY && waits)) {
            throw failed(e);
        }
        return outcome == Relief.Outcome.DONE;
    }

    private SocketChannel wrap(SocketChannel accepted) {
        if (accepted == null) {
            return null;
        }
        PlainStream stream = null;
        SocketChannel wrapped = null;
        try {
            Anchor anchor = isUnix ? UnixAnchor.accepted(accepted, listener) : ChannelAnchor.of(accepted);
            stream = listener.acceptedPlain(anchor);
            wrapped = AccelSocketChannel.over(provider, stream, accepted);
            return wrapped;
        } finally {
            if (wrapped == null) {
                StreamListener.drop(stream, accepted);
            }
        }
    }

    /** Called when the JDK's channel has failed. If an interrupt closed it, this closes, too. Returns the exception to throw. */
    private IOException failed(IOException e) throws IOException {
        if (!kernel.isOpen() && isOpen()) {
            close();
        }
        return e;
    }

    @Override
    public synchronized ServerSocket socket() {
        if (socket == null) {
            Objects.requireNonNull(kernel.socket(), "socket"); // which throws for a family that has none
            socket = Hooks.socket(this);
        }
        return socket;
    }

    /** The hooks for the adaptor alone, so that programs do not see them; they make it, too. */
    private static final class Hooks implements ServerSocketHooks, Supplier<ServerSocket> {
        private final AccelServerSocketChannel channel;

        private Hooks(AccelServerSocketChannel channel) {
            this.channel = channel;
        }

        /** A class that calls this can be loaded without those of the adaptor. */
        static ServerSocket socket(AccelServerSocketChannel channel) {
            return Privileged.get(new Hooks(channel));
        }

        @Override
        public ServerSocket get() {
            return new AccelServerSocket(this);
        }

        @Override
        public ServerSocketChannel channel() {
            return channel;
        }

        @Override
        public SocketChannel acceptBlocking(long timeoutNanos) throws IOException {
            return channel.acceptWithin(timeoutNanos);
        }

        @Override
        public InetSocketAddress localAddressOrNull() {
            return (InetSocketAddress) channel.kernel.socket().getLocalSocketAddress();
        }
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        return kernel.getLocalAddress();
    }

    @Override
    public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
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
    protected void implCloseSelectableChannel() throws IOException {
        try {
            listener.close();
        } finally {
            try {
                KernelPollable watched = pollableOrNull(); // this is not open any more: a later one is closed
                if (watched != null) {
                    watched.close();
                }
            } finally {
                kernel.close();
            }
        }
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        KernelPollable watched = pollable;
        if (watched != null) {
            watched.endRegistrations(AccelSocketChannel::isOver);
        }
        kernel.configureBlocking(block);
    }

    @Override
    public String toString() {
        return kernel.toString(); // the text is the JDK's, as that of AccelSocketChannel
    }
}
