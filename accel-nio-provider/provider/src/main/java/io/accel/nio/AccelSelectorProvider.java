// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import io.accel.core.daemon.KernelOnly;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.poll.Poller;
import io.accel.core.runtime.AccelRuntime;
import io.accel.core.socket.Accelerator;
import io.accel.core.socket.Anchor;
import io.accel.core.socket.ChannelAnchor;
import io.accel.core.socket.PlainStream;
import io.accel.core.socket.Relief;
import io.accel.core.socket.UnixAnchor;
import io.accel.profile.Keys;
import io.accel.profile.Mode;
import io.accel.profile.Profile;
import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Objects;

/**
 * The entry point: with {@code -Djava.nio.channels.spi.SelectorProvider=io.accel.nio.AccelSelectorProvider} the JVM opens its
 * channels and selectors here. Channels are accelerated where the peer can be reached by a fabric; pipes, and
 * Unix-domain channels unless the profile lets them move, are the JDK's own, and selectable together with ours. In profile {@code off}
 * everything is the JDK's own.
 */
public final class AccelSelectorProvider extends DatagramSource {
    private final SelectorProvider kernel;
    /** Null if nothing is accelerated, as in profile {@code off}. */
    private final Accelerator accelerator;

    /** Called once by the JVM, with the profile that the system properties name. */
    public AccelSelectorProvider() {
        this(AccelRuntime.get());
    }

    private AccelSelectorProvider(AccelRuntime runtime) {
        this(runtime.isOn() ? runtime.accelerator() : null);
    }

    /**
     * Creates a provider with a profile of its own, for programs that open channels through a provider that they name.
     *
     * @param profile the profile
     */
    public AccelSelectorProvider(Profile profile) {
        this(profile.get(Keys.MODE) == Mode.ACCELERATE ? new Accelerator(profile) : null);
    }

    /** Creates a provider with a profile that is at work. */
    AccelSelectorProvider(Accelerator accelerator) {
        this.kernel = JdkAccess.kernelProvider();
        this.accelerator = accelerator;
    }

    /** Returns the accelerator of this provider's profile; null if nothing is accelerated. */
    Accelerator accelerator() {
        return accelerator;
    }

    SelectorProvider kernel() {
        return kernel;
    }

    @Override
    public SocketChannel openSocketChannel() throws IOException {
        SocketChannel channel;
        try {
            channel = kernel.openSocketChannel();
        } catch (IOException e) {
            channel = again(e, kernel::openSocketChannel);
        }
        return isAccelerating() ? wrap(channel, ChannelAnchor.of(channel)) : channel;
    }

    @Override
    public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
        if (isUnix(family)) {
            SocketChannel unix;
            try {
                unix = JdkAccess.openUnixSocket(this);
            } catch (IOException e) {
                unix = again(e, () -> JdkAccess.openUnixSocket(this));
            }
            return accelerator.movesUnixStreams() ? wrap(unix, UnixAnchor.connecting(unix)) : unix;
        }
        Objects.requireNonNull(family, "family");
        SocketChannel channel;
        try {
            channel = kernel.openSocketChannel(family);
        } catch (IOException e) {
            channel = again(e, () -> kernel.openSocketChannel(family));
        }
        return isAccelerating() ? wrap(channel, ChannelAnchor.of(channel)) : channel;
    }

    /** Whether a channel opened now is Accel's: not in profile {@code off}, and not where Accel opens it for itself. */
    private boolean isAccelerating() {
        return accelerator != null && !KernelOnly.isCurrent();
    }

    /** Whether this is the family of Unix-domain channels, which are the JDK's own if they may not move. */
    private boolean isUnix(ProtocolFamily family) {
        return isAccelerating() && family == StandardProtocolFamily.UNIX;
    }

    /** Opens one of the JDK's, for which there was no descriptor: links are given back. */
    private <T> T again(IOException failure, Relief.Operation<T> opening) throws IOException {
        if (accelerator == null) {
            throw failure;
        }
        return Relief.again(failure, opening, accelerator.waits());
    }

    private SocketChannel wrap(SocketChannel channel, Anchor anchor) {
        return AccelSocketChannel.over(this, new PlainStream(accelerator, anchor), channel);
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() throws IOException {
        ServerSocketChannel channel;
        try {
            channel = kernel.openServerSocketChannel();
        } catch (IOException e) {
            channel = again(e, kernel::openServerSocketChannel);
        }
        return isAccelerating() ? AccelServerSocketChannel.over(this, channel, false) : channel;
    }

    @Override
    public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException {
        if (isUnix(family)) {
            ServerSocketChannel unix;
            try {
                unix = JdkAccess.openUnixListener(this);
            } catch (IOException e) {
                unix = again(e, () -> JdkAccess.openUnixListener(this));
            }
            return accelerator.movesUnixStreams() ? AccelServerSocketChannel.over(this, unix, true) : unix;
        }
        Objects.requireNonNull(family, "family");
        ServerSocketChannel channel;
        try {
            channel = kernel.openServerSocketChannel(family);
        } catch (IOException e) {
            channel = again(e, () -> kernel.openServerSocketChannel(family));
        }
        return isAccelerating() ? AccelServerSocketChannel.over(this, channel, false) : channel;
    }

    @Override
    public AbstractSelector openSelector() throws IOException {
        if (!isAccelerating()) {
            return kernel.openSelector();
        }
        Poller poller;
        try {
            poller = accelerator.openPoller();
        } catch (IOException e) {
            poller = again(e, accelerator::openPoller);
        }
        return AccelSelector.over(this, poller);
    }

    @Override
    public DatagramChannel openDatagramChannel() throws IOException {
        DatagramChannel channel = openDatagrams();
        return isAccelerating() ? AccelDatagramChannel.over(this, channel, null) : channel;
    }

    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
        DatagramChannel channel;
        try {
            channel = kernel.openDatagramChannel(family);
        } catch (IOException e) {
            channel = again(e, () -> kernel.openDatagramChannel(family));
        }
        return isAccelerating() ? AccelDatagramChannel.over(this, channel, family) : channel;
    }

    /**
     * Opens a channel whose adaptor is put under a {@link java.net.DatagramSocket}, and which no interrupt closes. Called by the JDK.
     *
     * @return the channel
     */
    @Override
    public DatagramChannel get() {
        try {
            if (!isAccelerating()) {
                return openDatagrams();
            }
            DatagramChannel channel;
            try {
                channel = JdkAccess.openUninterruptibleDatagrams();
            } catch (IOException e) {
                channel = again(e, JdkAccess::openUninterruptibleDatagrams);
            }
            return channel == null
                    ? AccelDatagramChannel.uninterruptible(this, openDatagrams(), false)
                    : AccelDatagramChannel.uninterruptible(this, channel, true);
        } catch (IOException e) {
            throw SocketExceptions.<RuntimeException>undeclared(e); // the socket's constructor throws it to the program
        }
    }

    private DatagramChannel openDatagrams() throws IOException {
        try {
            return kernel.openDatagramChannel();
        } catch (IOException e) {
            return again(e, kernel::openDatagramChannel);
        }
    }

    @Override
    public Pipe openPipe() throws IOException {
        try {
            return kernel.openPipe();
        } catch (IOException e) {
            return again(e, kernel::openPipe);
        }
    }

    @Override
    public Channel inheritedChannel() throws IOException {
        return kernel.inheritedChannel();
    }
}
