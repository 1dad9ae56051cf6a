// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.vertx;

import io.accel.netty.AccelChannelOption;
import io.accel.netty.AccelDatagramChannel;
import io.accel.netty.AccelDomainSocketChannel;
import io.accel.netty.AccelIoHandler;
import io.accel.netty.AccelServerDomainSocketChannel;
import io.accel.netty.AccelServerSocketChannel;
import io.accel.netty.AccelSocketChannel;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.net.TcpConfig;
import io.vertx.core.net.TcpOption;
import io.vertx.core.spi.transport.Transport;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.util.function.Supplier;
import jdk.net.ExtendedSocketOptions;

/**
 * Accel's event loops and channels for Vert.x. TCP options that the JDK knows are set on the kernel's socket, as on Vert.x's native
 * transports. Options that the JDK does not know (fast open, cork, user time-out) are ignored, as on its NIO transport. Unix-domain
 * sockets have none of these options. Stateless.
 */
final class AccelTransport implements Transport {
    @Override
    public IoHandlerFactory ioHandlerFactory() {
        return AccelIoHandler.newFactory();
    }

    @Override
    public boolean supportsDomainSockets() {
        return true;
    }

    @Override
    public SocketAddress convert(io.vertx.core.net.SocketAddress address) {
        return address.isDomainSocket() ? UnixDomainSocketAddress.of(address.path()) : Transport.super.convert(address);
    }

    /** A path stays as the program gave it, and that of a client empty: Vert.x tells the server's in its place. */
    @Override
    public io.vertx.core.net.SocketAddress convert(SocketAddress address) {
        return address instanceof UnixDomainSocketAddress unix
                ? io.vertx.core.net.SocketAddress.domainSocketAddress(
                        unix.getPath().toString())
                : Transport.super.convert(address);
    }

    @Override
    public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
        return domainSocket ? AccelDomainSocketChannel::new : AccelSocketChannel::new;
    }

    @Override
    public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
        return domainSocket ? AccelServerDomainSocketChannel::new : AccelServerSocketChannel::new;
    }

    @Override
    @SuppressWarnings("deprecation") // Vert.x's interface has this type
    public DatagramChannel datagramChannel(InternetProtocolFamily family) {
        return new AccelDatagramChannel(family.toSocketProtocolFamily());
    }

    @Override
    public ChannelFactory<? extends DatagramChannel> datagramChannelFactory() {
        return AccelDatagramChannel::new;
    }

    @Override
    public void configure(TcpConfig config, boolean domainSocket, ServerBootstrap bootstrap) {
        if (!domainSocket) {
            if (config.isSoReusePort()) {
                bootstrap.option(AccelChannelOption.of(StandardSocketOptions.SO_REUSEPORT), true);
            }
            setNativeOptions(config, bootstrap::childOption);
        }
        Transport.super.configure(config, domainSocket, bootstrap);
    }

    @Override
    public void configure(TcpConfig config, boolean domainSocket, Bootstrap bootstrap) {
        if (!domainSocket) {
            setNativeOptions(config, bootstrap::option);
        }
        Transport.super.configure(config, domainSocket, bootstrap);
    }

    /** Sets the options that Vert.x sets on its native transports alone. A time or count of 0 sets nothing, as there. */
    private static void setNativeOptions(TcpConfig config, Setter setter) {
        Boolean quickAck = config.getOption(TcpOption.QUICKACK);
        if (quickAck != null) {
            setter.set(AccelChannelOption.of(ExtendedSocketOptions.TCP_QUICKACK), quickAck);
        }
        setIfPositive(config, TcpOption.KEEPIDLE, () -> ExtendedSocketOptions.TCP_KEEPIDLE, setter);
        setIfPositive(config, TcpOption.KEEPINTVL, () -> ExtendedSocketOptions.TCP_KEEPINTERVAL, setter);
        setIfPositive(config, TcpOption.KEEPCNT, () -> ExtendedSocketOptions.TCP_KEEPCOUNT, setter);
    }

    /** Sets an option if its value is positive. The JDK's option is not touched before: a run-time image may lack its module. */
    private static void setIfPositive(
            TcpConfig config, TcpOption<Integer> option, Supplier<SocketOption<Integer>> jdks, Setter setter) {
        Integer value = config.getOption(option);
        if (value != null && value > 0) {
            setter.set(AccelChannelOption.of(jdks.get()), value);
        }
    }

    /** Sets an option of the connections that a bootstrap makes. */
    private interface Setter {
        <T> void set(ChannelOption<T> option, T value);
    }

    @Override
    public void configure(DatagramChannel channel, DatagramSocketOptions options) {
        Transport.super.configure(channel, options);
        if (options.isReusePort()) {
            channel.config().setOption(AccelChannelOption.of(StandardSocketOptions.SO_REUSEPORT), true);
        }
        // Vert.x sets these on its NIO transport alone.
        channel.config().setLoopbackModeDisabled(options.isLoopbackModeDisabled());
        if (options.getMulticastTimeToLive() != -1) {
            channel.config().setTimeToLive(options.getMulticastTimeToLive());
        }
        if (options.getMulticastNetworkInterface() != null) {
            channel.config().setNetworkInterface(interfaceNamed(options.getMulticastNetworkInterface()));
        }
    }

    private static NetworkInterface interfaceNamed(String name) {
        try {
            NetworkInterface found = NetworkInterface.getByName(name);
            if (found == null) {
                throw new IllegalArgumentException("there is no network interface named " + name);
            }
            return found;
        } catch (SocketException e) {
            throw new IllegalArgumentException("the network interface " + name + " cannot be looked up", e);
        }
    }
}
