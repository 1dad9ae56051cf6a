// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import java.io.IOException;

/**
 * The answer to whether a connection gets a link, as far as it is known, and the threads that wait for it. Such threads connect or accept
 * with a profile that makes them return with a link.
 *
 * <p>Any thread; each method takes this monitor. {@link StreamHandover}, which supplies the answer, calls in its own monitor.
 */
final class HandoverAnswer {
    /** How often an accept checks whether the client is still there. */
    private static final long LEFT_MILLIS = 10;

    private final StreamSocket socket;
    private final Anchor anchor;
    /** Whether this end asks, and the peer answers; otherwise a client may ask. */
    private final boolean asks;

    // All guarded by this.

    /** Whether the answer is settled. */
    private boolean settled;
    /** Whether the peer cannot answer yet, as far as is known. */
    private boolean pending;
    /** Whether the peer is known to have been asked, and has Accel. */
    private boolean heard;
    /** Whether the last client that asked has gone away without the link. */
    private boolean abandoned;
    /** The reason why there is no link. */
    private FallbackException failure;
    /** The number of waiting threads. */
    private int waiting;

    /**
     * An answer that is not known yet.
     *
     * @param asks whether this end asks
     * @param settled whether nobody asks
     */
    HandoverAnswer(StreamSocket socket, Anchor anchor, boolean asks, boolean settled) {
        this.socket = socket;
        this.anchor = anchor;
        this.asks = asks;
        this.settled = settled;
    }

    /** Starts over after the link was given back: there may be another. */
    synchronized void beginAgain() {
        settled = false;
    }

    synchronized boolean isSettled() {
        return settled;
    }

    /** Settles the answer. Returns whether it was not settled before. */
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

    /** The reason why there is no link; null if nobody has given one. */
    synchronized FallbackException failure() {
        return failure;
    }

    /** Takes note that there is no link, at least not yet. */
    synchronized void failed(FallbackException why) {
        failure = why;
        heard |= why.reason() == FallbackReason.NOT_YET;
        notifyAll();
    }

    /** Takes note that the peer was asked. */
    synchronized void pending(boolean now, boolean known) {
        pending |= now;
        heard |= known;
        notifyAll();
    }

    /** Takes note that a client asks for the link. */
    synchronized void claimed() {
        abandoned = false;
    }

    /** Takes note that the client that asked has gone away. */
    synchronized void abandoned() {
        abandoned = true;
        notifyAll();
    }

    /** Wakes the waiting threads of a connection that has closed; its closed flag is already set. */
    synchronized void wake() {
        if (waiting > 0) {
            notifyAll();
        }
    }

    /**
     * Waits until there is an answer, or none can be expected any more.
     *
     * @param nanos how long at most
     * @param orPending whether to return as well when the peer cannot answer yet
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

    /** Whether the peer has left: a client that has closed the connection asks for no link any more. */
    private boolean hasPeerLeft() {
        try {
            return anchor.hasEnded();
        } catch (IOException e) {
            return true;
        }
    }
}
