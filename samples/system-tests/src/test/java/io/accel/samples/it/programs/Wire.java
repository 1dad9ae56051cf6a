// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * One connection, driven the blocking way or with a selector, so that each fault meets both.
 *
 * <p>Not safe for use by several threads.
 */
final class Wire implements Closeable {
    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;

    private Wire(SocketChannel channel, boolean selecting) throws IOException {
        this.channel = channel;
        if (selecting) {
            channel.configureBlocking(false);
            selector = Selector.open();
            key = channel.register(selector, 0);
        } else {
            selector = null;
            key = null;
        }
    }

    /** Listens, says {@code PORT n}, and accepts one connection. */
    static Wire listen(Arguments arguments, Console console, boolean selecting) throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(address(arguments));
            console.say("PORT " + listener.socket().getLocalPort());
            return new Wire(listener.accept(), selecting);
        }
    }

    static Wire connect(Arguments arguments, boolean selecting) throws IOException {
        return new Wire(SocketChannel.open(address(arguments)), selecting);
    }

    private static InetSocketAddress address(Arguments arguments) throws IOException {
        String host = arguments.get("host", "");
        InetAddress address = host.isEmpty() ? InetAddress.getLoopbackAddress() : InetAddress.getAllByName(host)[0];
        return new InetSocketAddress(address, (int) arguments.get("port", 0));
    }

    /** Reads at least a byte, or returns -1 at the end. */
    int read(ByteBuffer into) throws IOException {
        while (true) {
            int n = channel.read(into);
            if (n != 0) {
                return n;
            }
            select(SelectionKey.OP_READ);
        }
    }

    /** Writes all of it. */
    void write(ByteBuffer from) throws IOException {
        while (from.hasRemaining()) {
            if (channel.write(from) == 0) {
                select(SelectionKey.OP_WRITE);
            }
        }
    }

    /** Writes what is accepted without waiting; needs a selecting wire. */
    int offer(ByteBuffer from) throws IOException {
        return channel.write(from);
    }

    void shutdownOutput() throws IOException {
        channel.shutdownOutput();
    }

    private void select(int operation) throws IOException {
        key.interestOps(operation);
        selector.select();
        selector.selectedKeys().clear();
    }

    @Override
    public void close() throws IOException {
        channel.close();
        if (selector != null) {
            selector.close();
        }
    }
}
