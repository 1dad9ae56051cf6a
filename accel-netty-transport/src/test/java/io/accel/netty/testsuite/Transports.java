// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.testsuite;

import io.accel.netty.AccelDatagramChannel;
import io.accel.netty.AccelDomainSocketChannel;
import io.accel.netty.AccelIoHandler;
import io.accel.netty.AccelServerDomainSocketChannel;
import io.accel.netty.AccelServerSocketChannel;
import io.accel.netty.AccelSocketChannel;
import io.accel.netty.TestedPath;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.SocketTestPermutation;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The pairs of transports that are tested against each other: Accel with itself, and Netty's NIO transport on either side. */
final class Transports {
    static {
        SilentPeer.open(); // before Netty's permutations ask for it
    }

    private static final Permutation PERMUTATION = new Permutation();

    private Transports() {}

    static List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> pairs() {
        return PERMUTATION.socket();
    }

    static List<BootstrapFactory<Bootstrap>> clients() {
        return List.of(PERMUTATION::client);
    }

    static List<BootstrapFactory<ServerBootstrap>> servers() {
        return List.of(PERMUTATION::server);
    }

    /** The pairs for Unix-domain streams. */
    static List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> domainPairs() {
        return PERMUTATION.domain();
    }

    /** A path that nothing is bound to yet; the listener that is bound to it deletes its file. */
    static SocketAddress newDomainAddress() {
        try {
            Path path = Files.createTempFile("accel-netty-", ".sock");
            Files.delete(path);
            return UnixDomainSocketAddress.of(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<BootstrapComboFactory<Bootstrap, Bootstrap>> datagramPairs(SocketProtocolFamily family) {
        return PERMUTATION.datagram(family);
    }

    static List<BootstrapFactory<Bootstrap>> datagramClients() {
        return List.of(() -> PERMUTATION.datagrams(null));
    }

    /** Listens where the tested path begins, although Netty's tests name loopback. */
    private static final class Server extends ServerBootstrap {
        @Override
        public ServerBootstrap localAddress(SocketAddress address) {
            return super.localAddress(moved(address));
        }

        @Override
        public ChannelFuture bind(SocketAddress address) {
            return super.bind(moved(address));
        }

        @Override
        public <T> ServerBootstrap option(ChannelOption<T> option, T value) {
            return super.option(option, TestedPath.option(option, value));
        }

        @Override
        public <T> ServerBootstrap childOption(ChannelOption<T> option, T value) {
            return super.childOption(option, TestedPath.option(option, value));
        }

        private static SocketAddress moved(SocketAddress address) {
            return address instanceof InetSocketAddress internet && NetUtil.LOCALHOST.equals(internet.getAddress())
                    ? new InetSocketAddress(TestedPath.ADDRESS, internet.getPort())
                    : address;
        }
    }

    private static final class Client extends Bootstrap {
        @Override
        public <T> Bootstrap option(ChannelOption<T> option, T value) {
            return super.option(option, TestedPath.option(option, value));
        }
    }

    private static final class Permutation extends SocketTestPermutation {
        private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(
                NUM_THREADS, new DefaultThreadFactory("testsuite-accel", true), AccelIoHandler.newFactory());

        Bootstrap client() {
            return new Client().group(group).channel(AccelSocketChannel.class);
        }

        ServerBootstrap server() {
            return new Server().group(group).channel(AccelServerSocketChannel.class);
        }

        @Override
        public List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> socket() {
            return ours(combo(serverSocket(), clientSocket()));
        }

        @Override
        public List<BootstrapFactory<ServerBootstrap>> serverSocket() {
            return List.of(this::server, () -> new Server().group(NIO_GROUP).channel(NioServerSocketChannel.class));
        }

        @Override
        public List<BootstrapFactory<Bootstrap>> clientSocket() {
            return List.of(this::client, () -> new Client().group(NIO_GROUP).channel(NioSocketChannel.class));
        }

        List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> domain() {
            List<BootstrapFactory<ServerBootstrap>> servers = List.of(
                    () -> new Server().group(group).channel(AccelServerDomainSocketChannel.class),
                    () -> new Server().group(NIO_GROUP).channel(NioServerDomainSocketChannel.class));
            List<BootstrapFactory<Bootstrap>> clients = List.of(
                    () -> new Client().group(group).channel(AccelDomainSocketChannel.class),
                    () -> new Client().group(NIO_GROUP).channel(NioDomainSocketChannel.class));
            return ours(combo(servers, clients));
        }

        Bootstrap datagrams(SocketProtocolFamily family) {
            return new Client().group(group).channelFactory(() -> new AccelDatagramChannel(family));
        }

        @Override
        public List<BootstrapComboFactory<Bootstrap, Bootstrap>> datagram(SocketProtocolFamily family) {
            List<BootstrapFactory<Bootstrap>> either = List.of(
                    () -> datagrams(family),
                    () -> new Client().group(NIO_GROUP).channelFactory(() -> new NioDatagramChannel(family)));
            return ours(combo(either, either));
        }

        /** The tested pairs among all pairs, the first of which is Accel with itself. */
        private static <T> List<T> ours(List<T> all) {
            // NIO with itself, which is last, is not ours to test.
            return all.subList(0, TestedPath.ONLY_WITH_ITSELF ? 1 : all.size() - 1);
        }
    }
}
