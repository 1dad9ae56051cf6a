// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * One connection, driven in blocking mode or with a selector, so that each fault meets both.
 *
 * <p>Not safe for use by several threads.
 */
final class Wire implements Closeable {
    private static final String PATH = "path";
    /** On a Unix-domain socket the end that listens speaks first: an end that has heard nothing has only the kernel's path. */
    private static final byte[] GREETING = {1};

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

    /** Listens, says {@code PORT n}, and accepts one connection. With a {@code path} there is no port, and it says 0. */
    static Wire listen(Arguments arguments, Console console, boolean selecting) throws IOException {
        boolean isUnix = isUnix(arguments);
        try (ServerSocketChannel listener =
                isUnix ? ServerSocketChannel.open(StandardProtocolFamily.UNIX) : ServerSocketChannel.open()) {
            listener.bind(address(arguments));
            console.say("PORT " + (isUnix ? 0 : listener.socket().getLocalPort()));
            SocketChannel accepted = listener.accept();
            if (isUnix) {
                accepted.write(ByteBuffer.wrap(GREETING));
            }
            return new Wire(accepted, selecting);
        }
    }

    static Wire connect(Arguments arguments, boolean selecting) throws IOException {
        SocketChannel channel = SocketChannel.open(address(arguments));
        if (isUnix(arguments) && channel.read(ByteBuffer.allocate(GREETING.length)) != GREETING.length) {
            throw new EOFException("no greeting");
        }
        return new Wire(channel, selecting);
    }

    private static boolean isUnix(Arguments arguments) {
        return !arguments.get(PATH, "").isEmpty();
    }

    private static SocketAddress address(Arguments arguments) throws IOException {
        if (isUnix(arguments)) {
            return UnixDomainSocketAddress.of(arguments.get(PATH, ""));
        }
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

    /** Writes the bytes that are accepted without waiting; needs a selecting wire. */
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
