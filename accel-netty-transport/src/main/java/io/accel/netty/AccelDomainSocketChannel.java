// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.jdk.JdkAccess;
import io.accel.core.socket.StreamSocket;
import io.accel.core.socket.UnixAnchor;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelException;
import io.netty.channel.ServerChannel;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;

/**
 * A Unix-domain stream of the kernel's, whose bytes move to shared memory if its peer has Accel, too. {@link #path()} tells which path
 * they take. No setting is needed for that, since the program has chosen this class; {@code unix.streams=false} in its profile leaves
 * all these streams to the kernel.
 *
 * <p>This has the shape of Netty's own {@code NioDomainSocketChannel}: its addresses are {@link UnixDomainSocketAddress}es, and it is no
 * {@code io.netty.channel.unix.DomainSocketChannel}. That interface belongs to Netty's native transports. Its addresses are of their
 * own type, and it shows the descriptor and passes others, past the stream that Accel counts. So a program changes the class in its
 * bootstrap, and, if it comes from a native transport, the type of its addresses; the error for another type says so.
 *
 * <p>Options are {@code SO_RCVBUF}, {@code SO_SNDBUF}, {@code ALLOW_HALF_CLOSURE}, {@link AccelChannelOption#RECEIVE_SLICES}, and those of
 * the JDK ({@link AccelChannelOption#of}), such as {@code ExtendedSocketOptions.SO_PEERCRED}. A close with bytes unread resets the
 * connection on either path, as the kernel does.
 */
public final class AccelDomainSocketChannel extends AbstractAccelSocketChannel {
    private final DomainConfig config;

    /**
     * Opens a channel that is not connected.
     *
     * @throws ChannelException if the kernel's socket cannot be opened
     */
    public AccelDomainSocketChannel() {
        this(open());
    }

    /** A channel over a new one of the JDK's. */
    private AccelDomainSocketChannel(UnconnectedChannel opened) {
        super(null, opened.stream(), opened.kernel());
        config = new DomainConfig(this);
    }

    /**
     * Takes a connection over that the program has made itself, as {@link AccelSocketChannel#AccelSocketChannel(SocketChannel)} does.
     *
     * @param connected a connected channel, of Accel's or of the JDK's
     * @throws IllegalArgumentException if the channel is not connected, no Unix-domain channel, or of another provider
     * @throws ChannelException if it cannot be taken over, and is closed: it was closed already, or {@code fallback=fail} refuses it
     */
    public AccelDomainSocketChannel(SocketChannel connected) {
        super(GivenConnection.byUnix(connected));
        config = new DomainConfig(this);
        usableAsGiven();
    }

    /** Wraps an accepted connection. */
    AccelDomainSocketChannel(AccelServerDomainSocketChannel parent, StreamSocket socket, SocketChannel kernel)
            throws IOException {
        super(parent, socket, kernel);
        config = new DomainConfig(this);
        usable();
    }

    private static UnconnectedChannel open() {
        return UnconnectedChannel.open(
                () -> JdkAccess.kernelProvider().openSocketChannel(StandardProtocolFamily.UNIX),
                UnixAnchor::connecting);
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    AbstractAccelStreamConfig options() {
        return config;
    }

    @Override
    public ServerChannel parent() {
        return (ServerChannel) super.parent();
    }

    @Override
    void check(SocketAddress address) {
        UnixDomainSocketAddress unused = DomainAddresses.check(address, AccelSocketChannel.class);
    }

    private static final class DomainConfig extends AbstractAccelStreamConfig {
        DomainConfig(AccelDomainSocketChannel channel) {
            super(channel, new SocketOptions(channel.kernel));
            followSendBuffer();
        }
    }
}
