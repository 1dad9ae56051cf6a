package io.accel.core.socket;

import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.FallbackReason;
import java.io.IOException;

/**
 * What is known of whether a connection gets a link, and the threads that wait to hear it: those that connect or accept where that is
 * to return with a link.
 *
 * <p>Any thread; each method takes this monitor. {@link StreamHandover}, which says what is known, calls in its own.
 */
final class HandoverAnswer {
    /** How often an accept looks whether the client is still there. */
    private static final long LEFT_MILLIS = 10;

    private final StreamSocket socket;
    private final Anchor anchor;
    /** Whether this end asks, and the peer answers; otherwise a client may ask. */
    private final boolean asks;

    // All guarded by this.

    /** Whether it is settled whether there will be a link. */
    private boolean settled;
    /** Whether the peer cannot say yet, as far as is known. */
    private boolean pending;
    /** Whether the peer is known to have been asked, and has Accel. */
    private boolean heard;
    /** Whether the last client that asked has gone away without the link. */
    private boolean abandoned;
    /** Why there is no link. */
    private FallbackException failure;
    /** How many threads wait. */
    private int waiting;

    /**
     * Before there is an answer.
     *
     * @param asks whether it is this end that asks
     * @param settled whether nobody asks
     */
    HandoverAnswer(StreamSocket socket, Anchor anchor, boolean asks, boolean settled) {
        this.socket = socket;
        this.anchor = anchor;
        this.asks = asks;
        this.settled = settled;
    }

    /** The link was given back: there may be another. */
    synchronized void beginAgain() {
        settled = false;
    }

    synchronized boolean isSettled() {
        return settled;
    }

    /** It is settled. Returns whether it was not before. */
    synchronized boolean settle() {
        boolean isNew = !settled;
        settled = true;
        notifyAll();
        return isNew;
    }

    /** Whether the peer has Accel, and its program has not accepted yet. */
    synchronized boolean isWithPeer() {
        return heard && !settled;
    }

    /** Why there is no link; null if nobody has said so. */
    synchronized FallbackException failure() {
        return failure;
    }

    /** There is no link, at least not yet. */
    synchronized void failed(FallbackException why) {
        failure = why;
        heard |= why.reason() == FallbackReason.NOT_YET;
        notifyAll();
    }

    /** The peer was asked. */
    synchronized void pending(boolean now, boolean known) {
        pending |= now;
        heard |= known;
        notifyAll();
    }

    /** A client asks for the link. */
    synchronized void claimed() {
        abandoned = false;
    }

    /** The client that asked has gone away. */
    synchronized void abandoned() {
        abandoned = true;
        notifyAll();
    }

    /** The connection has closed, which was said before. */
    synchronized void wake() {
        if (waiting > 0) {
            notifyAll();
        }
    }

    /**
     * Waits until there is an answer, or none is to be expected any more.
     *
     * @param nanos how long at most
     * @param orPending whether it is enough that the peer cannot say yet
     */
    synchronized void await(long nanos, boolean orPending) {
        long end = System.nanoTime() + nanos;
        boolean interrupted = false;
        while (!settled
                && failure == null
                && !socket.isClosed()
                && !abandoned
                && !(orPending && pending)
                && !(asks && heard)) {
            long millis = (end - System.nanoTime() + 999_999) / 1_000_000;
            if (millis <= 0 || (!asks && hasPeerLeft())) {
                break;
            }
            waiting++;
            try {
                wait(asks ? millis : Math.min(millis, LEFT_MILLIS));
            } catch (InterruptedException e) {
                interrupted = true;
                break;
            } finally {
                waiting--;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** A client that has closed the connection asks for nothing any more. */
    private boolean hasPeerLeft() {
        try {
            return anchor.hasEnded();
        } catch (IOException e) {
            return true;
        }
    }
}
