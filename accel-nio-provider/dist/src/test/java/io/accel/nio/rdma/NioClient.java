// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.rdma;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * {@code NioClient ADDRESS PORT ping BYTES ROUNDS | lines | talk SEED MILLIS | bulk SEED BYTES | stream BYTES COUNT | exit BYTES | wait |
 * pause MILLIS | churn COUNT}: talks to a {@link NioServer}, checks the answers, and prints the time. The system property
 * {@code tos} is its IP_TOS. Knows nothing of Accel.
 */
final class NioClient {
    // Its output is formatted first: printf writes several pieces, and a line of the log may come between them.

    private static final long PATIENCE_MILLIS = 60_000;

    /** The connections after which {@code churn} says how far it is. */
    static final int CHURN_STEP = 50;

    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;

    private NioClient(SocketChannel channel, Selector selector) throws IOException {
        this.channel = channel;
        this.selector = selector;
        this.key = channel.register(selector, SelectionKey.OP_READ);
    }

    public static void main(String[] args) throws IOException {
        InetSocketAddress server = new InetSocketAddress(InetAddress.getByName(args[0]), Integer.parseInt(args[1]));
        try (SocketChannel channel = SocketChannel.open();
                Selector selector = Selector.open()) {
            if (Integer.getInteger("tos") != null) {
                channel.setOption(StandardSocketOptions.IP_TOS, Integer.getInteger("tos"));
            }
            channel.connect(server);
            channel.configureBlocking(false);
            NioClient client = new NioClient(channel, selector);
            switch (args[2]) {
                case "ping" -> client.ping(Integer.parseInt(args[3]), Integer.parseInt(args[4]));
                case "lines" -> client.lines();
                case "talk" -> client.talk(Long.parseLong(args[3]), Long.parseLong(args[4]));
                case "bulk" -> client.bulk(Long.parseLong(args[3]), Long.parseLong(args[4]));
                case "exit" -> client.exit(Integer.parseInt(args[3]));
                case "wait" -> client.waitForEnd();
                case "pause" -> client.pause(Long.parseLong(args[3]));
                case "churn" -> churn(server, Integer.parseInt(args[3]));
                case "stream" -> client.stream(Integer.parseInt(args[3]), Integer.parseInt(args[4]));
                default -> throw new IllegalArgumentException(args[2]);
            }
        }
    }

    private void mode(char mode) throws IOException {
        if (channel.write(ByteBuffer.wrap(new byte[] {(byte) mode})) != 1) {
            throw new IOException("a new connection takes no byte");
        }
    }

    private void await(int ops) throws IOException {
        key.interestOps(ops);
        if (selector.select(PATIENCE_MILLIS) == 0) {
            throw new IOException("nothing for " + PATIENCE_MILLIS + " ms while waiting for operations " + ops);
        }
        selector.selectedKeys().clear();
    }

    /** Round trips, one at a time. */
    private void ping(int bytes, int rounds) throws IOException {
        mode('e');
        ByteBuffer request = ByteBuffer.allocateDirect(bytes);
        ByteBuffer reply = ByteBuffer.allocateDirect(bytes);
        long[] nanos = new long[rounds];
        for (int round = -rounds; round < rounds; round++) {
            long start = System.nanoTime();
            request.clear().putLong(0, round);
            channel.write(request);
            reply.clear();
            while (reply.hasRemaining()) {
                await(SelectionKey.OP_READ);
                if (channel.read(reply) < 0) {
                    throw new EOFException("the server closed");
                }
            }
            if (reply.getLong(0) != round) {
                throw new IOException("sent " + round + ", got " + reply.getLong(0));
            }
            if (round >= 0) {
                nanos[round] = System.nanoTime() - start;
            }
        }
        double mean = Arrays.stream(nanos).average().orElseThrow();
        Arrays.sort(nanos);
        System.out.println(String.format(
                Locale.ROOT,
                "ping %d B: round trip mean %.2f us, p50 %.2f, p99 %.2f, p99.9 %.2f",
                bytes,
                mean / 1e3,
                nanos[rounds / 2] / 1e3,
                nanos[(int) (rounds * 0.99)] / 1e3,
                nanos[(int) (rounds * 0.999)] / 1e3));
    }

    /** A round trip for each line of its standard input. */
    private void lines() throws IOException {
        mode('e');
        ByteBuffer byteOfIt = ByteBuffer.allocateDirect(1);
        for (int in = System.in.read(); in >= 0; in = System.in.read()) {
            channel.write(byteOfIt.clear().put(0, (byte) in));
            await(SelectionKey.OP_READ);
            if (channel.read(byteOfIt.clear()) != 1 || byteOfIt.get(0) != (byte) in) {
                throw new IOException("echoed wrongly");
            }
            System.out.println("echoed");
        }
    }

    /**
     * Round trips for a time and until its standard input ends, of random bytes and lengths, none of which fills a ring; and the
     * longest of them. For each line of its standard input it prints the longest trip since the last such line, including the trip
     * that is under way.
     */
    private void talk(long seed, long millis) throws IOException {
        mode('e');
        SplittableRandom random = new SplittableRandom(seed);
        ByteBuffer said = ByteBuffer.allocateDirect(1 << 14);
        ByteBuffer heard = ByteBuffer.allocateDirect(1 << 14);
        long longest = 0;
        long longestAt = 0;
        long longestSince = 0;
        int count = 0;
        AtomicInteger asked = new AtomicInteger();
        Thread asking = new Thread(() -> countLines(asked));
        asking.setDaemon(true);
        asking.start();
        long begun = System.nanoTime();
        for (long now = begun; now - begun < millis * 1_000_000 || asking.isAlive(); count++) {
            for (said.clear().limit(1 + random.nextInt(said.capacity())); said.hasRemaining(); ) {
                said.put((byte) random.nextInt());
            }
            heard.clear().limit(said.flip().limit());
            while (heard.hasRemaining()) {
                await(said.hasRemaining() ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
                channel.write(said);
                if (channel.read(heard) < 0) {
                    throw new EOFException("the server closed");
                }
            }
            if (!heard.flip().equals(said.flip())) {
                throw new IOException("message " + count + " came back wrong");
            }
            if (count == 0) {
                System.out.println("begun");
            }
            long after = System.nanoTime();
            if (after - now > longest) {
                longest = after - now;
                longestAt = after;
            }
            longestSince = Math.max(longestSince, after - now);
            if (asked.get() > 0) {
                asked.decrementAndGet();
                System.out.println(String.format(Locale.ROOT, "so far: %.1f ms", longestSince / 1e6));
                longestSince = 0;
            }
            now = after;
        }
        System.out.println(String.format(
                Locale.ROOT,
                "talked: %d messages came back, the longest in %.1f ms, %.1f s after the begin",
                count,
                longest / 1e6,
                (longestAt - begun) / 1e9));
    }

    private static void countLines(AtomicInteger lines) {
        try {
            for (int in = System.in.read(); in >= 0; in = System.in.read()) {
                lines.incrementAndGet();
            }
        } catch (IOException e) {
            System.out.println("cannot be asked any more: " + e);
        }
    }

    /** Random bytes in pieces of random lengths, both ways at once, compared. */
    private void bulk(long seed, long bytes) throws IOException {
        mode('e');
        System.out.println("begun");
        SplittableRandom lengths = new SplittableRandom(seed);
        SplittableRandom sent = new SplittableRandom(seed + 1);
        SplittableRandom expected = new SplittableRandom(seed + 1);
        ByteBuffer out = ByteBuffer.allocateDirect(1 << 17).limit(0);
        ByteBuffer in = ByteBuffer.allocateDirect(1 << 17);
        long toSend = bytes;
        long received = 0;
        while (true) {
            await(
                    toSend > 0 || out.hasRemaining()
                            ? SelectionKey.OP_READ | SelectionKey.OP_WRITE
                            : SelectionKey.OP_READ);
            if (!out.hasRemaining() && toSend > 0) {
                out.clear().limit((int) Math.min(toSend, 1 + lengths.nextInt(lengths.nextBoolean() ? 300 : 1 << 17)));
                toSend -= out.remaining();
                while (out.hasRemaining()) {
                    out.put((byte) sent.nextInt());
                }
                out.flip();
            }
            if (out.hasRemaining()) {
                channel.write(out);
                if (toSend == 0 && !out.hasRemaining()) {
                    channel.shutdownOutput();
                }
            }
            int n = channel.read(in.clear());
            if (n < 0) {
                break;
            }
            for (int i = 0; i < n; i++) {
                if (in.get(i) != (byte) expected.nextInt()) {
                    throw new IOException("byte " + (received + i) + " is wrong");
                }
            }
            received += n;
        }
        if (received != bytes) {
            throw new EOFException("sent " + bytes + " bytes, but " + received + " came back");
        }
        System.out.println("bulk " + bytes + " B: all came back");
    }

    /** Writes, and ends the process without a word. */
    private void exit(int bytes) throws IOException {
        mode('s');
        ByteBuffer message = ByteBuffer.allocateDirect(bytes);
        while (message.hasRemaining()) {
            if (channel.write(message) == 0) {
                await(SelectionKey.OP_WRITE);
            }
        }
        System.out.println("wrote " + bytes);
        System.exit(0);
    }

    /** Waits for the end of the server's process, and prints how it looks. */
    private void waitForEnd() throws IOException {
        mode('e');
        System.out.println("waiting");
        ByteBuffer in = ByteBuffer.allocateDirect(16);
        long start = System.nanoTime();
        int n = 0;
        try {
            while (n >= 0) {
                await(SelectionKey.OP_READ);
                n = channel.read(in.clear());
            }
            System.out.println("noticed: end of stream");
        } catch (IOException e) {
            System.out.println("noticed: " + e.getMessage());
        }
        System.out.println("after " + (System.nanoTime() - start) / 1_000_000 + " ms");
    }

    /** A round trip, silence for a time and until its standard input ends, and another one. */
    private void pause(long millis) throws IOException {
        ping(64, 1);
        System.out.println("pausing");
        if (selector.select(millis) != 0) {
            throw new IOException("something came in the pause");
        }
        int unused = System.in.readAllBytes().length;
        selector.selectedKeys().clear();
        channel.write(ByteBuffer.wrap(new byte[] {7}));
        ByteBuffer in = ByteBuffer.allocate(1);
        await(SelectionKey.OP_READ);
        if (channel.read(in) != 1 || in.get(0) != 7) {
            throw new IOException("echoed wrongly");
        }
        System.out.println("went on");
    }

    /** Opens connections, one after the other, each for one echo. */
    private static void churn(InetSocketAddress server, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            try (SocketChannel one = SocketChannel.open(server)) {
                one.write(ByteBuffer.wrap(new byte[] {'e', (byte) i}));
                ByteBuffer echo = ByteBuffer.allocate(1);
                if (one.read(echo) != 1 || echo.get(0) != (byte) i) {
                    throw new IOException("connection " + i + " echoed wrongly");
                }
            }
            if ((i + 1) % CHURN_STEP == 0) {
                System.out.println("churned " + (i + 1));
            }
        }
    }

    /** One way, as fast as it goes. */
    private void stream(int bytes, int count) throws IOException {
        mode('s');
        System.out.println("streaming");
        ByteBuffer message = ByteBuffer.allocateDirect(bytes);
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            message.clear();
            while (message.hasRemaining()) {
                if (channel.write(message) == 0) {
                    await(SelectionKey.OP_WRITE);
                }
            }
        }
        channel.shutdownOutput();
        ByteBuffer answer = ByteBuffer.allocate(Long.BYTES);
        while (answer.hasRemaining()) {
            await(SelectionKey.OP_READ);
            if (channel.read(answer) < 0) {
                throw new EOFException("the server closed without a count");
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        long total = (long) bytes * count;
        if (answer.getLong(0) != total) {
            throw new IOException("sent " + total + " bytes, " + answer.getLong(0) + " arrived");
        }
        System.out.println(String.format(
                Locale.ROOT, "stream %d B: %.1f MB/s, %.3f M/s", bytes, total / seconds / 1e6, count / seconds / 1e6));
    }
}
