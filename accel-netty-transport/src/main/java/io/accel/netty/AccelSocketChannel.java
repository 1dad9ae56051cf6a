// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.jdk.JdkAccess;
import io.accel.core.socket.ChannelAnchor;
import io.accel.core.socket.StreamSocket;
import io.netty.channel.ChannelException;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;

/**
 * A stream connection of the kernel's, whose bytes move to a faster path if its peer can be reached by one. {@link #path()} tells
 * which path they take.
 */
public final class AccelSocketChannel extends AbstractAccelSocketChannel implements SocketChannel {
    private final AccelSocketChannelConfig config;

    /** Opens a channel that is not connected, for IPv6 and IPv4, as the JDK does. */
    public AccelSocketChannel() {
        this((SocketProtocolFamily) null);
    }

    /**
     * Opens a channel that is not connected, of one protocol family.
     *
     * @param family the family, or null for the JDK's default
     * @throws ChannelException if the kernel's socket cannot be opened
     */
    public AccelSocketChannel(SocketProtocolFamily family) {
        this(open(family));
    }

    /** A channel over a new one of the JDK's. */
    private AccelSocketChannel(UnconnectedChannel opened) {
        super(null, opened.stream(), opened.kernel());
        config = new AccelSocketChannelConfig(this, new SocketOptions(kernel, socket));
    }

    /**
     * Takes a connection over that the program has made itself, to be registered with an event loop of Accel's. The channel given is this
     * one's from now on: the program does not use it any more, and it is closed with this.
     *
     * <p>A channel of Accel's own ({@code io.accel.nio}) goes on as it is, on a faster path or on its way to one. A connection that was
     * made by the JDK's own provider stays with the kernel for ever, since its bytes were not counted from the beginning; {@link #path()}
     * says {@code FOREIGN_CHANNEL}, and the log has a line.
     *
     * @param connected a connected channel, of Accel's or of the JDK's
     * @throws IllegalArgumentException if the channel is not connected by TCP, or of another provider
     * @throws ChannelException if it cannot be taken over, and is closed: it was closed already, or {@code fallback=fail} refuses it
     */
    public AccelSocketChannel(java.nio.channels.SocketChannel connected) {
        super(GivenConnection.byTcp(connected));
        config = new AccelSocketChannelConfig(this, new SocketOptions(kernel, socket));
        usableAsGiven();
    }

    /** Wraps an accepted connection. */
    AccelSocketChannel(AccelServerSocketChannel parent, StreamSocket socket, java.nio.channels.SocketChannel kernel)
            throws IOException {
        super(parent, socket, kernel);
        config = new AccelSocketChannelConfig(this, new SocketOptions(kernel, socket));
        usable();
    }

    private static UnconnectedChannel open(SocketProtocolFamily family) {
        return UnconnectedChannel.open(
                () -> family == null
                        ? JdkAccess.kernelProvider().openSocketChannel()
                        : JdkAccess.kernelProvider().openSocketChannel(family.toJdkFamily()),
                ChannelAnchor::new);
    }

    @Override
    public AccelSocketChannelConfig config() {
        return config;
    }

    @Override
    AbstractAccelStreamConfig options() {
        return config;
    }

    @Override
    public ServerSocketChannel parent() {
        return (ServerSocketChannel) super.parent();
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return (InetSocketAddress) super.remoteAddress();
    }

    @Override
    Executor closeExecutor() {
        if (!isOpen() || socket.attached() != null) {
            return null;
        }
        try {
            if (linger() > 0) {
                // The close will block, so nothing may wait for the socket any more.
                doDeregister();
                return GlobalEventExecutor.INSTANCE;
            }
        } catch (Exception e) {
            return null; // closed meanwhile: there is nothing to linger for
        }
        return null;
    }
}
