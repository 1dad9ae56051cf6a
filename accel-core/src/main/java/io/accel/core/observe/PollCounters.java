// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import java.util.HashSet;
import java.util.Set;

/**
 * The counters of one poller. Only the owner of its turn writes them, at every turn, and therefore they lie on cache
 * lines that no other poller shares. Others read them plainly, each once for a sum: an old value does no harm, and a JVM of 64 bits
 * tears none. They are folded into the process's figures when the poller closes.
 */
public final class PollCounters extends PollCountersPadding implements AutoCloseable {
    /**
     * The sums for all pollers of the process.
     *
     * @param turns looks at the whole of the hot set
     * @param hits how many of these found something
     * @param sleeps how many times a poller went to sleep in the kernel
     * @param wakeups how many of these sleeps ended because of something to do
     */
    public record Totals(long turns, long hits, long sleeps, long wakeups) {
        Totals plus(PollCounters counters) {
            return new Totals(
                    turns + counters.turns, hits + counters.hits, sleeps + counters.sleeps, wakeups + counters.wakeups);
        }
    }

    /** Guarded by itself. */
    private static final Set<PollCounters> OPEN = new HashSet<>();
    /** The sums of closed pollers; null for none. Guarded by {@link #OPEN}. */
    private static Totals folded;

    private long turns;
    private long hits;
    private long sleeps;
    private long wakeups;

    /** Makes the counters of a poller that is about to begin. */
    public PollCounters() {
        synchronized (OPEN) {
            OPEN.add(this);
        }
    }

    /** The hot set was looked at. By the turn's owner. */
    public void turn(boolean hit) {
        turns++;
        if (hit) {
            hits++;
        }
    }

    /** The turn's owner goes to sleep. */
    public void sleep() {
        sleeps++;
    }

    /** The turn's owner woke because of something to do. */
    public void wakeup() {
        wakeups++;
    }

    /** The sums for all pollers of this process, closed ones too. */
    public static Totals totals() {
        synchronized (OPEN) {
            Totals sum = folded();
            for (PollCounters counters : OPEN) {
                sum = sum.plus(counters);
            }
            return sum;
        }
    }

    /** The poller is closed. A second call does nothing. */
    @Override
    public void close() {
        synchronized (OPEN) {
            if (OPEN.remove(this)) {
                folded = folded().plus(this);
            }
        }
    }

    /** In the monitor of {@link #OPEN}. */
    private static Totals folded() {
        return folded == null ? new Totals(0, 0, 0, 0) : folded;
    }
}
