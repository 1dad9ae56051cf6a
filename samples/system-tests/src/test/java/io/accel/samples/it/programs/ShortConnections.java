// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * Connections with one message there and back each, the server of which has a selector and closes first. Both ends are in this process.
 * For each command {@code RUN n} it says {@code RUNNING n}, makes n connections one after the other, and says {@code DONE n}.
 */
public final class ShortConnections {
    private static final int MESSAGE_BYTES = 64;

    private final Selector selector = Selector.open();
    private final ServerSocketChannel listener = ServerSocketChannel.open();
    private final ByteBuffer echo = ByteBuffer.allocateDirect(MESSAGE_BYTES);

    private ShortConnections() throws IOException {
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listener.configureBlocking(false);
        listener.register(selector, SelectionKey.OP_ACCEPT);
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        Console console = new Console();
        ShortConnections all = new ShortConnections();
        Thread server = new Thread(all::serve, "server");
        server.setDaemon(true);
        server.start();
        while (true) {
            String number = console.next().substring("RUN ".length());
            console.say("RUNNING " + number);
            for (int i = Integer.parseInt(number); i > 0; i--) {
                all.connect();
            }
            console.say("DONE " + number);
        }
    }

    private void connect() throws IOException {
        ByteBuffer message = ByteBuffer.allocate(MESSAGE_BYTES);
        try (SocketChannel channel = SocketChannel.open(listener.getLocalAddress())) {
            channel.write(message);
            message.clear();
            while (channel.read(message) > 0) {} // full after the message, so that the end is not waited for
        }
    }

    private void serve() {
        try {
            while (true) {
                selector.select();
                for (SelectionKey key : selector.selectedKeys()) {
                    serve(key);
                }
                selector.selectedKeys().clear();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void serve(SelectionKey key) throws IOException {
        if (key.isAcceptable()) {
            SocketChannel accepted = listener.accept();
            accepted.configureBlocking(false);
            accepted.register(selector, SelectionKey.OP_READ);
            return;
        }
        SocketChannel channel = (SocketChannel) key.channel();
        channel.read(echo.clear());
        channel.write(echo.flip());
        channel.close();
    }
}
