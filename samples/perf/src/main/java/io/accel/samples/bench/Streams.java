// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Blocking channels over TCP, or, with the argument {@code path}, over a Unix-domain socket of that name. */
final class Streams {
    private static final String PATH = "path";

    private Streams() {}

    private static boolean isUnix(Parameters parameters) {
        return parameters.values().containsKey(PATH);
    }

    /** A listener at any port of the loopback interface, or at the path. */
    static ServerSocketChannel listen(Parameters parameters) throws IOException {
        return isUnix(parameters)
                ? ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                        .bind(UnixDomainSocketAddress.of(parameters.text(PATH)))
                : ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** The listener's port; 0 if it has a path. */
    static int portOf(ServerSocketChannel listener) throws IOException {
        return listener.getLocalAddress() instanceof InetSocketAddress address ? address.getPort() : 0;
    }

    static SocketChannel connect(Parameters parameters) throws IOException {
        return isUnix(parameters)
                ? SocketChannel.open(UnixDomainSocketAddress.of(parameters.text(PATH)))
                : undelayed(SocketChannel.open(parameters.server()));
    }

    static SocketChannel accept(ServerSocketChannel listener) throws IOException {
        SocketChannel channel = listener.accept();
        return portOf(listener) == 0 ? channel : undelayed(channel);
    }

    private static SocketChannel undelayed(SocketChannel channel) throws IOException {
        return channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }
}
