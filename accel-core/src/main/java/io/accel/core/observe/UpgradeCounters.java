// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import java.util.concurrent.atomic.LongAdder;

/**
 * How a process decides about faster paths: what they cost, what they are taken to save, and how that went. Any thread.
 */
public final class UpgradeCounters {
    private static final LongAdder LINKS = new LongAdder();
    private static final LongAdder PAID_NANOS = new LongAdder();
    private static final LongAdder SLOWER = new LongAdder();

    private static volatile String state = "";
    private static volatile int waiting;
    private static volatile long priceNanos;
    private static volatile long savingNanos;

    private UpgradeCounters() {}

    /**
     * Shows where the decision stands.
     *
     * @param name the state of the gate
     * @param connections how many connections wait at it
     * @param price what a faster path costs, in nanoseconds
     * @param saving what a unit of traffic saves over it, in nanoseconds
     */
    public static void show(String name, int connections, long price, long saving) {
        state = name;
        waiting = connections;
        priceNanos = price;
        savingNanos = saving;
    }

    /** So many faster paths have cost this end so much processor time. */
    public static void paid(int count, long nanos) {
        LINKS.add(count);
        PAID_NANOS.add(nanos);
    }

    /** A connection was slower over its faster path, and has given it back. */
    public static void slower() {
        SLOWER.increment();
    }

    /** The state of the gate; empty before the first connection has come to it. */
    public static String state() {
        return state;
    }

    /** How many connections wait at the gate. */
    public static int waiting() {
        return waiting;
    }

    /** What a faster path costs, in nanoseconds of processor time. */
    public static long priceNanos() {
        return priceNanos;
    }

    /** What a read, a write or 8 KiB saves over a faster path, in nanoseconds. */
    public static long savingNanos() {
        return savingNanos;
    }

    /** How many faster paths this end has paid for. */
    public static long links() {
        return LINKS.sum();
    }

    /** The processor time of this end for these, in nanoseconds. */
    public static long paidNanos() {
        return PAID_NANOS.sum();
    }

    /**
     * What the messages that have gone over faster paths are taken to have saved, in nanoseconds, and what these paths have cost this end taken
     * off: less than 0 as long as they have not paid off.
     */
    public static long savedNanos() {
        long messages = 0;
        for (PathName path : PathName.values()) {
            if (path != PathName.KERNEL) {
                Figures totals = Connections.totals(path);
                messages += totals.get(Figure.MESSAGES_IN) + totals.get(Figure.MESSAGES_OUT);
            }
        }
        return messages * savingNanos - paidNanos();
    }

    /** How many connections were slower over their faster paths, and have given them back. */
    public static long slowerOnes() {
        return SLOWER.sum();
    }
}
