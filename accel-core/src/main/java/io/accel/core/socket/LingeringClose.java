package io.accel.core.socket;

import io.accel.core.daemon.Log;
import io.accel.core.fabric.Link;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;

/**
 * What is left of a close in order whose peer may lack some of what was sent over a link that can break. The program's channel is closed;
 * the link's memory and the kernel's connection, by a descriptor of their own, stay until the peer's device has all, or, where the link
 * breaks before that, until {@link Resumption} has given the rest to the kernel, which goes on as it does for any program that has closed.
 *
 * <p>Until then an end of the kernel's connection, by whatever cause, is a reset: the peer never takes what has come for all. A peer
 * that takes nothing for {@code rdma.linger} is given up in that way.
 *
 * <p>Made by the thread that closes; after that {@link StreamUpgrades}' thread's alone.
 */
final class LingeringClose {
    private static final Log LOG = Log.of(LingeringClose.class);
    private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(32);
    /**
     * How long what a peer sends is read for nobody that has not ended yet: a kernel that is given bytes for a connection that was closed
     * resets it, and throws away what it has not sent.
     */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private enum Step {
        /** The peer's device has not said that it has all. */
        ARRIVING,
        /** The link has broken, and what it lost is sent again. */
        RESUMING,
        /** The kernel has all, and the end. */
        ENDING,
        OVER
    }

    private final StreamSocket socket;
    private final LinkStream stream;
    private final Anchor anchor;
    private final long patienceNanos;

    private Step step = Step.ARRIVING;
    /** How much the peer was known to have taken when that was last looked at, and since when. */
    private long progress;

    private long progressAt;
    private long pauseNanos = SHORTEST_PAUSE_NANOS;
    private long dueAt;
    /** When the output was ended. */
    private long endedAt;
    /** Takes the rest to the kernel, once the link has broken. */
    private Resumption resumption;

    /**
     * The rest of a close.
     *
     * @param stream of which the caller has taken a share, which becomes this one's
     * @param anchor that was kept, and is to reset on its close
     */
    LingeringClose(StreamSocket socket, LinkStream stream, Anchor anchor, long patienceNanos, long now) {
        this.socket = socket;
        this.stream = stream;
        this.anchor = anchor;
        this.patienceNanos = patienceNanos;
        this.progressAt = now;
        this.dueAt = now;
    }

    /** In how many nanoseconds to look again; 0 or less for now. */
    long pause(long now) {
        return dueAt - now;
    }

    /**
     * Goes on as far as it can without waiting.
     *
     * @param now the time, as {@link System#nanoTime}
     * @return whether to call again
     */
    boolean advance(long now) {
        if (pause(now) > 0) {
            return true;
        }
        try {
            if (step == Step.ARRIVING) {
                arrive(now);
            }
            if (step == Step.RESUMING) {
                resume(now);
            }
            if (step == Step.ENDING && (socket.incoming().discard() || now - endedAt > GRACE_NANOS)) {
                over();
            }
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            // Others' are advanced by the same thread.
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
            endAtOnce(); // nobody reads what may be missing
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
            over(); // bytes are lost, or there is nobody any more to read them
        }
    }

    /** As the program's close would have. */
    private void endAtOnce() throws IOException {
        anchor.endOnClose();
        anchor.shutdownOutput(); // first: where bytes are unread the close is a reset, which comes behind the end
        over();
    }

    private void end(long now) throws IOException {
        anchor.endOnClose();
        anchor.shutdownOutput();
        step = Step.ENDING;
        endedAt = now;
        pauseNanos = SHORTEST_PAUSE_NANOS;
    }

    /** Whether there is hope. */
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

    private void over() {
        if (step == Step.OVER) {
            return; // and what comes after failed
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
