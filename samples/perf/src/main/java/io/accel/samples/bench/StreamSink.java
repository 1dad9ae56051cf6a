// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Iterator;

/**
 * Counts the bytes of each client until it ends its output, then answers with the count, in eight bytes: one thread,
 * one selector, non-blocking channels. Argument: {@code address}, if that is not the loopback interface.
 */
public final class StreamSink {
    /** As much as a program that wants throughput offers to a read. */
    private static final int BUFFER_BYTES = 256 * 1024;

    private StreamSink() {}

    private static final class Count {
        long bytes;
    }

    public static void main(String[] args) throws IOException {
        Control.serveInBackground();
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
        try (Selector selector = Selector.open();
                ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(Parameters.parse(args).anyPort());
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
                        accept(listener, selector);
                    } else if (key.isReadable()) {
                        receive((SocketChannel) key.channel(), (Count) key.attachment(), buffer);
                    }
                }
            }
        }
    }

    private static void accept(ServerSocketChannel listener, Selector selector) throws IOException {
        SocketChannel channel = listener.accept();
        if (channel != null) {
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ, new Count());
        }
    }

    private static void receive(SocketChannel channel, Count count, ByteBuffer buffer) throws IOException {
        int received = channel.read(buffer.clear());
        if (received >= 0) {
            count.bytes += received;
            return;
        }
        buffer.clear().putLong(count.bytes).flip();
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
        channel.close();
    }
}
