// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * The distribution of the durations of some kind of event: how many fell in each of some ranges, from ten
 * microseconds to ten seconds, three to a decade. It is for events that take a system call or a look at the clock
 * anyway. Thread-safe; all values only grow.
 */
public final class Durations {
    /** From ten microseconds to ten seconds. */
    private static final int DECADES = 6;

    private static final long[] BOUNDS_NANOS = bounds();

    /** The number in each range; the last one counts durations beyond the last bound. */
    private final LongAdder[] counts = new LongAdder[BOUNDS_NANOS.length + 1];

    private final LongAdder nanos = new LongAdder();

    /** Makes an object without durations. */
    public Durations() {
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    private static long[] bounds() {
        long[] bounds = new long[3 * DECADES + 1];
        long decade = TimeUnit.MICROSECONDS.toNanos(10);
        for (int i = 0; i < DECADES; i++) {
            bounds[3 * i] = decade;
            bounds[3 * i + 1] = decade * 5 / 2;
            bounds[3 * i + 2] = decade * 5;
            decade *= 10;
        }
        bounds[3 * DECADES] = decade;
        return bounds;
    }

    /** The greatest duration of each range but the last, in nanoseconds; a new array. */
    public static long[] boundsNanos() {
        return BOUNDS_NANOS.clone();
    }

    /** Adds an event that took this many nanoseconds. */
    public void add(long took) {
        int range = 0;
        while (range < BOUNDS_NANOS.length && took > BOUNDS_NANOS[range]) {
            range++;
        }
        counts[range].increment();
        nanos.add(took);
    }

    /** How many events fell in each range, of which there is one more than bounds; a new array. */
    public long[] counts() {
        long[] all = new long[counts.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = counts[i].sum();
        }
        return all;
    }

    /** How many events there were. */
    public long count() {
        long sum = 0;
        for (LongAdder each : counts) {
            sum += each.sum();
        }
        return sum;
    }

    /** How many nanoseconds all events took. */
    public long nanos() {
        return nanos.sum();
    }
}
