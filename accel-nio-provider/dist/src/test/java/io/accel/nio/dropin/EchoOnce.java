// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;

/**
 * A program that knows nothing of Accel: it connects to itself, at the loopback address or at a given address, and sends one byte,
 * which a selector must report. With the property {@code echo.logs} it logs a line first.
 */
final class EchoOnce {
    private EchoOnce() {}

    public static void main(String[] args) throws IOException {
        if (Boolean.getBoolean("echo.logs")) {
            System.getLogger("echo").log(System.Logger.Level.INFO, "started");
        }
        System.out.println("provider " + SelectorProvider.provider().getClass().getName());
        InetAddress address = args.length == 0 ? InetAddress.getLoopbackAddress() : InetAddress.getByName(args[0]);
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(new InetSocketAddress(address, 0));
                SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                SocketChannel server = listener.accept();
                Selector selector = Selector.open()) {
            server.configureBlocking(false);
            SelectionKey key = server.register(selector, SelectionKey.OP_READ);
            client.write(ByteBuffer.wrap(new byte[] {7}));
            int ready = selector.select(10_000);
            ByteBuffer read = ByteBuffer.allocate(8);
            ((SocketChannel) key.channel()).read(read);
            System.out.println("ready " + ready + " read " + read.get(0));
        }
    }
}
