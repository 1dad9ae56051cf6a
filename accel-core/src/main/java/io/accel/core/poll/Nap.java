package io.accel.core.poll;

import java.util.concurrent.locks.LockSupport;

/**
 * Passes what is left before a deadline when that is less than the JDK's selector can count. A thread that asks for a sleep of
 * microseconds wakes later than asked, on Linux by its timer slack of 50 us and what a wake-up costs. That delay is measured
 * at each nap, and how much it varies, so naps end before the deadline, and the thread looks around after each of them. Nothing wakes a
 * nap: what comes during one waits for its end, some 80 us at most on a machine with a core to spare.
 *
 * <p>What is kept for the delay is its mean and four times its mean deviation, as TCP's time-out of retransmissions is computed (RFC 6298).
 * A deadline is then missed by few naps, and what is kept too much passes in looks.
 *
 * <p>By the owner of a poller's turn.
 */
final class Nap {
    /** What a nap lasts at most by itself. */
    private static final long MOST_NANOS = 25_000;
    /** The delay of a wake-up, until one has been measured. */
    private static final long LATE_NANOS = 60_000;
    /** A longer delay is that of a crowded machine: a deadline is missed by it whatever is done. */
    private static final long MOST_LATE_NANOS = 100_000;
    /** How much wake-ups differ, until that has been measured. */
    private static final long DEVIATION_NANOS = 5_000;
    /** At most so much is kept for the delay. */
    private static final long MOST_RESERVED_NANOS = 150_000;
    /** Of how many naps the delay is a mean, and how many its deviation is one of, as powers of two. */
    private static final int MEMORY = 3;

    private static final int MEMORY_OF_DEVIATION = 2;

    private long late = LATE_NANOS;
    private long deviation = DEVIATION_NANOS;

    /** Time before a deadline that only naps can pass: a longer sleep would wake too late. */
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
        if (over > 0) { // else something unparked the thread
            long error = Math.min(over, MOST_LATE_NANOS) - late;
            deviation += (Math.abs(error) - deviation) >> MEMORY_OF_DEVIATION;
            late += error >> MEMORY;
        }
    }
}
