// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import io.accel.core.daemon.Privileged;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.socket.Anchor;
import io.accel.core.socket.ChannelAnchor;
import io.accel.core.socket.StreamSocket;
import io.netty.channel.ChannelException;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketProtocolFamily;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;

/** A listener of the kernel's, whose connections may move to faster paths. */
public final class AccelServerSocketChannel extends AbstractAccelServerChannel implements ServerSocketChannel {
    private final AccelServerSocketChannelConfig config;

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
        super(open(() -> family == null
                ? JdkAccess.kernelProvider().openServerSocketChannel()
                : JdkAccess.kernelProvider().openServerSocketChannel(family.toJdkFamily())));
        config = new AccelServerSocketChannelConfig(this, new SocketOptions(kernel));
    }

    @Override
    public AccelServerSocketChannelConfig config() {
        return config;
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    /** Returns null: a listener has no remote address. */
    @Override
    public InetSocketAddress remoteAddress() {
        return null;
    }

    @Override
    SocketAddress listen(SocketAddress local) throws IOException {
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
        return told;
    }

    @Override
    Anchor anchor(SocketChannel accepted) {
        return new ChannelAnchor(accepted);
    }

    @Override
    AbstractAccelSocketChannel wrap(StreamSocket socket, SocketChannel accepted) throws IOException {
        return new AccelSocketChannel(this, socket, accepted);
    }
}
