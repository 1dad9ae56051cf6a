// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import java.io.Closeable;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** A client's connection, of one of the kinds that programs use. Not thread-safe. */
abstract class Wire implements Closeable {
    /** Longer than any pause of a machine that works; beyond it something hangs. */
    static final int PATIENCE_MILLIS = 40_000;

    /** The ways. */
    enum Way {
        SELECTOR,
        CHANNEL,
        SOCKET
    }

    /**
     * @param server the address at which it listens; {@code java.net.Socket} knows no Unix-domain sockets, which get a channel in
     * its place
     */
    static Wire connect(Way way, SocketAddress server) throws IOException {
        return switch (way) {
            case SELECTOR -> new Selecting(open(server));
            case CHANNEL -> new Blocking(open(server));
            case SOCKET ->
                server instanceof InetSocketAddress internet ? new OfSocket(internet) : new Blocking(open(server));
        };
    }

    private static SocketChannel open(SocketAddress server) throws IOException {
        SocketChannel channel = SocketChannel.open(server);
        if (server instanceof InetSocketAddress && toItself(channel.socket())) {
            channel.close();
            throw new ConnectException("nobody listens at " + server);
        }
        return channel;
    }

    /** TCP lets a client connect to itself if its own port happens to be the port that it connects to, at which nobody listens. */
    private static boolean toItself(Socket socket) {
        return socket.getLocalSocketAddress().equals(socket.getRemoteSocketAddress());
    }

    /** Reads, and waits for at least one byte unless this is {@link #duplex()}; -1 at the end. */
    abstract int read(ByteBuffer into) throws IOException;

    /** Writes some of it; at least one byte unless this is {@link #duplex()}. */
    abstract void write(ByteBuffer from) throws IOException;

    /** Whether reading and writing do not wait, so that one can go on while the other cannot. */
    boolean duplex() {
        return false;
    }

    /** Waits until something can be read or, if {@code write}, written. Only of a duplex one. */
    void awaitEither(boolean write) throws IOException {
        throw new UnsupportedOperationException("needs a selector, but this is " + this + ", write=" + write);
    }

    abstract void shutdownOutput() throws IOException;

    /** Makes the close a reset. */
    abstract void resetOnClose() throws IOException;

    private static class Blocking extends Wire {
        final SocketChannel channel;

        Blocking(SocketChannel channel) {
            this.channel = channel;
        }

        @Override
        int read(ByteBuffer into) throws IOException {
            return channel.read(into);
        }

        @Override
        void write(ByteBuffer from) throws IOException {
            channel.write(from);
        }

        @Override
        void shutdownOutput() throws IOException {
            channel.shutdownOutput();
        }

        @Override
        void resetOnClose() throws IOException {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    private static final class Selecting extends Blocking {
        private final Selector selector;
        private final SelectionKey key;

        Selecting(SocketChannel channel) throws IOException {
            super(channel);
            channel.configureBlocking(false);
            selector = Selector.open();
            key = channel.register(selector, 0);
        }

        @Override
        boolean duplex() {
            return true;
        }

        @Override
        void awaitEither(boolean write) throws IOException {
            key.interestOps(write ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
            if (selector.select(PATIENCE_MILLIS) == 0) {
                throw new SocketTimeoutException("nothing ready for " + PATIENCE_MILLIS + " ms");
            }
            selector.selectedKeys().clear();
        }

        @Override
        public void close() throws IOException {
            channel.close();
            selector.close();
        }
    }

    private static final class OfSocket extends Wire {
        private static final int PIECE = 1 << 16;

        private final Socket socket = new Socket();
        private final byte[] piece = new byte[PIECE];

        OfSocket(InetSocketAddress server) throws IOException {
            socket.connect(server, PATIENCE_MILLIS);
            if (toItself(socket)) {
                socket.close();
                throw new ConnectException("nobody listens at " + server);
            }
            socket.setSoTimeout(PATIENCE_MILLIS);
        }

        @Override
        int read(ByteBuffer into) throws IOException {
            int count = socket.getInputStream().read(piece, 0, Math.min(PIECE, into.remaining()));
            if (count > 0) {
                into.put(piece, 0, count);
            }
            return count;
        }

        @Override
        void write(ByteBuffer from) throws IOException {
            int count = Math.min(PIECE, from.remaining());
            from.get(piece, 0, count);
            socket.getOutputStream().write(piece, 0, count);
        }

        @Override
        void shutdownOutput() throws IOException {
            socket.shutdownOutput();
        }

        @Override
        void resetOnClose() throws IOException {
            socket.setSoLinger(true, 0);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
