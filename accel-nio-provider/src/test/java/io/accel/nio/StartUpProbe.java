package io.accel.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** As short a program as there can be: one connection to itself, one byte there and back. */
final class StartUpProbe {
    private StartUpProbe() {}

    public static void main(String[] args) throws IOException {
        try (ServerSocketChannel listener =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
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
            System.out.print("echoed ");
            System.out.println(one.position());
        }
    }
}
