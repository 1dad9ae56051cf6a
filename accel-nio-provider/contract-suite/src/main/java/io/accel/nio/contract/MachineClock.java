// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract;

import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Time as this process gets it: slower than the wall clock by the time that the process is kept from running. A limit by this clock
 * catches a program that hangs, not a machine that is busy with other work.
 *
 * <p>A daemon thread does a piece of work twice a second. It is made of short parts. The fastest part ever shows the time that
 * the work takes when nobody interrupts it; all parts together show the time that it takes now. Thread-safe.
 */
public final class MachineClock {
    private static final int PARTS = 10;
    /** The least time that a part takes. All parts together are longer than a scheduler lets a thread run when others wait. */
    private static final long PART_NANOS = 1_000_000;

    private static final long PAUSE_NANOS = 500_000_000;
    /** So code that hangs and keeps all processors busy comes to its end, too. */
    private static final double SLOWEST = 10;

    private static final MachineClock SHARED = new MachineClock();

    /** Written by the measuring thread; read by others without order, since they want the time only roughly. */
    private volatile long nanos;

    // Only the measuring thread.
    private int steps = 1_000;
    private long fastestPart = Long.MAX_VALUE;
    private long measured;
    private long sink;

    private MachineClock() {
        Thread thread = new Thread(this::run, "machine-clock");
        thread.setDaemon(true);
        thread.start();
    }

    /** The time since an arbitrary moment, in nanoseconds. It moves on twice a second, or less often on a machine that is slow. */
    public static long nanoTime() {
        return SHARED.nanos;
    }

    /**
     * Waits for a result.
     *
     * @throws TimeoutException if there is none within so many seconds by this clock, with both times in its message
     */
    public static <T> T get(Future<T> future, int seconds)
            throws InterruptedException, ExecutionException, TimeoutException {
        Moment start = Moment.now();
        while (true) {
            try {
                return future.get(100, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                if (start.isOver(seconds)) {
                    TimeoutException late =
                            new TimeoutException("timed out after " + seconds + " seconds: it has taken " + start);
                    late.initCause(e);
                    throw late;
                }
            }
        }
    }

    private void run() {
        long last = System.nanoTime();
        double slowness = 1;
        while (true) {
            LockSupport.parkNanos(PAUSE_NANOS);
            long all = 0;
            for (int i = 0; i < PARTS; i++) {
                long part = part();
                all += part;
                fastestPart = Math.min(fastestPart, part);
            }
            if (fastestPart < PART_NANOS) {
                steps *= 2; // also after the compiler has made the work shorter
                fastestPart = Long.MAX_VALUE;
            } else {
                slowness = Math.min(SLOWEST, (double) all / (PARTS * fastestPart));
            }
            long now = System.nanoTime();
            measured += (long) ((now - last) / slowness);
            nanos = measured;
            last = now;
        }
    }

    /** Does a part of the work; returns how long it took, in nanoseconds. */
    private long part() {
        long start = System.nanoTime();
        long value = sink;
        for (int i = 0; i < steps; i++) {
            value = value * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L;
        }
        sink = value;
        return System.nanoTime() - start;
    }

    /** A moment by both clocks. */
    public record Moment(long wallNanos, long machineNanos) {
        public static Moment now() {
            return new Moment(System.nanoTime(), nanoTime());
        }

        /** Whether that many seconds have passed by this clock, or ten times as many by the wall clock. */
        public boolean isOver(int seconds) {
            long limit = TimeUnit.SECONDS.toNanos(seconds);
            return nanoTime() - machineNanos >= limit || System.nanoTime() - wallNanos >= limit * (long) SLOWEST;
        }

        /** Both times since then, and the factor by which the machine was slower than it can be. */
        @Override
        public String toString() {
            long wall = System.nanoTime() - wallNanos;
            long machine = nanoTime() - machineNanos;
            return String.format(
                    Locale.ROOT,
                    "%.1f s on the wall, %.1f s by the machine's own clock (%.1f times slower)",
                    wall / 1e9,
                    machine / 1e9,
                    machine <= 0 ? SLOWEST : (double) wall / machine);
        }
    }
}
