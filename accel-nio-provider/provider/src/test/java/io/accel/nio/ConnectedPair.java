// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Two JDK channels connected over the loopback interface: {@code near} is the one looked at. */
record ConnectedPair(SocketChannel near, SocketChannel far) implements AutoCloseable {

    static ConnectedPair open() throws IOException {
        try (ServerSocketChannel listener = listen()) {
            SocketChannel near = SocketChannel.open(listener.getLocalAddress());
            return new ConnectedPair(near, listener.accept());
        }
    }

    static ServerSocketChannel listen() throws IOException {
        return ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    Socket nearSocket(Adaptor adaptor) {
        return adaptor.over(near);
    }

    @Override
    public void close() throws IOException {
        near.close();
        far.close();
    }
}
