// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/**
 * Questions to a {@link DatagramEchoServer}, one after the other, each by a socket of its own, as resolvers ask them, from the JVM's
 * start on. A question without an answer does not count. Arguments: {@code by}, which is {@code channel} or {@code socket}, {@code size} and
 * those of {@link YoungStart}.
 */
public final class YoungQueries {
    private static final int PATIENCE_MILLIS = 1000;

    private YoungQueries() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        Parameters parameters = Parameters.parse(args);
        YoungStart start = YoungStart.await(parameters);
        int size = parameters.number("size");
        switch (parameters.text("by")) {
            case "channel" -> YoungClient.runAll(start, new ByChannel(start, size));
            case "socket" -> YoungClient.runAll(start, new BySocket(start, size));
            default -> throw new IllegalArgumentException("by=channel or by=socket");
        }
    }

    /** Connected channels, on which one selector waits. */
    private static final class ByChannel extends YoungClient {
        private final InetSocketAddress server;
        private final ByteBuffer question;
        private final ByteBuffer answer;
        private Selector selector;
        private long sequence;

        ByChannel(YoungStart start, int size) {
            super(start);
            server = start.server();
            question = ByteBuffer.allocateDirect(size);
            answer = ByteBuffer.allocateDirect(size + 1); // one more than is to come
        }

        @Override
        void open() throws IOException {
            selector = Selector.open();
        }

        @Override
        int step() throws IOException {
            try (DatagramChannel channel = DatagramChannel.open()) {
                channel.configureBlocking(false);
                channel.connect(server);
                channel.register(selector, SelectionKey.OP_READ);
                channel.write(question.clear().putLong(0, ++sequence));
                if (selector.select(PATIENCE_MILLIS) == 0) {
                    return 0;
                }
                selector.selectedKeys().clear();
                int count = channel.read(answer.clear());
                checkAnswer(count, question.capacity(), answer.getLong(0), sequence);
                return 1;
            }
        }
    }

    private static final class BySocket extends YoungClient {
        private final InetSocketAddress server;
        private final byte[] question;
        private final byte[] answer;
        private long sequence;

        BySocket(YoungStart start, int size) {
            super(start);
            server = start.server();
            question = new byte[size];
            answer = new byte[size + 1];
        }

        @Override
        int step() throws IOException {
            ByteBuffer.wrap(question).putLong(0, ++sequence);
            DatagramPacket packet = new DatagramPacket(answer, answer.length);
            try (DatagramSocket socket = new DatagramSocket()) {
                socket.setSoTimeout(PATIENCE_MILLIS);
                socket.send(new DatagramPacket(question, question.length, server));
                socket.receive(packet);
            } catch (SocketTimeoutException lost) {
                return 0;
            }
            checkAnswer(
                    packet.getLength(), question.length, ByteBuffer.wrap(answer).getLong(0), sequence);
            return 1;
        }
    }

    private static void checkAnswer(int count, int size, long answer, long sequence) throws IOException {
        if (count != size || answer != sequence) {
            throw new IOException("asked question " + sequence + " in " + size + " bytes, but the answer to " + answer
                    + " came back in " + count);
        }
    }
}
