// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

/** Counts operations until the last of some moments, and for each moment how many had ended before it. One thread. */
public final class FirstSeconds {
    /** By {@link System#nanoTime}, in their order. */
    private final long[] moments;
    /** Those that ended before this moment, and not before the moment before it. */
    private final long[] counts;

    private int next;
    private boolean worked;

    FirstSeconds(long... moments) {
        this.moments = moments;
        counts = new long[moments.length];
    }

    /**
     * Counts operations that have ended just now.
     *
     * @return whether to go on: the last moment is still to come, or nothing has ended at all, so that a program of which nothing works does
     *     not pass for a slow one; after that moment nothing is counted
     */
    public boolean count(int operations) {
        long now = System.nanoTime();
        while (next < moments.length && now - moments[next] >= 0) {
            next++;
        }
        worked |= operations > 0;
        if (next == moments.length) {
            return !worked;
        }
        counts[next] += operations;
        return true;
    }

    /** The operations that ended before the moment of that number. */
    long before(int moment) {
        long sum = 0;
        for (int i = 0; i <= moment; i++) {
            sum += counts[i];
        }
        return sum;
    }
}
