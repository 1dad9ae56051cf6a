// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** A program that knows nothing of Accel: 100 messages of 64 bytes to itself and back, then waits for its standard input to end. */
final class EchoUntilTold {
    private EchoUntilTold() {}

    public static void main(String[] args) throws IOException {
        try (ServerSocketChannel listener =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                SocketChannel server = listener.accept()) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(64);
            for (int i = 0; i < 100; i++) {
                move(client, server, buffer);
                move(server, client, buffer);
            }
            System.out.println("PORT " + ((InetSocketAddress) listener.getLocalAddress()).getPort());
            while (System.in.read() >= 0) {}
        }
    }

    private static void move(SocketChannel from, SocketChannel to, ByteBuffer buffer) throws IOException {
        buffer.clear();
        while (buffer.hasRemaining()) {
            from.write(buffer);
        }
        buffer.clear();
        while (buffer.hasRemaining()) {
            to.read(buffer);
        }
    }
}
