// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric;

import io.accel.FallbackReason;
import io.accel.core.jdk.OpenFiles;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the file descriptors that Accel takes: one at each end of a link, for its doorbell, and some for each thread that sleeps. A program
 * that needs nearly all descriptors of the process must not fail because of Accel. So Accel gets an eighth, and takes none when less than a
 * quarter is free. Any thread.
 */
public final class DescriptorShare {
    /** Accel may have one part of this many. */
    private static final int PARTS = 8;
    /** One part of this many stays free for the program. */
    private static final int FREE_PARTS = 4;
    /** No more than so many need stay free. */
    private static final long MOST_FREE = 4_096;

    /** A program takes a few thousand at once where it takes many. */
    private static final long MANY = 4_096;

    private static final AtomicLong TAKEN = new AtomicLong();

    /**
     * When a descriptor was last given back, as {@link System#nanoTime}; an hour ago before the first. Any thread writes it; it guards no other
     * memory.
     */
    private static volatile long gaveBackAt = System.nanoTime() - TimeUnit.HOURS.toNanos(1);

    private DescriptorShare() {}

    /**
     * Takes a descriptor, before it is opened; its owner gives it back, once, after it has closed it. A channel that is registered with a
     * selector is closed at once, but its descriptor only when that selector next selects.
     *
     * @throws FallbackException NO_RESOURCES if Accel has its share, and no descriptor was taken
     */
    public static void take() throws FallbackException {
        take(OpenFiles.LIMIT, OpenFiles.free());
    }

    static void take(long limit, long free) throws FallbackException {
        if (TAKEN.incrementAndGet() > limit / PARTS && limit > 0) {
            TAKEN.decrementAndGet();
            throw Shortage.of(
                    FallbackReason.NO_RESOURCES,
                    "connections with faster paths have " + limit / PARTS + " of the " + limit
                            + " file descriptors that this process may have (ulimit -n), and the others are left to the"
                            + " program");
        }
        boolean done = false;
        try {
            checkFree(limit, free);
            done = true;
        } finally {
            if (!done) {
                TAKEN.decrementAndGet();
            }
        }
    }

    /**
     * Fails unless more descriptors are free than are left to the program.
     *
     * @throws FallbackException NO_RESOURCES if fewer are
     */
    public static void checkFree() throws FallbackException {
        checkFree(OpenFiles.LIMIT, OpenFiles.free());
    }

    private static void checkFree(long limit, long free) throws FallbackException {
        if (free <= reserve(limit)) {
            throw Shortage.of(
                    FallbackReason.NO_RESOURCES,
                    free + " of the " + limit
                            + " file descriptors that this process may have (ulimit -n) are free, and " + reserve(limit)
                            + " are left to the program");
        }
    }

    /**
     * Takes several descriptors where the caller can do without.
     *
     * @return false if Accel has its share, and none was taken
     */
    public static boolean tryTake(int descriptors) {
        long limit = OpenFiles.LIMIT;
        if (TAKEN.addAndGet(descriptors) > limit / PARTS && limit > 0) {
            TAKEN.addAndGet(-descriptors);
            return false;
        }
        return true;
    }

    /** Gives one back. */
    public static void giveBack() {
        giveBack(1);
    }

    /** Gives several back. */
    public static void giveBack(int descriptors) {
        gaveBackAt = System.nanoTime(); // before it is missing in the count
        TAKEN.addAndGet(-descriptors);
    }

    /** Whether a descriptor was given back in the last {@code nanos}, so that it may still be about to be closed. */
    public static boolean hasGivenBackWithin(long nanos) {
        return System.nanoTime() - gaveBackAt < nanos;
    }

    /** How many descriptors Accel has. */
    public static long taken() {
        return TAKEN.get();
    }

    /**
     * How many descriptors are missing of those that should be free.
     *
     * @param free how many are
     */
    static long missing(long free) {
        return reserve(OpenFiles.LIMIT) - free;
    }

    /** Whether the process has used few of the descriptors that it may have, and leaves many. */
    static boolean isFarFromAll(long limit, long free) {
        return limit == 0 || (limit - free < limit / LinkShare.FAR_PARTS && free > MANY);
    }

    private static long reserve(long limit) {
        return limit == 0 ? -1 : Math.min(limit / FREE_PARTS, MOST_FREE);
    }
}
