// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.rdma;

import io.accel.nio.AccelSocketChannel;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * {@code ManyClients ADDRESS PORT CONNECTIONS ACTIVE MILLIS}: connects to a {@link NioServer} as often as that, all at once, in one
 * selector. It uses each connection until it has left the kernel, and then that many of them for a time; then it waits for the end of its
 * standard input, and uses each once more. Every byte that comes back is compared.
 */
final class ManyClients {
    private static final int MOST_BYTES = 8 << 10;
    private static final long PATIENCE_NANOS = 120_000_000_000L;

    private final Selector selector = Selector.open();
    private final List<Client> clients = new ArrayList<>();
    private int connected;
    /** Those that wait for an echo. */
    private int busy;

    private long bytes;

    private ManyClients() throws IOException {}

    /** One connection, with at most one message on its way. */
    private final class Client {
        final SocketChannel channel = SocketChannel.open();
        final SelectionKey key;
        final SplittableRandom random;
        final ByteBuffer out = ByteBuffer.allocate(MOST_BYTES).limit(0);
        final ByteBuffer in = ByteBuffer.allocate(MOST_BYTES);
        boolean hasBegun;

        Client(InetSocketAddress server, int seed) throws IOException {
            random = new SplittableRandom(seed);
            channel.configureBlocking(false);
            key = channel.register(selector, SelectionKey.OP_CONNECT, this);
            if (channel.connect(server)) {
                beConnected();
            }
        }

        void beConnected() {
            connected++;
            key.interestOps(0);
        }

        void send() throws IOException {
            int length = 1 + random.nextInt(MOST_BYTES - 1);
            out.clear().limit(length);
            if (!hasBegun) {
                hasBegun = true;
                out.limit(length + 1).put((byte) 'e');
            }
            int from = out.position();
            while (out.hasRemaining()) {
                out.put((byte) random.nextInt());
            }
            out.flip();
            in.clear().limit(out.limit() - from);
            busy++;
            write();
        }

        private void write() throws IOException {
            channel.write(out);
            key.interestOps(out.hasRemaining() ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
        }

        /** Goes on; returns whether an echo is complete. */
        boolean advance() throws IOException {
            if (key.isConnectable()) {
                if (channel.finishConnect()) {
                    beConnected();
                }
                return false;
            }
            if (key.isWritable()) {
                write();
            }
            if (!key.isReadable()) {
                return false;
            }
            if (channel.read(in) < 0) {
                throw new EOFException("the server has closed " + channel);
            }
            if (in.hasRemaining()) {
                return false;
            }
            if (!in.flip().equals(out.duplicate().position(out.limit() - in.limit()))) {
                throw new IOException("an echo is wrong: " + channel);
            }
            bytes += in.limit();
            busy--;
            key.interestOps(0);
            return true;
        }

        boolean isOverRdma() {
            return ((AccelSocketChannel) channel).path().path().equals("rdma");
        }
    }

    public static void main(String[] args) throws IOException {
        InetSocketAddress server = new InetSocketAddress(InetAddress.getByName(args[0]), Integer.parseInt(args[1]));
        ManyClients many = new ManyClients();
        many.connect(server, Integer.parseInt(args[2]));
        many.useUntilAllHaveMoved();
        many.useSome(Integer.parseInt(args[3]), Long.parseLong(args[4]));
        int unused = System.in.read();
        many.round(many.clients);
        System.out.println("went on: " + many.clients.size());
    }

    private void connect(InetSocketAddress server, int connections) throws IOException {
        long begun = System.nanoTime();
        for (int i = 0; i < connections; i++) {
            clients.add(new Client(server, i));
        }
        while (connected < connections) {
            advance(null);
        }
        System.out.println("connected: " + connections + " in " + millisSince(begun) + " ms");
    }

    private void useUntilAllHaveMoved() throws IOException {
        long begun = System.nanoTime();
        int rounds = 0;
        for (List<Client> left = notMoved(); !left.isEmpty(); left = notMoved()) {
            if (System.nanoTime() - begun > PATIENCE_NANOS) {
                Map<String, Integer> paths = new TreeMap<>();
                clients.forEach(client ->
                        paths.merge(((AccelSocketChannel) client.channel).path().toString(), 1, Integer::sum));
                throw new IOException("not all have moved: " + paths);
            }
            round(left);
            rounds++;
        }
        System.out.println("moved: " + clients.size() + " in " + millisSince(begun) + " ms and " + rounds + " rounds");
    }

    private List<Client> notMoved() {
        return clients.stream().filter(client -> !client.isOverRdma()).toList();
    }

    private void useSome(int active, long millis) throws IOException {
        long begun = System.nanoTime();
        long before = bytes;
        long messages = 0;
        for (Client client : clients.subList(0, active)) {
            client.send();
        }
        while (busy > 0) {
            messages += advance(millisSince(begun) < millis ? Client::send : null);
        }
        System.out.println("active: " + messages + " messages and " + (bytes - before) + " bytes of " + active
                + " connections in " + millisSince(begun) + " ms");
    }

    /** A message of each of them. */
    private void round(List<Client> of) throws IOException {
        for (Client client : of) {
            client.send();
        }
        while (busy > 0) {
            advance(null);
        }
    }

    @FunctionalInterface
    private interface Next {
        void of(Client client) throws IOException;
    }

    /** Waits until some are ready, and goes on with them. Returns how many echoes are complete. */
    private int advance(Next next) throws IOException {
        if (selector.select(PATIENCE_NANOS / 1_000_000) == 0) {
            throw new IOException(
                    "nothing happens, with " + connected + " connected and " + busy + " waiting for an echo");
        }
        int complete = 0;
        for (SelectionKey key : selector.selectedKeys()) {
            Client client = (Client) key.attachment();
            if (client.advance()) {
                complete++;
                if (next != null) {
                    next.of(client);
                }
            }
        }
        selector.selectedKeys().clear();
        return complete;
    }

    private static long millisSince(long begun) {
        return (System.nanoTime() - begun) / 1_000_000;
    }
}
