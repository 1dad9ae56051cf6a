// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Round trips to a {@link SelectorEchoServer} over {@code connections} blocking channels, each of which has a thread: one right
 * after the other, or one each {@code interval_us}. A request that is late because the answer before it was late counts from
 * when it was due. Arguments: those, {@code port}, {@code size}, {@code warmup_ms}, and {@code threads=virtual} for virtual threads,
 * whose garbage is not counted. Measures whenever it is told to.
 */
public final class BlockingClients {
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final List<Talker> talkers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final int bytesMovedPerOp;

    private BlockingClients(Parameters parameters) throws IOException {
        int size = parameters.number("size");
        bytesMovedPerOp = 2 * size;
        long interval = TimeUnit.MICROSECONDS.toNanos(parameters.number("interval_us", 0));
        int connections = parameters.number("connections");
        for (int i = 0; i < connections; i++) {
            // Spread over the interval, so that they do not all ask at once.
            talkers.add(new Talker(parameters, size, interval, interval * i / connections));
        }
    }

    public static void main(String[] args) throws Exception {
        Parameters parameters = Parameters.parse(args);
        BlockingClients clients = new BlockingClients(parameters);
        ExecutorService executor = VirtualThreads.areWanted(parameters)
                ? VirtualThreads.executor()
                : Executors.newFixedThreadPool(clients.talkers.size(), task -> clients.newThread(task));
        clients.run(executor, parameters.millis("warmup_ms"));
        Event.named("warm").send();
        Meter meter = new Meter(clients.threads.toArray(Thread[]::new));
        while (true) {
            long duration = Control.awaitGo();
            Usage before = meter.begin();
            long begin = System.nanoTime();
            Histogram nanos = clients.run(executor, duration);
            long elapsed = System.nanoTime() - begin;
            LatencyReport.of(nanos, 1, clients.bytesMovedPerOp, elapsed)
                    .with(meter.end().since(before))
                    .send();
        }
    }

    private Thread newThread(Runnable task) {
        Thread thread = new Thread(task, "client-" + threads.size());
        thread.setDaemon(true);
        threads.add(thread);
        return thread;
    }

    /** The times of all round trips, which all talkers make at the same time for {@code duration} nanoseconds. */
    private Histogram run(ExecutorService executor, long duration) throws IOException, InterruptedException {
        List<Future<Histogram>> runs = new ArrayList<>();
        long begin = System.nanoTime();
        for (Talker talker : talkers) {
            runs.add(executor.submit(() -> talker.run(begin, begin + duration)));
        }
        Histogram sum = new Histogram(LONGEST_NANOS, 3);
        for (Future<Histogram> run : runs) {
            try {
                sum.add(run.get());
            } catch (ExecutionException e) {
                throw new IOException("a client failed", e.getCause());
            }
        }
        return sum;
    }

    /** One connection; used by one thread at a time. */
    private static final class Talker {
        private final SocketChannel channel;
        private final ByteBuffer request;
        private final ByteBuffer reply;
        private final long interval;
        private final long offset;
        private final Histogram nanos = new Histogram(LONGEST_NANOS, 3);
        private long sequence;

        Talker(Parameters parameters, int size, long interval, long offset) throws IOException {
            channel = SocketChannel.open(parameters.server());
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            request = ByteBuffer.allocateDirect(size);
            reply = ByteBuffer.allocateDirect(size);
            this.interval = interval;
            this.offset = offset;
        }

        Histogram run(long begin, long end) throws IOException {
            nanos.reset();
            Arrivals arrivals = interval > 0 ? new Arrivals(begin + offset, interval) : null;
            for (long now = System.nanoTime(); now - end < 0; now = System.nanoTime()) {
                long from = arrivals == null ? now : arrivals.await();
                roundTrip();
                nanos.recordValue(Math.min(System.nanoTime() - from, LONGEST_NANOS));
            }
            return nanos;
        }

        private void roundTrip() throws IOException {
            request.clear().putLong(0, ++sequence);
            while (request.hasRemaining()) {
                channel.write(request);
            }
            reply.clear();
            while (reply.hasRemaining()) {
                if (channel.read(reply) < 0) {
                    throw new EOFException("the server closed " + channel);
                }
            }
            if (reply.getLong(0) != sequence) {
                throw new IOException("sent message " + sequence + " but got back " + reply.getLong(0));
            }
        }
    }
}
