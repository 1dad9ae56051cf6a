package io.accel.nio;

import io.accel.core.daemon.KernelOnly;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.poll.Poller;
import io.accel.core.runtime.AccelRuntime;
import io.accel.core.socket.Accelerator;
import io.accel.core.socket.ChannelAnchor;
import io.accel.core.socket.StreamSocket;
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
 * The entrance: with {@code -Djava.nio.channels.spi.SelectorProvider=io.accel.nio.AccelSelectorProvider} the JVM opens its
 * channels and selectors here. Channels are accelerated where the peer can be reached by a fabric; pipes and
 * Unix-domain channels are the JDK's own, and selectable together with ours. In profile {@code off}
 * everything is the JDK's own.
 */
public final class AccelSelectorProvider extends DatagramSource {
    private final SelectorProvider kernel;
    private final Accelerator accelerator;

    /** Called by the JVM, once, with the profile that the system properties name. */
    public AccelSelectorProvider() {
        this(AccelRuntime.get().accelerator());
    }

    /**
     * A provider with a profile of its own, for programs that open channels by a provider they name.
     *
     * @param profile the profile
     */
    public AccelSelectorProvider(Profile profile) {
        this(new Accelerator(profile));
    }

    private AccelSelectorProvider(Accelerator accelerator) {
        this.kernel = JdkAccess.kernelProvider();
        this.accelerator = accelerator;
    }

    /** The profile at work. */
    Accelerator accelerator() {
        return accelerator;
    }

    SelectorProvider kernel() {
        return kernel;
    }

    @Override
    public SocketChannel openSocketChannel() throws IOException {
        SocketChannel channel = kernel.openSocketChannel();
        return isAccelerating() ? wrap(channel, null) : channel;
    }

    @Override
    public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
        if (isUnix(family)) {
            return JdkAccess.openUnixSocket(this);
        }
        SocketChannel channel = kernel.openSocketChannel(Objects.requireNonNull(family, "family"));
        return isAccelerating() ? wrap(channel, family) : channel;
    }

    /** Whether what is opened now is Accel's: not in profile {@code off}, and not what Accel itself serves. */
    private boolean isAccelerating() {
        return accelerator.isOn() && !KernelOnly.isCurrent();
    }

    /** Unix-domain channels are the JDK's own, as pipes are: there is nothing faster that carries them. */
    private boolean isUnix(ProtocolFamily family) {
        return isAccelerating() && family == StandardProtocolFamily.UNIX;
    }

    private SocketChannel wrap(SocketChannel channel, ProtocolFamily family) {
        return new AccelSocketChannel(this, new StreamSocket(accelerator, new ChannelAnchor(channel)), channel, family);
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() throws IOException {
        ServerSocketChannel channel = kernel.openServerSocketChannel();
        return isAccelerating() ? new AccelServerSocketChannel(this, channel, null) : channel;
    }

    @Override
    public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException {
        if (isUnix(family)) {
            return JdkAccess.openUnixListener(this);
        }
        ServerSocketChannel channel = kernel.openServerSocketChannel(Objects.requireNonNull(family, "family"));
        return isAccelerating() ? new AccelServerSocketChannel(this, channel, family) : channel;
    }

    @Override
    public AbstractSelector openSelector() throws IOException {
        if (!isAccelerating()) {
            return kernel.openSelector();
        }
        Poller poller = accelerator.openPoller();
        return new AccelSelector(this, poller);
    }

    @Override
    public DatagramChannel openDatagramChannel() throws IOException {
        DatagramChannel channel = kernel.openDatagramChannel();
        return isAccelerating() ? new AccelDatagramChannel(this, channel, null) : channel;
    }

    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
        DatagramChannel channel = kernel.openDatagramChannel(family);
        return isAccelerating() ? new AccelDatagramChannel(this, channel, family) : channel;
    }

    /**
     * A channel whose adaptor is to be under a {@link java.net.DatagramSocket}, and which no interrupt closes. For the JDK.
     *
     * @return the channel
     */
    @Override
    public DatagramChannel get() {
        try {
            DatagramChannel channel = kernel.openDatagramChannel();
            return isAccelerating() ? AccelDatagramChannel.uninterruptible(this, channel) : channel;
        } catch (IOException e) {
            throw SocketExceptions.<RuntimeException>undeclared(e); // as the socket's constructor throws it
        }
    }

    @Override
    public Pipe openPipe() throws IOException {
        return kernel.openPipe();
    }

    @Override
    public Channel inheritedChannel() throws IOException {
        return kernel.inheritedChannel();
    }
}
