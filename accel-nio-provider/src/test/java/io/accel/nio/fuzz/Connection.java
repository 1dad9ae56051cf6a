// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;

/**
 * A listener, a client, and the server's end of the one connection between them, once it is accepted. Nagle's algorithm is off at
 * both ends: it makes small writes wait for acknowledgements, which may take 40 ms.
 */
final class Connection {
    private final int index;
    private final ServerSocketChannel listener;
    private final InetSocketAddress address;
    private final End client;
    private final End server;
    private boolean established;

    Connection(int index, Setting setting) throws IOException {
        this.index = index;
        Direction up = new Direction(17 * index);
        Direction down = new Direction(17 * index + 101);
        this.client = new End("c" + index, this, up, down);
        this.server = new End("s" + index, this, down, up);
        this.listener = setting.server().openServerSocketChannel();
        this.listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        this.address = (InetSocketAddress) listener.getLocalAddress();
        this.client.channel(setting.client().openSocketChannel().setOption(StandardSocketOptions.TCP_NODELAY, true));
    }

    int index() {
        return index;
    }

    ServerSocketChannel listener() {
        return listener;
    }

    InetSocketAddress address() {
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
