// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import java.util.concurrent.locks.LockSupport;

/**
 * Passes the rest of the time before a deadline when that is less than the JDK's selector can count. A thread that
 * asks for a sleep of microseconds wakes later than asked, on Linux by its timer slack of 50 us and the cost of a
 * wake-up. That delay, and its variation, is measured at each nap, so naps end before the deadline, and the thread
 * looks around after each of them. Nothing wakes a nap: traffic during a nap waits for its end, some 80 us at most on
 * a machine with a core to spare.
 *
 * <p>The time reserved for the delay is its mean and four times its mean deviation, as TCP computes its
 * retransmission timeout (RFC 6298). Few naps then miss a deadline, and the surplus of the reserve passes in looks.
 *
 * <p>By the owner of a poller's turn.
 */
final class Nap {
    /** The longest nap, without its delay. */
    private static final long MOST_NANOS = 25_000;
    /** The assumed delay of a wake-up, until one has been measured. */
    private static final long LATE_NANOS = 60_000;
    /** A longer delay means a crowded machine: the deadline is missed by it in any case. */
    private static final long MOST_LATE_NANOS = 100_000;
    /** The assumed deviation of the delay, until it has been measured. */
    private static final long DEVIATION_NANOS = 5_000;
    /** The most time that is reserved for the delay. */
    private static final long MOST_RESERVED_NANOS = 150_000;
    /** How many naps the mean of the delay covers, and how many its deviation, as powers of two. */
    private static final int MEMORY = 3;

    private static final int MEMORY_OF_DEVIATION = 2;

    private long late = LATE_NANOS;
    private long deviation = DEVIATION_NANOS;

    /** The time before a deadline that only naps can pass: a longer sleep would wake too late. */
    long reserve() {
        return Math.min(late + 4 * deviation, MOST_RESERVED_NANOS);
    }

    /**
     * Naps once, or returns at once if the deadline is too near.
     *
     * @param left nanoseconds to the deadline
     */
    void take(long left) {
        long wanted = Math.min(left - reserve(), MOST_NANOS);
        if (wanted <= 0) {
            Thread.onSpinWait();
            return;
        }
        long start = System.nanoTime();
        LockSupport.parkNanos(this, wanted);
        long over = System.nanoTime() - start - wanted;
        if (over > 0) { // otherwise the thread was unparked
            long error = Math.min(over, MOST_LATE_NANOS) - late;
            deviation += (Math.abs(error) - deviation) >> MEMORY_OF_DEVIATION;
            late += error >> MEMORY;
        }
    }
}
