// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/**
 * A listener, a client, and the server's end of the one connection between them, once it is accepted. Nagle's algorithm is off at
 * both ends: it makes small writes wait for acknowledgements, which may take 40 ms.
 */
final class Connection {
    private final int index;
    private final ServerSocketChannel listener;
    private final SocketAddress address;
    private final End client;
    private final End server;
    private boolean established;

    /** @param sockets the directory of Unix-domain sockets; null if the setting has none */
    Connection(int index, Setting setting, Path sockets) throws IOException {
        this.index = index;
        Direction up = new Direction(17 * index);
        Direction down = new Direction(17 * index + 101);
        this.client = new End("c" + index, this, up, down);
        this.server = new End("s" + index, this, down, up);
        if (setting.isUnix()) {
            this.listener = setting.server().openServerSocketChannel(StandardProtocolFamily.UNIX);
            this.listener.bind(UnixDomainSocketAddress.of(sockets.resolve("l" + index)));
            this.client.channel(setting.client().openSocketChannel(StandardProtocolFamily.UNIX));
        } else {
            this.listener = setting.server().openServerSocketChannel();
            this.listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            this.client.channel(undelayed(setting.client().openSocketChannel()));
        }
        this.address = listener.getLocalAddress();
    }

    /** Switches Nagle's algorithm off, if the channel has it. */
    static SocketChannel undelayed(SocketChannel channel) throws IOException {
        return channel.supportedOptions().contains(StandardSocketOptions.TCP_NODELAY)
                ? channel.setOption(StandardSocketOptions.TCP_NODELAY, true)
                : channel;
    }

    int index() {
        return index;
    }

    ServerSocketChannel listener() {
        return listener;
    }

    SocketAddress address() {
        return address;
    }

    End client() {
        return client;
    }

    End server() {
        return server;
    }

    /** The kernel has made the connection. */
    void established() {
        established = true;
    }

    /** Whether a connection waits to be accepted. */
    boolean isPending() {
        return established && server.channel() == null;
    }
}
