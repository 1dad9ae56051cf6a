// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.time.Duration;

/**
 * Shares out a time among runs that have to be over by its end. On a machine that is slow to start programs there is less time
 * left to warm them up. Used by one thread.
 */
final class Budget {
    /** The least time: a program that has never run shows nothing. */
    private static final Duration LEAST = Duration.ofMillis(250);

    private final Duration most;
    private final long deadline;
    private Duration beside = Duration.ofSeconds(1);
    private int runs;
    private long begun;

    private Budget(Duration most, long deadline, int runs) {
        this.most = most;
        this.deadline = deadline;
        this.runs = runs;
    }

    /** As long as it takes. */
    static Budget unlimited(Duration warmUp) {
        return new Budget(warmUp, 0, 0);
    }

    /**
     * Begins now.
     *
     * @param most the longest warm-up
     * @param runs how many there will be
     */
    static Budget of(Duration total, Duration most, int runs, long now) {
        return new Budget(most, now + total.toNanos(), runs);
    }

    /** How long the next run may take to become warm, if everything else in it takes as long as in the last run. */
    Duration nextWarmUp(long now) {
        if (runs == 0) {
            return most;
        }
        begun = now;
        Duration each = Duration.ofNanos(deadline - now).dividedBy(runs).minus(beside);
        return each.compareTo(most) > 0 ? most : each.compareTo(LEAST) < 0 ? LEAST : each;
    }

    /**
     * That run is over.
     *
     * @param warmUp how long it took to become warm
     */
    void over(Duration warmUp, long now) {
        if (runs > 0) {
            runs = Math.max(1, runs - 1);
            beside = Duration.ofNanos(now - begun).minus(warmUp);
        }
    }
}
