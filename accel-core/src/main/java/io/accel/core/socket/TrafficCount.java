// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.FallbackReason;
import io.accel.core.fabric.Shortage;
import io.accel.profile.HandoverAfter.Unrest;

/**
 * Counts the traffic through the kernel, to tell when a connection is worth a link. The end that connected counts, asks for a link when it
 * has reached {@code handover.after}, and starts over when it got none, or has given one back.
 *
 * <p>Readers and writers count, in their halves, without a lock. The methods called after an answer run in the monitor of {@link
 * StreamHandover}.
 */
final class TrafficCount {
    /** How long a connection that had a link is content with the kernel if it gets no other; it doubles each time. */
    private static final long FIRST_PAUSE_NANOS = 1_000_000_000L;

    private static final long LONGEST_PAUSE_NANOS = 60_000_000_000L;
    /** The number of reads and writes through the kernel before a connection that gave its link back for others asks again. */
    private static final int OPERATIONS_IN_SHORTAGE = 16;

    /** The pause after a first answer that may soon change. */
    private static final long SOON_NANOS = 50_000_000L;
    /** How often this end asks whether anybody knows this connection after all. */
    private static final int MOST_ASKED = 3;

    /** How long after the answer that the peer has no Accel it is asked again; each time it is longer by as much. */
    private static final long YOUNG_PEER_NANOS = 1_500_000_000L;
    /** How often that is. A listener in a process that has only just begun opens to clients a second after it was bound, or five. */
    private static final int MOST_ASKED_OF_YOUNG = 3;

    /** A count of reads and writes, a count of bytes, and a time, as {@link System#nanoTime}. */
    private record Count(int operations, long bytes, long earliest) {}

    private final StreamSocket socket;
    /** Whether the peer knows the connection before it has carried anything. */
    private final boolean isNamed;

    /**
     * Whether the traffic was enough, and nothing is counted. Set by the thread that finds so; cleared, after {@link #from}, to start over.
     */
    private volatile boolean enough;
    /**
     * The number of operations that pass before the traffic is summed up again. Readers and writers write it without order: one that gets lost
     * is summed up a little sooner or later.
     */
    private int uncounted;
    /** Whether a link was ever asked for. Set before {@link #enough}, and never taken back. */
    private volatile boolean asked;
    /**
     * The traffic before the count began, and the earliest time for a link; null if it is counted from the beginning. Written by the thread
     * that starts over.
     */
    private volatile Count from;

    // In the monitor of the handover.

    /** How long the connection stays content with the kernel the next time. */
    private long pauseNanos = FIRST_PAUSE_NANOS;
    /** How long the connection stays content with the kernel after it was slower with a link, the next time. */
    private long slowerPauseNanos = FIRST_PAUSE_NANOS;
    /** How long until the peer is asked again that cannot tell yet, or cannot afford a link now; it doubles each time. */
    private long notYetPauseNanos = SOON_NANOS;
    /** The number of answers that might soon have changed. */
    private int askedInVain;
    /** The number of answers of peers that may have been young. */
    private int askedOfYoung;

    /**
     * Counts from the beginning.
     *
     * @param enough whether to count nothing before the count starts over
     */
    TrafficCount(StreamSocket socket, boolean enough) {
        this.socket = socket;
        this.isNamed = socket.kind().isNamed();
        if (enough) {
            this.enough = true;
            this.asked = true;
        }
    }

    /** Counts bytes that have gone through the kernel in either direction. In the half of that direction. */
    void note() {
        if (enough) {
            return;
        }
        int left = uncounted;
        if (left > 0) {
            uncounted = left - 1;
            return;
        }
        Count began = from;
        int done = operations();
        long bytes = bytes();
        if (began != null) {
            done -= began.operations(); // negative until the operations to wait for have passed
            bytes -= began.bytes();
        }
        if (done >= 0
                && (isNamed || socket.incoming().taken() > 0)
                && socket.isWorthLink(done, bytes)
                && (began == null || System.nanoTime() - began.earliest() >= 0)) {
            asked = true;
            enough = true; // two threads may both come here; the second request finds nothing to do
            StreamSearches.get().requestWhenWorthIt(socket);
        } else {
            uncounted = socket.operationsToPass();
        }
    }

    /** Whether a link was ever asked for: a search for it may go on. */
    boolean hasAsked() {
        return asked;
    }

    private int operations() {
        return socket.incoming().reads() + socket.outgoing().writes();
    }

    private long bytes() {
        return socket.incoming().taken() + socket.outgoing().given();
    }

    private void restart(long earliest, int operationsMore) {
        from = new Count(operations() + operationsMore, bytes(), earliest);
        enough = false;
    }

    private static long twice(long pause) {
        return Math.min(2 * pause, LONGEST_PAUSE_NANOS);
    }

    /** Starts over, to ask for another link after a pause. */
    void restartAfterPause() {
        restart(System.nanoTime() + pauseNanos, 0);
    }

    /** Makes the next pause longer. */
    void lengthenPause() {
        pauseNanos = twice(pauseNanos);
    }

    /** Makes the next pause short again, since there is a link. */
    void resetPause() {
        pauseNanos = FIRST_PAUSE_NANOS;
        notYetPauseNanos = SOON_NANOS;
    }

    /** Whether this end may ask once more after an answer that nobody knows this connection. */
    boolean mayAskAgain() {
        return askedInVain + 1 < MOST_ASKED;
    }

    /** Starts over after an answer that may soon change: asks soon the first time, then after growing pauses. */
    void restartAfterVainAnswer() {
        boolean isFirst = askedInVain++ == 0;
        if (isFirst) {
            restart(System.nanoTime() + SOON_NANOS, 0);
        } else {
            restartAfterPause();
            lengthenPause();
        }
    }

    /** Starts over after the answer that the peer cannot tell yet: asks soon, and then after growing pauses. */
    void restartAfterNotYet() {
        restart(System.nanoTime() + notYetPauseNanos, 0);
        notYetPauseNanos = twice(notYetPauseNanos);
    }

    /** Starts over after a link that was slower than the kernel, to ask for another after a pause that doubles each time. */
    void restartAfterSlower() {
        restart(System.nanoTime() + slowerPauseNanos, 0);
        slowerPauseNanos = twice(slowerPauseNanos);
    }

    /** Makes that pause short again. */
    void resetSlower() {
        slowerPauseNanos = FIRST_PAUSE_NANOS;
    }

    /**
     * Starts over after the answer that the peer has no Accel: it may only have begun.
     *
     * @return false if it was asked often enough
     */
    boolean restartForYoungPeer() {
        if (askedOfYoung == MOST_ASKED_OF_YOUNG) {
            return false;
        }
        askedOfYoung++;
        restart(System.nanoTime() + askedOfYoung * YOUNG_PEER_NANOS, 0);
        return true;
    }

    /** Starts over after a link was given back, to ask for another. By {@link LinkRetirement}'s thread. */
    void restartAfterLink(FallbackReason why) {
        long now = System.nanoTime();
        boolean forOthers = Shortage.isOn(now);
        boolean waits = why == FallbackReason.LINK_LOST && socket.unrest() == Unrest.NONE;
        restart(now + (forOthers || waits ? FIRST_PAUSE_NANOS : 0), forOthers ? OPERATIONS_IN_SHORTAGE : 0);
    }
}
