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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * {@code HotBesideCold ADDRESS PORT MILLIS COLD...}: for each number it opens that many connections to a {@link NioServer}, and uses each
 * once; then it opens another one in the same selector, lets the others become cold, and prints the times of that one's round trips of 64 B.
 */
final class HotBesideCold {
    private static final long PATIENCE_MILLIS = 60_000;
    /** Longer than {@code poll.spin} of any profile. */
    private static final long COOLING_NANOS = 2_000_000_000L;

    private static final int SIZE = 64;
    private static final int MOST = 1 << 20;

    private final Selector selector;
    private final ByteBuffer message = ByteBuffer.allocateDirect(SIZE);
    private final ByteBuffer answer = ByteBuffer.allocateDirect(SIZE);
    private final long[] nanos = new long[MOST];

    private HotBesideCold(Selector selector) {
        this.selector = selector;
    }

    public static void main(String[] args) throws IOException {
        InetSocketAddress server = new InetSocketAddress(InetAddress.getByName(args[0]), Integer.parseInt(args[1]));
        try (Selector selector = Selector.open()) {
            HotBesideCold bench = new HotBesideCold(selector);
            for (String cold : Arrays.asList(args).subList(3, args.length)) {
                bench.measure(server, Integer.parseInt(cold), Long.parseLong(args[2]));
            }
        }
    }

    private void measure(InetSocketAddress server, int cold, long millis) throws IOException {
        List<SocketChannel> channels = new ArrayList<>();
        try {
            for (int i = 0; i <= cold; i++) {
                SocketChannel channel = SocketChannel.open(server);
                channels.add(channel);
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                channel.configureBlocking(false);
                channel.register(selector, SelectionKey.OP_READ);
                if (channel.write(ByteBuffer.wrap(new byte[] {'e'})) != 1) {
                    throw new IOException("a new connection takes no byte");
                }
                roundTrip(channel);
            }
            SocketChannel hot = channels.get(cold);
            for (long begun = System.nanoTime(); System.nanoTime() - begun < COOLING_NANOS; ) {
                roundTrip(hot);
            }
            int count = 0;
            long begun = System.nanoTime();
            for (long now = begun; now - begun < millis * 1_000_000 && count < MOST; count++) {
                roundTrip(hot);
                long after = System.nanoTime();
                nanos[count] = after - now;
                now = after;
            }
            double mean = Arrays.stream(nanos, 0, count).average().orElseThrow();
            Arrays.sort(nanos, 0, count);
            System.out.println(String.format(
                    Locale.ROOT,
                    "beside %d cold: p50 %.1f us, mean %.1f, p99 %.1f, of %d round trips",
                    cold,
                    nanos[count / 2] / 1e3,
                    mean / 1e3,
                    nanos[count * 99 / 100] / 1e3,
                    count));
        } finally {
            for (SocketChannel channel : channels) {
                channel.close();
            }
            selector.selectNow();
        }
    }

    private void roundTrip(SocketChannel channel) throws IOException {
        message.clear();
        while (message.hasRemaining()) {
            channel.write(message);
        }
        answer.clear();
        while (answer.hasRemaining()) {
            if (selector.select(PATIENCE_MILLIS) == 0) {
                throw new IOException("no answer for " + PATIENCE_MILLIS + " ms");
            }
            selector.selectedKeys().clear();
            if (channel.read(answer) < 0) {
                throw new EOFException("the server closed");
            }
        }
    }
}
