// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Log;
import io.accel.core.fabric.Link;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;

/**
 * Finishes a close in order whose peer may lack some of the bytes sent over a link that can break. The program's channel is closed. The
 * link's memory, and the kernel's connection on a descriptor of its own, stay until the peer's device has everything. If the link breaks
 * before that, they stay until {@link Resumption} has given the rest to the kernel, which goes on as it does for any program that has
 * closed.
 *
 * <p>Until then an end of the kernel's connection, whatever its cause, is a reset, so that the peer never takes the bytes received for the
 * whole stream. A peer that takes nothing for {@code rdma.linger} is given up in that way.
 *
 * <p>The closing thread makes this; after that {@link StreamUpgrades}' thread alone uses it.
 */
final class LingeringClose {
    private static final Log LOG = Log.of(LingeringClose.class);
    private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(32);
    /**
     * How long the bytes of a peer that has not ended yet are read and discarded. A kernel that receives bytes for a closed connection
     * resets it, and throws away the bytes it has not sent.
     */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private enum Step {
        /** The peer's device has not acknowledged everything. */
        ARRIVING,
        /** The link has broken, and the lost bytes are being sent again. */
        RESUMING,
        /** The kernel has all bytes, and the end. */
        ENDING,
        OVER
    }

    private final StreamSocket socket;
    private final LinkStream stream;
    private final Anchor anchor;
    private final long patienceNanos;

    private Step step = Step.ARRIVING;
    /** The amount that the peer was known to have taken at the last look, and since when. */
    private long progress;

    private long progressAt;
    private long pauseNanos = SHORTEST_PAUSE_NANOS;
    private long dueAt;
    /** When the output was ended. */
    private long endedAt;
    /** Whether the end was asked for. */
    private boolean isCounted;
    /** The resumption that takes the rest to the kernel, once the link has broken. */
    private Resumption resumption;

    /**
     * The rest of a close.
     *
     * @param stream the link; the caller has taken a share of it, which passes to this object
     * @param anchor the anchor that was kept, and that resets on its close
     */
    LingeringClose(StreamSocket socket, LinkStream stream, Anchor anchor, long patienceNanos, long now) {
        this.socket = socket;
        this.stream = stream;
        this.anchor = anchor;
        this.patienceNanos = patienceNanos;
        this.progressAt = now;
        this.dueAt = now;
    }

    /** The nanoseconds until the next look; 0 or less for now. */
    long pause(long now) {
        return dueAt - now;
    }

    /**
     * Advances as far as it can without waiting.
     *
     * @param now the time, as {@link System#nanoTime}
     * @return whether to call again
     */
    boolean advance(long now) {
        if (pause(now) > 0) {
            return true;
        }
        try {
            if (stream.lease().hasFailed() && step != Step.ENDING) {
                over(); // with a reset: the kernel does not have everything
            }
            if (step == Step.ARRIVING) {
                arrive(now);
            }
            if (step == Step.RESUMING) {
                resume(now);
            }
            if (step == Step.ENDING && (socket.incoming().discard() || now - endedAt > GRACE_NANOS)) {
                over();
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "the peer of a connection that was closed may not get all that was sent", e);
            over();
        }
        if (step != Step.OVER && checkProgress(now)) {
            dueAt = now + pauseNanos;
            pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
        }
        return step != Step.OVER;
    }

    private void arrive(long now) throws IOException {
        int said = stream.peer().listen();
        if ((said & Link.RST) != 0) {
            over();
        } else if (socket.outgoing().link() == null) {
            end(now); // the link had broken before, and the last was sent again as the program closed
        } else if ((said & Link.CLOSED) != 0) {
            endAtOnce(); // nobody reads the bytes that may be missing
        } else if (stream.broken().isResuming()) {
            step = Step.RESUMING;
            resumption = socket.loss().afterClose();
        } else if (stream.writer().isAllSent()) {
            socket.anchorEnd().sayFarewell(stream);
            socket.incoming().drain();
            endAtOnce();
        }
    }

    private void resume(long now) throws IOException {
        boolean goesOn = resumption.goOn(now);
        if (socket.outgoing().link() == null) {
            end(now);
        } else if (!goesOn) {
            over(); // bytes are lost, or nobody is left to read them
        }
    }

    /** Ends the connection as the program's close would have. */
    private void endAtOnce() throws IOException {
        anchor.endOnClose();
        anchor.shutdownOutput(); // first: unread bytes make the close a reset, behind the end
        over();
    }

    private void end(long now) throws IOException {
        anchor.endOnClose();
        anchor.shutdownOutput();
        step = Step.ENDING;
        endedAt = now;
        pauseNanos = SHORTEST_PAUSE_NANOS;
    }

    /** Gives the peer up once it has taken nothing for too long. Returns whether to go on. */
    private boolean checkProgress(long now) {
        if (step == Step.ENDING) {
            return true;
        }
        long found = stream.broken().delivered();
        if (found != progress) {
            progress = found;
            progressAt = now;
            pauseNanos = SHORTEST_PAUSE_NANOS;
        } else if (now - progressAt > patienceNanos) {
            LOG.get()
                    .log(
                            Level.INFO,
                            "accel: the connection to {0} is reset: its peer has taken nothing for {1} ms since it was closed",
                            anchor.remote(),
                            TimeUnit.NANOSECONDS.toMillis(patienceNanos));
            stream.giveUp("its peer took nothing after the close");
            over();
            return false;
        }
        return true;
    }

    /** Whether this has ended, and nobody has asked before. */
    boolean isFirstEnd() {
        boolean first = !isCounted;
        isCounted = true;
        return first;
    }

    /** Ends the close after an error: the peer is reset, since it may lack some of the bytes sent. */
    void fail(Throwable e) {
        stream.failure().met(e);
        over();
    }

    private void over() {
        if (step == Step.OVER) {
            return; // it was over before, and the code behind that failed
        }
        step = Step.OVER;
        try {
            anchor.close();
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "closing the kernel's part of a connection failed", e);
        } finally {
            stream.release();
        }
    }
}
