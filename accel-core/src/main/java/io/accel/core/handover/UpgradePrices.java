// SPDX-License-Identifier: Apache-2.0
package io.accel.core.handover;

/**
 * The price of a link and the saving of a unit of traffic, as far as they are known in this process. Both are processor time. The price is
 * that of this end's last links, and as much again for the other end; what the JVM's compilers did meanwhile is a part of it. The saving
 * is the profile's estimate ({@code handover.saving}) until trials of links have shown a larger one: a program that sends at its own pace
 * shows none, and is served sooner all the same.
 *
 * <p>One thread changes it, the one that searches for links. Any thread asks {@link #areDue}.
 */
public final class UpgradePrices {
    /** The price before the first link: loading classes, and a handshake by code that is still interpreted. */
    static final long FIRST_PRICE_NANOS = 10_000_000L;

    private static final long LEAST_PRICE_NANOS = 100_000L;
    private static final long GREATEST_PRICE_NANOS = 200_000_000L;
    private static final int ENDS = 2;
    /** How many times as much as the estimate a saving counts at most: what a program does between two messages is none of it. */
    private static final int MOST_ESTIMATES = 10;
    /** The weight of the newest figure is one in this many. */
    private static final int MEMORY = 4;

    private final long estimate;

    // Written by the searching thread; others only see the sum of it in unitsDue, and observers may see old figures.
    private volatile long price = FIRST_PRICE_NANOS;
    private volatile long saving;

    /** Derived from both. Written by the searching thread, read with each operation through the kernel. */
    private volatile long unitsDue;

    /**
     * Prices of a process that has had no link so far.
     *
     * @param saving what the profile takes a unit's saving for, in nanoseconds, at least 1
     */
    public UpgradePrices(long saving) {
        this.estimate = saving;
        this.saving = saving;
        derive();
    }

    private void derive() {
        unitsDue = SkiRental.unitsDue(price, saving);
    }

    /**
     * Whether so much traffic through the kernel has paid for a link.
     *
     * @param operations reads and writes of the connection
     * @param bytes its bytes
     */
    public boolean areDue(long operations, long bytes) {
        return SkiRental.units(operations, bytes) >= unitsDue;
    }

    /**
     * Takes note of what links have cost.
     *
     * @param links how many, at least 1
     * @param nanos the processor time of this end, that of the compilers included
     */
    public void paid(int links, long nanos) {
        long each = Math.min(Math.max(ENDS * nanos / links, LEAST_PRICE_NANOS), GREATEST_PRICE_NANOS);
        long before = price;
        price = before + (each - before) / MEMORY;
        derive();
    }

    /**
     * Takes note of what a link saves.
     *
     * @param nanos the time by which a unit took less over the link than through the kernel; 0 if it did not
     */
    public void saved(long nanos) {
        long each = Math.min(nanos, MOST_ESTIMATES * estimate);
        long before = saving;
        saving = Math.max(estimate, before + (each - before) / MEMORY);
        derive();
    }

    /** The price of a link, in nanoseconds. */
    public long price() {
        return price;
    }

    /** The saving of a unit of traffic, in nanoseconds. */
    public long saving() {
        return saving;
    }
}
