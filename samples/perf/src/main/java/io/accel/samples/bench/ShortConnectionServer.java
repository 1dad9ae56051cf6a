// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Iterator;

/**
 * Accepts connections, echoes one message of {@code size} bytes on each, and closes it; without a size at once. One thread, one
 * selector. The server closes first, so that the client's port is free again. Arguments: {@code size}, and as for {@link
 * StreamSink}.
 */
public final class ShortConnectionServer {
    private static final int BACKLOG = 1024;

    private ShortConnectionServer() {}

    public static void main(String[] args) throws IOException {
        Control.serveInBackground();
        Parameters parameters = Parameters.parse(args);
        int size = parameters.number("size");
        ByteBuffer message = ByteBuffer.allocateDirect(Math.max(1, size));
        try (Selector selector = Selector.open();
                ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(parameters.anyPort(), BACKLOG);
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT);
            Event.named("ready").with("port", listener.socket().getLocalPort()).send();
            while (true) {
                selector.select();
                Iterator<SelectionKey> ready = selector.selectedKeys().iterator();
                while (ready.hasNext()) {
                    SelectionKey key = ready.next();
                    ready.remove();
                    if (key.isAcceptable()) {
                        accept(listener, selector, size);
                    } else if (key.isReadable()) {
                        echo(key, message);
                    }
                }
            }
        }
    }

    private static void accept(ServerSocketChannel listener, Selector selector, int size) throws IOException {
        SocketChannel channel = listener.accept();
        if (channel == null) {
            return;
        }
        if (size == 0) {
            channel.close();
            return;
        }
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.register(selector, SelectionKey.OP_READ, Integer.valueOf(size));
    }

    /** The message may come in pieces; the key counts what is still missing. */
    private static void echo(SelectionKey key, ByteBuffer message) throws IOException {
        SocketChannel channel = (SocketChannel) key.channel();
        int missing = (Integer) key.attachment();
        int count = channel.read(message.clear().limit(missing));
        if (count >= 0) {
            message.flip();
            while (message.hasRemaining()) {
                channel.write(message);
            }
            key.attach(missing - count);
        }
        if (count < 0 || missing == count) {
            channel.close();
        }
    }
}
