// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * The peer of the threads that wait beside a {@link VirtualSleeper}: it asks, reads, or connects as fast as it can, in a platform thread for
 * each connection. A connection begins with a number of four bytes: the port that the other end listens at, or has its datagrams from.
 * Argument: {@code beside}, see {@link Beside}.
 */
public final class SleeperPeer {
    private static final int PIECE = 4096;

    private SleeperPeer() {}

    public static void main(String[] args) throws IOException {
        Parameters parameters = Parameters.parse(args);
        Beside beside = Beside.of(parameters);
        Control.serveAllInBackground();
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(parameters.anyPort());
            Event.named("ready").with("port", listener.socket().getLocalPort()).send();
            while (true) {
                SocketChannel channel = Streams.accept(listener);
                Thread thread = new Thread(() -> serve(channel, beside), "peer");
                thread.setDaemon(true);
                thread.start();
            }
        }
    }

    private static void serve(SocketChannel accepted, Beside beside) {
        try (SocketChannel channel = accepted) {
            ByteBuffer port = ByteBuffer.allocate(Integer.BYTES);
            fill(channel, port);
            InetSocketAddress there = new InetSocketAddress(InetAddress.getLoopbackAddress(), port.getInt(0));
            switch (beside) {
                case READ, SELECT, STREAM -> ask(channel);
                case WRITE -> drain(channel);
                case ACCEPT -> connect(there);
                case DATAGRAM -> ask(there, channel);
            }
        } catch (IOException e) {
            System.err.println("a connection failed: " + e);
        }
    }

    private static void ask(SocketChannel channel) throws IOException {
        ByteBuffer message = ByteBuffer.allocateDirect(Beside.MESSAGE_BYTES);
        while (true) {
            message.clear();
            while (message.hasRemaining()) {
                channel.write(message);
            }
            fill(channel, message.clear());
        }
    }

    private static void drain(SocketChannel channel) throws IOException {
        ByteBuffer some = ByteBuffer.allocateDirect(PIECE);
        while (channel.read(some.clear()) >= 0) {
            // until the end
        }
    }

    /** The other end closes first, so that this end's port is free again. */
    private static void connect(InetSocketAddress there) throws IOException {
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        while (true) {
            try (SocketChannel channel = SocketChannel.open(there)) {
                fill(channel, one.clear());
            } catch (EOFException expected) {
                // closed without a word
            }
        }
    }

    /** Tells the other end its own port, which that end connects to. */
    private static void ask(InetSocketAddress there, SocketChannel channel) throws IOException {
        ByteBuffer message = ByteBuffer.allocateDirect(Beside.MESSAGE_BYTES);
        try (DatagramChannel datagrams = DatagramChannel.open()) {
            datagrams.bind(new InetSocketAddress(there.getAddress(), 0)).connect(there);
            int here = ((InetSocketAddress) datagrams.getLocalAddress()).getPort();
            channel.write(ByteBuffer.allocate(Integer.BYTES).putInt(0, here));
            fill(channel, ByteBuffer.allocate(Integer.BYTES)); // a connect throws away what has come before it
            while (true) {
                datagrams.write(message.clear());
                datagrams.read(message.clear());
            }
        }
    }

    /** @throws EOFException at the end */
    static void fill(ByteChannel channel, ByteBuffer message) throws IOException {
        while (message.hasRemaining()) {
            if (channel.read(message) < 0) {
                throw new EOFException("the other end has closed");
            }
        }
    }
}
