// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.fabric.Link;
import io.accel.core.jdk.MemoryFaults;
import java.io.IOException;
import java.net.SocketException;

/**
 * Ends a connection whose link has met an error: a fault of its memory, which the JVM reports as an {@link InternalError}, or a mistake.
 * The thread that met the error serves other connections as well, and goes on with them. Every error ends one connection in this way,
 * whichever thread meets it.
 *
 * <p>That thread only takes note, without making an object, since memory or stack may have run out: from then on no operation touches the
 * link, and each fails with the {@linkplain #exception reason}. {@link StreamUpgrades}' thread then tells everybody, step by step. A step
 * that fails is tried again in later turns. The link's memory stays until its last user has left, as after a close.
 */
final class LinkFailure {
    private static final Warnings ERRORS = new Warnings(Log.of(LinkFailure.class));
    /** How often a step is tried. */
    private static final int MOST_TRIES = 20;
    /** How many turns of a link's task may run out of memory or stack one after the other before that counts as an error of the link. */
    private static final int MOST_STRIKES = 8;

    private enum Step {
        TELL_PEER,
        CUT_OFF,
        CAPTURES,
        WAITERS,
        READER,
        WRITER,
        REFRESH,
        LOG,
        /** Only once: what it does cannot be repeated. */
        RELEASE,
        OVER
    }

    private static final Step[] STEPS = Step.values();

    /**
     * What a thread that serves many links does for one in turns. Each has errors of its own: a task that meets none says nothing about
     * another one that meets them each time.
     */
    enum Task {
        ANNOUNCE(0),
        RESUME(1),
        RETIRE(2),
        WATCH(3),
        /** {@link AnchorWatch}'s; the others are {@link StreamUpgrades}'. */
        ANCHOR(4);

        private static final int COUNT = values().length;
        private final int place;

        Task(int place) {
            this.place = place;
        }
    }

    private final LinkStream stream;
    /** Written before the lease ends. Two threads may meet an error each, and either is as good. */
    private volatile Throwable cause;

    /** The next of the failed links in {@link StreamUpgrades}' stack. Written before this is pushed there, and by its thread. */
    LinkFailure next;

    // Only StreamUpgrades' thread uses these.

    private int at;
    private int tries;
    /** By {@link Task}, whose thread alone uses its element. */
    private final byte[] strikes = new byte[Task.COUNT];

    private boolean isPeerTold;

    LinkFailure(LinkStream stream) {
        this.stream = stream;
    }

    /**
     * Takes note that a step for the link has met an error, and ends its connection, unless that has ended, or has gone on without the
     * link. Any thread, holding any lock.
     */
    void met(Throwable e) {
        if (cause == null) {
            cause = e;
        }
        if (stream.lease().end(LinkLease.State.FAILED)) {
            if (MemoryFaults.isFault(e)) {
                MemoryFaults.explain();
            }
            StreamUpgrades.get().failed(this);
        }
    }

    /**
     * As {@link #met}, for a task that has another turn. Memory or stack that has run out says nothing about the link, so such an error
     * counts only when the task meets it again and again. By the task's thread.
     *
     * @return whether the task is to have another turn
     */
    boolean metInTurn(Task task, Throwable e) {
        if ((e instanceof OutOfMemoryError || e instanceof StackOverflowError)
                && ++strikes[task.place] < MOST_STRIKES) {
            return true;
        }
        met(e);
        return false;
    }

    /** Takes note that a task has met no error in its turn. By the task's thread. */
    void metNone(Task task) {
        strikes[task.place] = 0;
    }

    /**
     * Takes note that the end of the link has met an error, after the lease has ended. The rest of the end is still to come, and the
     * closer's share is not given back yet. Any thread.
     */
    void metInClose(Throwable e) {
        if (cause == null) {
            cause = e;
        }
        StreamUpgrades.get().failed(this);
    }

    /** Whether the link has met an error. Any thread. */
    boolean isMet() {
        return cause != null;
    }

    /** Absorbs the fault of the link's memory that the calling thread may have met as well, so that it does not come up anywhere else. */
    void absorb() {
        if (MemoryFaults.isFault(cause)) {
            MemoryFaults.absorb();
        }
    }

    /** The failure of an operation of the program. */
    IOException exception() {
        absorb();
        Throwable why = cause;
        return (SocketException)
                new SocketException("Connection reset: its link has failed here: " + why).initCause(why);
    }

    /** Tells everybody. By {@link StreamUpgrades}' thread. Returns whether that is done; if not, this is to be called again later. */
    boolean tellAll() {
        while (STEPS[at] != Step.OVER) {
            Step step = STEPS[at];
            if (step == Step.RELEASE) {
                at++;
            }
            try {
                take(step);
                MemoryFaults.surface();
            } catch (Throwable e) {
                if (step != Step.RELEASE && ++tries < MOST_TRIES && !MemoryFaults.isFault(e)) {
                    return false;
                }
                ERRORS.warn("ending a connection whose link has failed met an error, and goes on", e);
            }
            tries = 0;
            if (step != Step.RELEASE) {
                at++;
            }
        }
        return true;
    }

    private void tellPeer() {
        Link link = stream.link(); // the closer's share is still there, and keeps the memory
        try {
            link.signal(Link.RST | Link.CLOSED);
            MemoryFaults.surface();
            isPeerTold = true;
        } catch (InternalError e) {
            ERRORS.warn("the peer of a connection whose link has failed cannot be told why it ends", e);
            link.hangUp();
        }
    }

    private void take(Step step) {
        switch (step) {
            case TELL_PEER -> tellPeer();
            case CUT_OFF -> stream.socket().loss().failed(isPeerTold);
            case CAPTURES -> Captures.closed(stream);
            case WAITERS -> stream.endWaits();
            case READER -> stream.reader().giveBack();
            case WRITER -> stream.writer().giveBack();
            case REFRESH -> stream.socket().readiness().refresh();
            case LOG -> {
                ERRORS.warn(
                        "accel: the connection to " + stream.socket().observedRemote()
                                + " is reset, since its link has failed",
                        cause);
                stream.countReset("its link has failed: " + cause);
            }
            case RELEASE -> stream.lease().release();
            case OVER -> throw new IllegalStateException("over");
        }
    }
}
