// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * A virtual thread that sleeps a millisecond again and again, beside virtual threads that wait for a {@link SleeperPeer}: the bench measures
 * how late it wakes. Arguments: {@code port}, {@code connections}, {@code warmup_ms}, and {@code beside}, see {@link Beside}. Measures whenever
 * it is told to.
 */
public final class VirtualSleeper {
    private static final long SLEEP_MILLIS = 1;
    private static final long SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(SLEEP_MILLIS);
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(60);
    /** In this time neighbours get something to do, also on a busy machine. */
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ExecutorService virtual = VirtualThreads.executor();
    private final List<SleepersNeighbour> neighbours = new ArrayList<>();

    private VirtualSleeper() {}

    public static void main(String[] args) throws Exception {
        Parameters parameters = Parameters.parse(args);
        Beside beside = Beside.of(parameters);
        VirtualSleeper sleeper = new VirtualSleeper();
        for (int i = 0; i < parameters.number("connections"); i++) {
            SleepersNeighbour neighbour = SleepersNeighbour.of(beside, parameters);
            sleeper.neighbours.add(neighbour);
            sleeper.virtual.execute(neighbour::waitAgainAndAgain);
        }
        sleeper.sleep(parameters.millis("warmup_ms"));
        Event.named("warm").send();
        Meter meter = Meter.ofAllThreads();
        KernelDatagrams datagrams = new KernelDatagrams(2 * Beside.MESSAGE_BYTES);
        while (true) {
            long duration = Control.awaitGo();
            long moved = sleeper.moved();
            long byKernel = datagrams.bytes();
            Usage before = meter.begin();
            long begin = System.nanoTime();
            Histogram late = sleeper.sleep(duration);
            long elapsed = System.nanoTime() - begin;
            Usage used = meter.end().since(before);
            if (beside == Beside.DATAGRAM) {
                used = used.withKernelBytes(byKernel < 0 ? -1 : datagrams.bytes() - byKernel);
            }
            moved = sleeper.moved() - moved;
            if (moved == 0 && beside != Beside.ACCEPT && duration >= LONG_NANOS) {
                throw new IOException("the neighbours waited in vain");
            }
            LatencyReport.of(late, 1, moved / late.getTotalCount(), elapsed)
                    .with("longest_ns", late.getMaxValue())
                    .with(used)
                    .send();
        }
    }

    private long moved() {
        return neighbours.stream().mapToLong(SleepersNeighbour::moved).sum();
    }

    /** How late it woke each time, in nanoseconds, for as long as {@code duration}. */
    private Histogram sleep(long duration) throws InterruptedException, ExecutionException {
        Future<Histogram> sleeping = virtual.submit(() -> {
            Histogram late = new Histogram(LONGEST_NANOS, 3);
            long end = System.nanoTime() + duration;
            for (long now = System.nanoTime(); now - end < 0; ) {
                long due = now + SLEEP_NANOS;
                Thread.sleep(SLEEP_MILLIS);
                now = System.nanoTime();
                late.recordValue(Math.max(0, Math.min(now - due, LONGEST_NANOS)));
            }
            return late;
        });
        return sleeping.get();
    }
}
