package io.accel.core.socket;

/**
 * How large the rings of a connection's next link are. The end that connected chooses: at first what the profile says, then several
 * times as much whenever the rings of the last link were too small, as far as both ends have room for it.
 *
 * <p>Any thread; each method takes this monitor, and waits for nothing else.
 */
final class RingSizes {
    /** How many times as large the rings of the next link are if those of the last were too small. */
    private static final int GROWTH = 4;

    private static final long FIRST_PAUSE_NANOS = 1_000_000_000L;
    private static final long LONGEST_PAUSE_NANOS = 60_000_000_000L;
    private static final long BEGINNING = System.nanoTime();

    // All guarded by this, and in bytes of one ring.
    private int next;
    private int largest;
    /** Of the link that was given back for a larger one, which is not there yet; otherwise 0. */
    private int grownFrom;
    /** When larger ones may be asked for again, for which there was no room. */
    private long largerAt = BEGINNING;
    /** How long to be content with those that there are, the next time that there is no room for larger ones. */
    private long largerPauseNanos = FIRST_PAUSE_NANOS;

    /**
     * Before the first link.
     *
     * @param first what to ask for, of a client
     * @param most what a link of this connection may have
     */
    RingSizes(int first, int most) {
        this.next = first;
        this.largest = most;
    }

    /** What to ask for. */
    synchronized int next() {
        return next;
    }

    /** Whether another link may have larger ones than a link has; the end that accepted can only wish for that. */
    synchronized boolean mayBeLargerThan(int present) {
        return present < largest && System.nanoTime() - largerAt >= 0;
    }

    /** A client gives back its link for a larger one. */
    synchronized void grow(int from) {
        grownFrom = from;
        next = Math.min(GROWTH * from, largest);
    }

    /**
     * There is a link.
     *
     * @param size what it has
     * @param isAsked whether this end has asked for it
     */
    synchronized void granted(int size, boolean isAsked) {
        if (grownFrom > 0) {
            grownFrom = 0;
            largerPauseNanos = FIRST_PAUSE_NANOS;
        }
        if (isAsked && size < next) {
            largest = size; // the peer has no larger ones
        }
    }

    /**
     * There is no link. If it was for its size, the next one is as large as the last, which there was room for.
     *
     * @param lacksRoom whether there may be room for a larger one when others have closed, or given their links back
     * @return whether it was for its size
     */
    synchronized boolean isRefused(boolean lacksRoom) {
        if (grownFrom == 0) {
            return false;
        }
        next = grownFrom;
        grownFrom = 0;
        if (lacksRoom) {
            largerAt = System.nanoTime() + largerPauseNanos;
            largerPauseNanos = Math.min(2 * largerPauseNanos, LONGEST_PAUSE_NANOS);
        } else {
            largest = next;
        }
        return true;
    }
}
