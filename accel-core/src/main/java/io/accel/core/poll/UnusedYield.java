package io.accel.core.poll;

import io.accel.core.jdk.VirtualThreads;

/**
 * What a yield takes on this machine that no other thread uses: a system call, and so 0.3 us on one machine and 1.5 us in a guest whose
 * calls are dear. Measured once. Thread-safe.
 */
final class UnusedYield {
    /** The first calls are slow, and others may use some. */
    private static final int TRIES = 8;
    /** What takes longer was used. */
    private static final long MOST_NANOS = 3_000;
    /** Where others compute on the core each try takes a slice of theirs. */
    private static final long GIVEN_UP_NANOS = 200_000;

    private static final long NANOS = measure();

    private UnusedYield() {}

    /** In nanoseconds; 0 if unknown. */
    static long nanos() {
        return NANOS;
    }

    private static long measure() {
        if (VirtualThreads.isCurrent()) {
            return 0; // which yields its carrier, and not the core
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
