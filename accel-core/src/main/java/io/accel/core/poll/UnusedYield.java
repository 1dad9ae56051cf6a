// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import io.accel.core.jdk.VirtualThreads;

/**
 * The time of a yield that no other thread uses, on this machine. It is the time of a system call: 0.3 us on one machine,
 * and 1.5 us in a guest whose calls are slow. It is measured once. Thread-safe.
 */
final class UnusedYield {
    /** How many yields are measured: the first ones are slow, and other threads may use some. */
    private static final int TRIES = 8;
    /** A yield that takes longer was used by another thread. */
    private static final long MOST_NANOS = 3_000;
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
        long took = 0;
        for (int i = 0; i < TRIES && took < GIVEN_UP_NANOS; i++) {
            long before = System.nanoTime();
            Thread.yield();
            took = System.nanoTime() - before;
            least = Math.min(least, took);
        }
        return least <= MOST_NANOS ? least : 0;
    }
}
