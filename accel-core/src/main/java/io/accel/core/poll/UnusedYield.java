// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import io.accel.core.jdk.VirtualThreads;

/**
 * The time of a yield that no other thread uses, on this machine. It is the time of a system call: 0.3 us on one machine, 1.5 us in a guest
 * whose calls are slow, and 10 us and more where another program carries them out, as in User-mode Linux. It is measured once. Thread-safe.
 */
final class UnusedYield {
    /** How many yields are measured: the first ones are slow, and other threads may use some. */
    private static final int TRIES = 8;
    /** A yield that takes longer was used by another thread, unless to read the clock takes long, too. */
    private static final long MOST_NANOS = 3_000;
    /**
     * How many times as long as a reading of the clock an unused yield, and the reading that measures it, take at most where the clock is
     * read by a system call. Elsewhere a reading is so short that this is less than {@link #MOST_NANOS}.
     */
    private static final int MOST_READINGS = 3;
    /** A yield that takes this long ends the measuring: other threads compute on the core, and take a slice at each try. */
    private static final long GIVEN_UP_NANOS = 200_000;

    private static final long NANOS = measure();

    private UnusedYield() {}

    /** The time in nanoseconds; 0 if unknown. */
    static long nanos() {
        return NANOS;
    }

    private static long measure() {
        if (VirtualThreads.isCurrent()) {
            return 0; // a virtual thread yields its carrier, and not the core
        }
        long least = Long.MAX_VALUE;
        long reading = Long.MAX_VALUE;
        long took = 0;
        for (int i = 0; i < TRIES && took < GIVEN_UP_NANOS; i++) {
            long read = System.nanoTime();
            long before = System.nanoTime();
            Thread.yield();
            took = System.nanoTime() - before;
            least = Math.min(least, took);
            reading = Math.min(reading, before - read);
        }
        return least <= Math.max(MOST_NANOS, MOST_READINGS * reading) ? least : 0;
    }
}
