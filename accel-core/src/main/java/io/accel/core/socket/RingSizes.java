// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

/**
 * Decides how large the rings of a connection's next link are. The end that connected chooses: at first the profile's size, then several
 * times as much whenever the rings of the last link were too small, as far as both ends have room for them.
 *
 * <p>Any thread; each method takes this monitor, and waits for nothing else.
 */
final class RingSizes {
    /** The factor by which the next link's rings are larger if the last link's rings were too small. */
    private static final int GROWTH = 4;

    private static final long FIRST_PAUSE_NANOS = 1_000_000_000L;
    private static final long LONGEST_PAUSE_NANOS = 60_000_000_000L;
    private static final long BEGINNING = System.nanoTime();

    // All guarded by this, and in bytes of one ring.
    private int next;
    private int largest;
    /** The ring size of a link that was given back for a larger one, until that is there; otherwise 0. */
    private int grownFrom;
    /** When larger rings may be asked for again, after there was no room for them. */
    private long largerAt = BEGINNING;
    /** How long to be content with the present rings, the next time that there is no room for larger ones. */
    private long largerPauseNanos = FIRST_PAUSE_NANOS;

    /**
     * The sizes before the first link.
     *
     * @param first the size that a client asks for first
     * @param most the largest size that a link of this connection may have
     */
    RingSizes(int first, int most) {
        this.next = first;
        this.largest = most;
    }

    /** The size to ask for. */
    synchronized int next() {
        return next;
    }

    /** Whether another link may have larger rings than {@code present}; the end that accepted can only wish for that. */
    synchronized boolean mayBeLargerThan(int present) {
        return present < largest && System.nanoTime() - largerAt >= 0;
    }

    /** Takes note that a client gives back its link for a larger one. */
    synchronized void grow(int from) {
        grownFrom = from;
        next = Math.min(GROWTH * from, largest);
    }

    /**
     * Takes note of a link.
     *
     * @param size the size of its rings
     * @param isAsked whether this end has asked for it
     */
    synchronized void granted(int size, boolean isAsked) {
        if (grownFrom > 0) {
            grownFrom = 0;
            largerPauseNanos = FIRST_PAUSE_NANOS;
        }
        if (isAsked && size < next) {
            largest = size; // the peer allows no larger ones
        }
    }

    /**
     * Takes note that there is no link. If its size was the reason, the next link is as large as the last one, for which there was room.
     *
     * @param lacksRoom whether there may be room for a larger one when others have closed, or given their links back
     * @return whether its size was the reason
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
