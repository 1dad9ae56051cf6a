// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

/**
 * Decides whether coming to the link is worth it for a writer. A program that writes more than a ring holds before its peer reads would
 * wait for the way back each time. Such a writer stays with the kernel for a while, and longer each time.
 *
 * <p>Under the lock of {@link Outgoing}.
 */
final class LinkWorth {
    /** A link that carried less than this, and then was full for long, has cost more than it brought. */
    private static final long WORTH_IT_BYTES = 64L << 20;
    /** A link that was in use for this long before it was full has been worth it. */
    private static final long WORTH_IT_NANOS = 1_000_000_000L;
    /** How many failures in a row count as chance. */
    private static final int CHANCES = 2;

    private static final long FIRST_PAUSE_NANOS = 100_000_000L;
    private static final long LONGEST_PAUSE_NANOS = 10_000_000_000L;

    /** When the writer last came to the link. */
    private long cameAt;
    /** How often in a row the link was not worth coming to. */
    private int inVain;
    /** How long the writer stays with the kernel after a failure, and until when. */
    private long pauseNanos;

    private long pausedUntil;

    /** Takes note that the writer comes to the link. */
    void came() {
        cameAt = System.nanoTime();
    }

    /** Whether the writer should stay with the kernel for now. */
    boolean isPausing() {
        return pauseNanos != 0 && System.nanoTime() - pausedUntil < 0;
    }

    /**
     * Takes note that the writer leaves the link, which was full for long.
     *
     * @param sent the bytes that have gone over it since the writer came
     */
    void wasStuck(long sent) {
        if (sent >= WORTH_IT_BYTES || System.nanoTime() - cameAt >= WORTH_IT_NANOS) {
            inVain = 0;
            pauseNanos = 0;
            return;
        }
        inVain++;
        if (inVain > CHANCES) {
            pauseNanos = Math.min(Math.max(2 * pauseNanos, FIRST_PAUSE_NANOS), LONGEST_PAUSE_NANOS);
            pausedUntil = System.nanoTime() + pauseNanos;
        }
    }
}
