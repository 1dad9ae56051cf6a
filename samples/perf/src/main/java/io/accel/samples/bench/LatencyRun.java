// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Warms up and measures round trips one after the other, in the calling thread.
 *
 * <p>Arguments: {@code warmup_ms}, how long to run before the first measurement; {@code open_loop}, how many begin a second, see {@link
 * Arrivals}; without it each begins when the one before it ends. It measures whenever it is told to, for as long as it is told.
 * One look at the clock ends a round trip and begins the next, so each sample includes one look and one entry in the histogram,
 * some 30 ns together.
 */
public final class LatencyRun {
    /** One round trip, or the work before many. */
    @FunctionalInterface
    public interface RoundTrip {
        void run() throws IOException;
    }

    /** A count of the bytes that went through the kernel, of all time. */
    @FunctionalInterface
    interface KernelBytes {
        /** -1 if unknown. */
        long soFar() throws IOException;
    }

    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long WARM_SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Histogram nanos = new Histogram(LONGEST_NANOS, 3);
    private final RoundTrip roundTrip;
    private final int bytesMovedPerOp;
    private final int tripsPerSample;
    /** Null if the process's own count of reads and writes is enough. */
    private final KernelBytes kernelBytes;
    /** Null for a meter of the calling thread. */
    private Meter meter;

    /** Nanoseconds between the beginnings; 0 if each begins when the one before it ends. */
    private long interval;

    /** The work before each measurement, which is not measured. */
    private RoundTrip before = () -> {};

    /**
     * @param bytesMovedPerOp the bytes that this end reads and writes in a round trip
     * @param tripsPerSample how many round trips one {@code roundTrip.run()} makes; a sample is their mean
     */
    public LatencyRun(RoundTrip roundTrip, int bytesMovedPerOp, int tripsPerSample) {
        this(roundTrip, bytesMovedPerOp, tripsPerSample, null);
    }

    /** @param kernelBytes counts bytes that the process's own count of reads and writes does not show */
    LatencyRun(RoundTrip roundTrip, int bytesMovedPerOp, int tripsPerSample, KernelBytes kernelBytes) {
        this.roundTrip = roundTrip;
        this.bytesMovedPerOp = bytesMovedPerOp;
        this.tripsPerSample = tripsPerSample;
        this.kernelBytes = kernelBytes;
    }

    /** Runs {@code what} before each measurement; returns this. */
    LatencyRun after(RoundTrip what) {
        before = what;
        return this;
    }

    /** Takes the usage from {@code meter} instead of a meter of the calling thread; returns this. */
    public LatencyRun metering(Meter meter) {
        this.meter = meter;
        return this;
    }

    /** Says {@code warm} after {@code warmup_ms}, and then measures whenever it is told to; does not return. */
    public void execute(Parameters parameters) throws IOException {
        warmUp(parameters.millis("warmup_ms"));
        interval = Arrivals.interval(parameters);
        Event.named("warm").send();
        Meter meter = this.meter == null ? new Meter(Thread.currentThread()) : this.meter;
        while (true) {
            measure(meter, Control.awaitGo());
        }
    }

    private void measure(Meter meter, long duration) throws IOException {
        before.run();
        nanos.reset();
        long byKernel = kernelBytes == null ? -1 : kernelBytes.soFar();
        Usage before = meter.begin();
        long elapsed = interval == 0 ? loop(duration) : loop(duration, interval);
        Usage used = meter.end().since(before);
        if (kernelBytes != null) {
            used = used.withKernelBytes(byKernel < 0 ? -1 : kernelBytes.soFar() - byKernel);
        }
        LatencyReport.of(nanos, tripsPerSample, bytesMovedPerOp, elapsed)
                .with(used)
                .send();
    }

    /** In slices, so that the loop's method is compiled as a whole and not only where it happens to be running. */
    private void warmUp(long time) throws IOException {
        long begin = System.nanoTime();
        long spent = 0;
        while (spent < time) {
            loop(WARM_SLICE_NANOS);
            spent = System.nanoTime() - begin;
        }
    }

    private long loop(long duration) throws IOException {
        long begin = System.nanoTime();
        long last = begin;
        do {
            roundTrip.run();
            long now = System.nanoTime();
            nanos.recordValue(Math.min(now - last, LONGEST_NANOS));
            last = now;
        } while (last - begin < duration);
        return last - begin;
    }

    private long loop(long duration, long interval) throws IOException {
        long begin = System.nanoTime();
        Arrivals arrivals = new Arrivals(begin, interval);
        long now = begin;
        do {
            long from = arrivals.await();
            roundTrip.run();
            now = System.nanoTime();
            nanos.recordValue(Math.min(now - from, LONGEST_NANOS));
        } while (now - begin < duration);
        return now - begin;
    }
}
