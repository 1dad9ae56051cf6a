// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** A thread that waits for a {@link SleeperPeer} again and again, beside a {@link VirtualSleeper}. */
final class SleepersNeighbour {
    private static final int MUCH = 1 << 20;

    private final Turn turn;

    /** Bytes to and fro. Written by the thread that waits; read by others, which want it roughly. */
    private volatile long moved;

    /** One wait, and what is done after it. */
    private interface Turn {
        /** Returns how many bytes moved. */
        int take() throws IOException;
    }

    private SleepersNeighbour(Turn turn) {
        this.turn = turn;
    }

    /** One that is connected to the peer. */
    static SleepersNeighbour of(Beside beside, Parameters parameters) throws IOException {
        return new SleepersNeighbour(
                switch (beside) {
                    case READ -> reader(connect(parameters, 0));
                    case WRITE -> writer(connect(parameters, 0));
                    case SELECT -> selector(connect(parameters, 0));
                    case STREAM -> stream(parameters);
                    case ACCEPT -> acceptor(parameters);
                    case DATAGRAM -> receiver(parameters);
                });
    }

    /** Goes on until the program ends. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // by one thread alone
    void waitAgainAndAgain() {
        try {
            while (true) {
                moved += turn.take();
            }
        } catch (IOException e) {
            System.err.println("a neighbour failed: " + e);
        }
    }

    long moved() {
        return moved;
    }

    private static SocketChannel connect(Parameters parameters, int port) throws IOException {
        SocketChannel channel = Streams.connect(parameters);
        channel.write(ByteBuffer.allocate(Integer.BYTES).putInt(0, port));
        return channel;
    }

    private static Turn reader(SocketChannel channel) {
        ByteBuffer message = message();
        return () -> {
            SleeperPeer.fill(channel, message.clear());
            return message.position() + answer(channel, message);
        };
    }

    private static Turn writer(SocketChannel channel) {
        ByteBuffer much = ByteBuffer.allocateDirect(MUCH);
        return () -> channel.write(much.clear());
    }

    private static Turn selector(SocketChannel channel) throws IOException {
        ByteBuffer message = message();
        Selector selector = Selector.open();
        channel.configureBlocking(false).register(selector, SelectionKey.OP_READ);
        return () -> {
            selector.select();
            selector.selectedKeys().clear();
            int read = channel.read(message);
            if (message.hasRemaining()) {
                return read;
            }
            int written = answer(channel, message);
            message.clear();
            return read + written;
        };
    }

    private static Turn stream(Parameters parameters) throws IOException {
        InetSocketAddress server = parameters.server();
        Socket socket = new Socket(server.getAddress(), server.getPort());
        socket.setTcpNoDelay(true);
        OutputStream answers = socket.getOutputStream();
        answers.write(new byte[Integer.BYTES]);
        DataInputStream questions = new DataInputStream(socket.getInputStream());
        byte[] message = new byte[Beside.MESSAGE_BYTES];
        return () -> {
            questions.readFully(message);
            answers.write(message);
            return 2 * message.length;
        };
    }

    private static Turn acceptor(Parameters parameters) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open().bind(parameters.anyPort());
        SocketChannel toPeer = connect(parameters, Streams.portOf(listener));
        return () -> {
            listener.accept().close();
            return toPeer.isOpen() ? 0 : -1; // the peer goes on as long as it is
        };
    }

    private static Turn receiver(Parameters parameters) throws IOException {
        DatagramChannel channel = DatagramChannel.open().bind(parameters.anyPort());
        SocketChannel toPeer = connect(parameters, ((InetSocketAddress) channel.getLocalAddress()).getPort());
        ByteBuffer port = ByteBuffer.allocate(Integer.BYTES);
        SleeperPeer.fill(toPeer, port);
        channel.connect(new InetSocketAddress(parameters.server().getAddress(), port.getInt(0)));
        toPeer.write(port.clear());
        ByteBuffer message = message();
        return () -> {
            channel.read(message.clear());
            return 2 * channel.write(message.flip());
        };
    }

    private static int answer(SocketChannel channel, ByteBuffer message) throws IOException {
        message.flip();
        while (message.hasRemaining()) {
            channel.write(message);
        }
        return message.position();
    }

    private static ByteBuffer message() {
        return ByteBuffer.allocateDirect(Beside.MESSAGE_BYTES);
    }
}
