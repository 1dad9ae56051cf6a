// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Many sockets that have all talked with one {@link DatagramEchoServer}; then one of them talks on, {@value #AT_A_TIME}
 * datagrams at a time: each that comes back sends the next. Lost ones are sent again after a while, and reported.
 * Arguments: {@code port}, {@code size}, {@code connections}, {@code warmup_ms}. Measures whenever it is told to.
 */
public final class DatagramPeers {
    private static final int AT_A_TIME = 8;
    private static final int TRIPS_EACH = 20;
    private static final long PATIENCE_MILLIS = 200;
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long NOTHING = 0;

    private final Selector selector;
    private final DatagramChannel channel;
    private final ByteBuffer message;
    private final Histogram nanos = new Histogram(LONGEST_NANOS, 3);
    /** The time at which each datagram under way was sent, by its number's place. */
    private final long[] sentAt = new long[AT_A_TIME];

    /** The number that each place awaits, or {@link #NOTHING}. */
    private final long[] awaited = new long[AT_A_TIME];

    private long sequence;
    private long lost;

    private DatagramPeers(Selector selector, DatagramChannel channel, int size) throws IOException {
        this.selector = selector;
        this.channel = channel;
        this.message = ByteBuffer.allocateDirect(size);
    }

    public static void main(String[] args) throws IOException {
        Parameters parameters = Parameters.parse(args);
        int size = parameters.number("size");
        List<DatagramPeers> peers = new ArrayList<>();
        for (int i = 0; i < parameters.number("connections"); i++) {
            DatagramChannel channel = DatagramChannel.open();
            channel.connect(parameters.server());
            channel.configureBlocking(false);
            Selector selector = i == 0 ? Selector.open() : peers.get(0).selector;
            channel.register(selector, SelectionKey.OP_READ);
            peers.add(new DatagramPeers(selector, channel, size));
        }
        // More than once, since Accel looks for a faster path than the kernel's after the first datagrams.
        for (int round = 0; round < 2; round++) {
            for (DatagramPeers peer : peers) {
                peer.run(0, TRIPS_EACH);
            }
        }
        DatagramPeers active = peers.get(peers.size() / 2);
        active.run(parameters.millis("warmup_ms"), 0);
        Event.named("warm").send();
        active.measure();
    }

    private void measure() throws IOException {
        Meter meter = new Meter(Thread.currentThread());
        KernelDatagrams kernel = new KernelDatagrams(2 * message.capacity());
        while (true) {
            long duration = Control.awaitGo();
            long byKernel = kernel.bytes();
            Usage before = meter.begin();
            long elapsed = run(duration, 0);
            Usage used = meter.end().since(before);
            LatencyReport.of(nanos, 1, 2L * message.capacity(), elapsed)
                    .with("lost", lost)
                    .with(used.withKernelBytes(byKernel < 0 ? -1 : kernel.bytes() - byKernel))
                    .send();
        }
    }

    /**
     * Goes on for {@code duration} nanoseconds and {@code least} answers at least, then waits for the datagrams under way, so
     * that none of them comes later.
     */
    private long run(long duration, int least) throws IOException {
        nanos.reset();
        lost = 0;
        long begin = System.nanoTime();
        long now = begin;
        for (int place = 0; place < AT_A_TIME; place++) {
            send(place);
        }
        boolean more = true;
        boolean missing = true;
        while (missing) {
            boolean some = selector.select(PATIENCE_MILLIS) > 0;
            selector.selectedKeys().clear();
            now = System.nanoTime();
            more = more && (now - begin < duration || nanos.getTotalCount() < least);
            while (channel.read(message.clear()) > 0) {
                some = true;
                answered(message.getLong(0), more);
            }
            missing = false;
            for (int place = 0; place < AT_A_TIME; place++) {
                if (awaited[place] != NOTHING && !some) {
                    lost++;
                    awaited[place] = NOTHING;
                    if (more) {
                        send(place);
                    }
                }
                missing |= awaited[place] != NOTHING;
            }
        }
        return now - begin;
    }

    private void answered(long number, boolean more) throws IOException {
        int place = (int) (number % AT_A_TIME);
        if (awaited[place] != number) {
            return; // so late that it was taken for lost
        }
        nanos.recordValue(Math.min(System.nanoTime() - sentAt[place], LONGEST_NANOS));
        awaited[place] = NOTHING;
        if (more) {
            send(place);
        }
    }

    /** A number's remainder is its place. */
    private void send(int place) throws IOException {
        sequence++;
        awaited[place] = sequence * AT_A_TIME + place;
        sentAt[place] = System.nanoTime();
        channel.write(message.clear().putLong(0, awaited[place]));
    }
}
