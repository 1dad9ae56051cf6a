// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

/**
 * The turn that a virtual thread has at its carrier, by the operations of one kind that it makes on one object. A virtual thread gives its
 * carrier back where it waits. If its peer answers within microseconds, it never waits; or it waits so shortly that the carrier has only
 * run the JDK's poller meanwhile, which stands before all others in the carrier's own queue. No other virtual thread has its turn then, and the
 * carrier never rests, so that the JDK's thread that wakes sleepers waits milliseconds for a processor. Through the kernel no answer comes
 * that soon. So {@link #next} parks a thread for a moment that has gone on like that for 0.1 ms and {@value #LEAST} operations. The pause
 * takes about as long as the turn; in so many operations it is saved, since through the kernel each would have been a system call at least.
 *
 * <p>For one thread at a time. A platform thread is left alone.
 */
public final class CarrierTurn {
    private static final long LONGEST_NANOS = 100_000;
    /** The least number of operations in a turn. */
    private static final int LEAST = 32;
    /** The number of operations between two readings of the clock after that. */
    private static final int MORE = 8;

    /** How many more operations there are until the clock is read; none if the thread has waited since. */
    private int left;
    /** Whether {@link #since} is the beginning of the turn that goes on. */
    private boolean begun;
    /** When the turn began. */
    private long since;

    /** To be called at the beginning of an operation that may wait. */
    public void next() {
        if (--left <= 0) {
            left = begun ? MORE : LEAST;
            if (VirtualThreads.isCurrent() && isOver(System.nanoTime())) {
                boolean unused = VirtualThreads.parkBriefly();
                waited();
            }
        }
    }

    /** To be called when the thread has waited for so long that others have had its carrier, or nobody has wanted it. */
    public void waited() {
        left = 0;
        begun = false;
    }

    /** Whether the turn, which begins if it has not begun, has lasted long enough. */
    boolean isOver(long now) {
        if (!begun) {
            begun = true;
            since = now;
        }
        return now - since >= LONGEST_NANOS;
    }
}
