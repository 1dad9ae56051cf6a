package io.accel.core.socket;

import io.accel.core.fabric.FallbackReason;
import io.accel.core.fabric.Shortage;
import io.accel.profile.HandoverAfter.Unrest;

/**
 * What has gone through the kernel, to tell when a connection is worth a link. The end that connected counts, asks for a link when it
 * has done {@code handover.after} of it, and begins anew when it got none, or has given one back.
 *
 * <p>Readers and writers count, in their halves, without a lock. What follows an answer is said in the monitor of {@link StreamHandover}.
 */
final class TrafficCount {
    /** How long a connection that had a link is content with the kernel if it gets no other; it doubles each time. */
    private static final long FIRST_PAUSE_NANOS = 1_000_000_000L;

    private static final long LONGEST_PAUSE_NANOS = 60_000_000_000L;
    /** How many reads and writes go through the kernel before a link is asked for again that was given back for others. */
    private static final int OPERATIONS_IN_SHORTAGE = 16;

    /** How long after a first answer that may soon be another. */
    private static final long SOON_NANOS = 50_000_000L;
    /** How often it is asked whether somebody knows this connection after all. */
    private static final int MOST_ASKED = 3;

    /** Reads and writes, bytes, and a time, as {@link System#nanoTime}. */
    private record Count(int operations, long bytes, long earliest) {
        /** That of all connections that have only just begun. */
        static final Count FROM_THE_BEGINNING = new Count(0, 0, System.nanoTime());
    }

    private final StreamSocket socket;

    /** Whether it was enough, and nothing is counted. Set by the thread that finds so; cleared, after {@link #from}, to begin anew. */
    private volatile boolean enough;
    /**
     * What had gone through the kernel before it was counted, and when it may be worth a link at the earliest; null if it is counted from
     * the beginning. Written by the thread that begins anew.
     */
    private volatile Count from;

    // In the monitor of the handover.

    /** How long to be content with the kernel the next time. */
    private long pauseNanos = FIRST_PAUSE_NANOS;
    /** How often there was an answer that might soon have been another. */
    private int askedInVain;

    /**
     * Counts from the beginning.
     *
     * @param enough whether it is not to be counted before it is begun anew
     */
    TrafficCount(StreamSocket socket, boolean enough) {
        this.socket = socket;
        if (enough) {
            this.enough = true;
        }
    }

    /** Bytes have gone one way or the other through the kernel. In the half of that way. */
    void note() {
        if (enough) {
            return;
        }
        Count began = from;
        Count before = began == null ? Count.FROM_THE_BEGINNING : began;
        int done = operations() - before.operations(); // negative until there were those that are to go by first
        if (done >= 0
                && socket.isWorthLink(done, bytes() - before.bytes())
                && System.nanoTime() - before.earliest() >= 0) {
            enough = true; // two threads may both come here; the second request finds nothing to do
            StreamUpgrades.get().request(socket);
        }
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

    /** Counts anew, to ask for another link after a pause. */
    void restartAfterPause() {
        restart(System.nanoTime() + pauseNanos, 0);
    }

    /** The next pause is longer. */
    void lengthenPause() {
        pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
    }

    /** There is a link: the next pause is short again. */
    void resetPause() {
        pauseNanos = FIRST_PAUSE_NANOS;
    }

    /** Whether it may be asked once more where nobody knows this connection. */
    boolean mayAskAgain() {
        return askedInVain + 1 < MOST_ASKED;
    }

    /** The answer may soon be another: counts anew, to ask soon the first time, and then after pauses that grow. */
    void restartAfterVainAnswer() {
        boolean isFirst = askedInVain++ == 0;
        if (isFirst) {
            restart(System.nanoTime() + SOON_NANOS, 0);
        } else {
            restartAfterPause();
            lengthenPause();
        }
    }

    /** A link was given back: counts anew, to ask for another. By {@link LinkRetirement}'s thread. */
    void restartAfterLink(FallbackReason why) {
        long now = System.nanoTime();
        boolean forOthers = Shortage.isOn(now);
        boolean waits = why == FallbackReason.LINK_LOST && socket.unrest() == Unrest.NONE;
        restart(now + (forOthers || waits ? FIRST_PAUSE_NANOS : 0), forOthers ? OPERATIONS_IN_SHORTAGE : 0);
    }
}
