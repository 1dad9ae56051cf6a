// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Daemons;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Privileged;
import io.accel.core.daemon.Warnings;
import io.accel.core.jdk.HangUps;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.jdk.MemoryFaults;
import io.accel.core.jdk.OpenFiles;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Notices the failure of the TCP connections that lie under links: {@code ss -K}, a reset from outside, the verdict of keep-alive. Nobody
 * reads or writes there, so nobody else would. Such a connection leaves its link for good ({@link LinkBreak#abandon}): what has come over it
 * is still read, and the kernel then tells the program of the failure, once, as it does without a link.
 *
 * <p>One daemon thread sleeps in the kernel until a connection hangs up. The kernel wakes it for nothing else, so idle connections cost
 * nothing, and busy ones no step. It starts with the first link.
 *
 * <p>A peer that closes or resets says so over the link first, and the doorbell tells of its death. So what the link tells counts, and the
 * watch acts only if the link is silent for a moment.
 *
 * <p>Any thread.
 */
final class AnchorWatch {
    /** A process that may have fewer descriptors than this keeps that of the watch for its program. */
    private static final int LEAST_LIMIT = 512;

    private static final Log LOG = Log.of(AnchorWatch.class);
    private static final Warnings ERRORS = new Warnings(LOG);
    /** How long the link may take to tell of an end that the kernel knows already: a dying process closes one descriptor after the other. */
    private static final long GRACE_NANOS = 10_000_000L;
    /**
     * How long the peer of a link that can break may take to say, behind all that it has sent, that it gives the link up as well, or has
     * ended. What is still under way then is lost, so this is far longer than a busy device takes. Only a reader that is on the link waits
     * for that.
     */
    private static final long ANSWER_NANOS = 500_000_000L;
    /** How often a connection that has hung up is looked at until it is decided. */
    private static final int PAUSE_MILLIS = 2;
    /** Until one hangs up. */
    private static final int FOR_EVER = -1;

    private static final int NONE = -1;

    private static final AnchorWatch INSTANCE = new AnchorWatch();

    /** The links whose anchors are watched, by the numbers of these. Weak, since a program may leave its sockets to the collector. */
    private final Map<Integer, WeakReference<LinkStream>> watched = new HashMap<>(); // guarded by this

    private HangUps hangUps; // guarded by this; written once
    /** Opened, and without a thread so far. Guarded by this. */
    private HangUps opened;

    private boolean isRefused; // guarded by this

    /** The connections that have hung up, and whose links are silent. The thread's. */
    private final List<Silence> silent = new ArrayList<>();

    private AnchorWatch() {}

    static AnchorWatch get() {
        return INSTANCE;
    }

    /** Watches the anchor of a link. In the monitor of {@link StreamHandover}, so that its close, which {@link #remove}s it, comes later. */
    synchronized void add(LinkStream stream) {
        Object anchor = stream.socket().adaptersAnchor().failing();
        if (anchor == null || !isStarted()) {
            return;
        }
        try {
            int number = hangUps.add(anchor);
            stream.watchedAs(number);
            watched.put(number, new WeakReference<>(stream)); // an older one was closed without a word, by an interrupt
        } catch (IOException e) {
            LOG.get()
                    .log(
                            Level.DEBUG,
                            "not watched: nobody will notice if this TCP connection is ended from outside",
                            e);
        }
    }

    /** Ends the watch of a link's anchor, which is about to close, or is watched by its users again. */
    synchronized void remove(LinkStream stream) {
        int number = stream.watchedAs();
        stream.watchedAs(NONE);
        WeakReference<LinkStream> known = number == NONE ? null : watched.get(number);
        if (known != null && known.get() == stream) { // else it has closed itself, and the number is another's
            watched.remove(number);
            hangUps.remove(number);
        }
    }

    private synchronized LinkStream find(int number) {
        WeakReference<LinkStream> known = watched.get(number);
        return known == null ? null : known.get();
    }

    private boolean isStarted() {
        if (hangUps == null && !isRefused) {
            try {
                start();
                isRefused = hangUps == null;
            } catch (IOException | OutOfMemoryError e) {
                ERRORS.warn(
                        "nothing notices it if this TCP connection is ended from outside beneath its link; the next link tries again",
                        e);
            } catch (SecurityException | IllegalStateException e) {
                isRefused = true;
                ERRORS.warn("nothing notices TCP connections that are ended from outside beneath their links", e);
            }
        }
        return hangUps != null;
    }

    private void start() throws IOException {
        if (OpenFiles.LIMIT > 0 && OpenFiles.LIMIT < LEAST_LIMIT) {
            return;
        }
        if (opened == null) {
            opened = Privileged.call(HangUps::open);
        }
        HangUps own = opened;
        if (own != null) {
            Daemons.start("accel-anchors", () -> run(own), () -> wakeUp(own));
            hangUps = own;
        }
    }

    private static void wakeUp(HangUps waiting) {
        try {
            Privileged.call(() -> {
                waiting.wakeUp();
                return null;
            });
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "out of descriptors, so the JVM waits a moment for this thread when it ends", e);
        }
    }

    private void run(HangUps own) {
        while (true) {
            try {
                own.await((int) Daemons.sleep(silent.isEmpty() ? FOR_EVER : PAUSE_MILLIS), this::hungUp);
                decideAll(silent, System.nanoTime());
            } catch (Throwable e) {
                // No connection may end the thread that watches all, or keep it busy with the same error.
                ERRORS.warn("the thread that watches TCP connections beneath links met an error and goes on", e);
                Daemons.pause();
            }
        }
    }

    private void hungUp(int number) {
        LinkStream stream = find(number);
        if (stream != null) {
            silent.add(new Silence(stream, System.nanoTime()));
        }
    }

    /**
     * Leaves the link at once if the kernel has just told the program of a failure of one direction, or is about to, and the other goes over
     * the link. In the half of the direction that has failed, or in a poller.
     */
    static void met(LinkStream stream) {
        try {
            if (stream.isClosed() || !hasFailed(stream.socket()) || isLinks(stream)) {
                return;
            }
            // What is still under way to this end over a link that can break is worth a moment: the watch sees to that.
            boolean mayBringMore = stream.broken().isPossible();
            if (!mayBringMore || stream.socket().incoming().link() != stream) {
                stream.broken().giveUp();
            }
            if (!mayBringMore) {
                stream.broken().abandon();
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "closed meanwhile", e);
        }
    }

    /**
     * Whether the connection has failed. If it has just ended in both directions, this end has ended its output; an error that was told
     * already leaves that as it was.
     */
    static boolean hasFailed(StreamSocket socket) throws IOException {
        Anchor anchor = socket.adaptersAnchor();
        Object failing = anchor.failing();
        return failing != null
                && (JdkAccess.hasFailed(failing) || (JdkAccess.hasHungUp(failing) && !anchor.isOutputShut()));
    }

    /** Whether the link itself tells, or has told, what becomes of the connection. */
    private static boolean isLinks(LinkStream stream) {
        LinkBreak broken = stream.broken();
        return !broken.hearAbandoned()
                && (stream.peer().hasEndedItself() || broken.isResuming() || broken.hasResumed());
    }

    /** Looks at each connection, in any order, and makes no object: memory may have run out. */
    private static void decideAll(List<Silence> silent, long now) {
        for (int i = silent.size() - 1; i >= 0; i--) {
            if (isDecided(silent.get(i), now)) {
                int last = silent.size() - 1;
                silent.set(i, silent.get(last));
                Silence unused = silent.remove(last);
            }
        }
    }

    /** Looks at one. An error ends that connection, or is met again in the next turn. The same thread watches the others. */
    private static boolean isDecided(Silence each, long now) {
        LinkFailure failure = each.stream.failure();
        try {
            boolean isDecided = each.isDecided(now);
            MemoryFaults.surface(); // here, where it is known whose memory it is
            failure.metNone(LinkFailure.Task.ANCHOR);
            return isDecided;
        } catch (IOException e) {
            return true; // closed meanwhile
        } catch (Throwable e) {
            return !failure.metInTurn(LinkFailure.Task.ANCHOR, e);
        }
    }

    /** A connection that has hung up, until it is known what that means. */
    private static final class Silence {
        private final LinkStream stream;
        private final long since;
        private boolean told;

        Silence(LinkStream stream, long since) {
            this.stream = stream;
            this.since = since;
        }

        /** Whether nothing is left to do: what has happened is told by the link, or the link is left. */
        boolean isDecided(long now) throws IOException {
            StreamSocket socket = stream.socket();
            if (stream.isClosed() || !hasFailed(socket) || isLinks(stream)) {
                return true;
            }
            if (now - since < GRACE_NANOS) {
                return false;
            }
            LinkBreak broken = stream.broken();
            if (!told) {
                told = true;
                broken.giveUp();
            }
            // A reader of bytes that all come through the kernel is told by the kernel: there an end in order comes
            // last.
            boolean isReadHere =
                    socket.incoming().link() == stream || stream.reader().peekSwitchedAt() != LinkReader.NOT_SWITCHED;
            if (isReadHere && broken.isPossible() && !broken.hasAll()) {
                if (!broken.isBroken() && now - since < ANSWER_NANOS) {
                    return false; // its answer stands behind all bytes that are still under way
                }
                socket.loss().mayLackBytes();
            }
            broken.abandon();
            socket.handover().abandoned();
            boolean unused = LinkRetirement.goOffAbandoned(stream); // else their threads, or LinkRetirement
            return true;
        }
    }
}
