// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

/**
 * Decides when a poller reads the clock, and when it looks at the kernel. To read the clock takes as long as several
 * looks at memory. So it is read after a fixed number of looks, wherever they were made, and after a few calls. By
 * the owner of the poller's turn.
 */
final class PollClock {
    /** How many looks lie between two readings. */
    private static final int LOOKS = 256;
    /** How many looks a turn counts for, beside its own, towards the next reading. */
    private static final int TURN_LOOKS = 3;
    /** How many spinning turns a call of poll counts for, towards the next look at the kernel and the next reading. */
    private static final int CALL_TURNS = 16;
    /** How much time a turn of {@code poll.kernel-interval} stands for, where turns take longer. */
    private static final long TURN_NANOS = 50;
    /** How many times less often the poller looks at the kernel if it can only report the death of hot links. */
    private static final int ONLY_HOT = 16;

    /** After how many turns the poller looks at the kernel. */
    private int interval;
    /** How many looks are left until the next reading. */
    private int left = LOOKS;
    /** How many turns are left until the next look at the kernel. */
    private int kernelLeft;
    /** When the clock was last read. */
    private long now = System.nanoTime();
    /** The last reading before the kernel was last looked at. */
    private long kernelAt = now;

    /**
     * Begins to count.
     *
     * @param everyTurns after how many turns the poller looks at the kernel
     */
    void begin(int everyTurns) {
        interval = everyTurns;
        kernelLeft = everyTurns;
    }

    /** The time of the last reading. */
    long now() {
        return now;
    }

    long read() {
        long time = System.nanoTime();
        now = time;
        return time;
    }

    /** A turn has made this many looks. */
    void looked(int looks) {
        left -= looks + TURN_LOOKS;
    }

    /** Counts a call of poll or glance: the program's work before it may have taken any time. */
    void called() {
        kernelLeft -= CALL_TURNS;
        left -= CALL_TURNS * TURN_LOOKS;
    }

    boolean isDue() {
        return left <= 0;
    }

    /** Has the clock read after one turn more. */
    void hasten() {
        left = 0;
    }

    /**
     * Reads the clock, for it is time.
     *
     * @param onlyHot whether all links are hot
     */
    void tick(boolean onlyHot) {
        long time = System.nanoTime();
        long nanos = interval(onlyHot) * TURN_NANOS;
        // Where a turn takes long, the clock is read at each turn, so that the kernel does not have to wait for many
        // turns.
        left = time - now > nanos / 2 ? 1 : LOOKS;
        now = time;
        if (time - kernelAt >= nanos) {
            kernelLeft = 0;
        }
    }

    /** A turn has passed without a look at the kernel; returns whether that is due now. */
    boolean passKernel() {
        return --kernelLeft <= 0;
    }

    boolean isKernelDue() {
        return kernelLeft <= 0;
    }

    /**
     * Notes that the poller looks at the kernel.
     *
     * @param onlyHot whether all links are hot
     */
    void lookedAtKernel(boolean onlyHot) {
        kernelLeft = interval(onlyHot);
        kernelAt = now;
    }

    private int interval(boolean onlyHot) {
        // With hot links alone the kernel can only report that a peer has died.
        return onlyHot ? interval * ONLY_HOT : interval;
    }
}
