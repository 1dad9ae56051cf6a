// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The times at which operations are due that arrive at a fixed rate, whether earlier ones have ended or not. An operation that is late
 * because the one before it was late counts from when it was due, so a server that pauses also pays for the operations that it
 * kept from beginning (no coordinated omission). Used by one thread.
 */
public final class Arrivals {
    private final long interval;
    private long due;

    /**
     * @param first when the first one is due, in {@code System.nanoTime()} @param
     * interval nanoseconds from one to the next
     */
    public Arrivals(long first, long interval) {
        due = first;
        this.interval = interval;
    }

    /** The nanoseconds between operations that {@code open_loop} asks for, a number of them a second; 0 without it. */
    public static long interval(Parameters parameters) {
        int rate = parameters.number("open_loop", 0);
        return rate == 0 ? 0 : TimeUnit.SECONDS.toNanos(1) / rate;
    }

    /** Waits until the next operation is due, and returns the moment from which its time counts. */
    public long await() {
        long now = System.nanoTime();
        long from = now - due < 0 ? sleepUntil(due) : due;
        due += interval;
        return from;
    }

    /** Returns when it woke up: the measurement is not about how late a sleeper wakes. */
    private static long sleepUntil(long due) {
        long now = System.nanoTime();
        while (now - due < 0) {
            LockSupport.parkNanos(due - now);
            now = System.nanoTime();
        }
        return now;
    }
}
