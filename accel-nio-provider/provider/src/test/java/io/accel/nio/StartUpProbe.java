// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** The shortest possible program: one connection, to itself or to a given port, and one byte there and back. */
final class StartUpProbe {
    private StartUpProbe() {}

    public static void main(String[] args) throws IOException {
        int echoed = args.length == 0 ? withItself() : with(Integer.parseInt(args[0]));
        System.out.print("echoed ");
        System.out.println(echoed);
    }

    private static int withItself() throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(loopback(0));
                SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                SocketChannel server = listener.accept();
                Selector selector = Selector.open()) {
            ByteBuffer one = ByteBuffer.allocate(1);
            server.configureBlocking(false);
            server.register(selector, SelectionKey.OP_READ);
            client.write(one);
            selector.select();
            server.read(one.clear());
            server.write(one.flip());
            client.read(one.clear());
            return one.position();
        }
    }

    private static int with(int port) throws IOException {
        try (SocketChannel client = SocketChannel.open(loopback(port));
                Selector selector = Selector.open()) {
            ByteBuffer one = ByteBuffer.allocate(1);
            client.configureBlocking(false);
            client.register(selector, SelectionKey.OP_READ);
            client.write(one);
            selector.select();
            client.read(one.clear());
            return one.position();
        }
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }
}
