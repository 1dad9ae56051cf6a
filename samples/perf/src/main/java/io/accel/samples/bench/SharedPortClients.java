// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Connections to a {@link SharedPortServer}, one after the other, each for one message there and back; counts which listener
 * had how many. Arguments: {@code port}, {@code size}, {@code listeners}, {@code warmup_ms}. Measures whenever it is told to,
 * and at least so many connections that chance spreads them.
 */
public final class SharedPortClients {
    private static final int LEAST_CONNECTIONS = 200;
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final InetSocketAddress server;
    private final ByteBuffer message;
    private final long[] byListener;
    private final Histogram nanos = new Histogram(LONGEST_NANOS, 3);

    private SharedPortClients(Parameters parameters) throws IOException {
        server = parameters.server();
        message = ByteBuffer.allocateDirect(parameters.number("size"));
        byListener = new long[parameters.number("listeners")];
    }

    public static void main(String[] args) throws IOException {
        Parameters parameters = Parameters.parse(args);
        SharedPortClients clients = new SharedPortClients(parameters);
        clients.run(parameters.millis("warmup_ms"));
        Event.named("warm").send();
        Meter meter = new Meter(Thread.currentThread());
        while (true) {
            long duration = Control.awaitGo();
            Usage before = meter.begin();
            long elapsed = clients.run(duration);
            Usage used = meter.end().since(before);
            LatencyReport.of(clients.nanos, 1, 2L * clients.message.capacity(), elapsed)
                    .with("balance", clients.balance())
                    .with(used)
                    .send();
        }
    }

    private long run(long duration) throws IOException {
        nanos.reset();
        Arrays.fill(byListener, 0);
        long begin = System.nanoTime();
        long last = begin;
        do {
            byListener[connection()]++;
            long now = System.nanoTime();
            nanos.recordValue(Math.min(now - last, LONGEST_NANOS));
            last = now;
        } while (last - begin < duration || nanos.getTotalCount() < LEAST_CONNECTIONS);
        return last - begin;
    }

    private int connection() throws IOException {
        try (SocketChannel channel = SocketChannel.open(server)) {
            message.clear();
            while (message.hasRemaining()) {
                channel.write(message);
            }
            message.clear();
            while (message.hasRemaining()) {
                if (channel.read(message) < 0) {
                    throw new EOFException("the server closed after " + message.position() + " bytes");
                }
            }
            return message.get(message.capacity() - 1);
        }
    }

    /** The connections of the listener with the fewest, as a part of an even share: 1 if all got the same, 0 if one got nothing. */
    private double balance() {
        long fewest = Arrays.stream(byListener).min().orElse(0);
        return (double) fewest * byListener.length / nanos.getTotalCount();
    }
}
