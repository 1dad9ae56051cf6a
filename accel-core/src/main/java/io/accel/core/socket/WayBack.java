// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Link;
import io.accel.core.stream.StreamSender;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Decides whether a direction should go back to the kernel, because its ring is full and the peer has read nothing for a while. A program
 * that runs on TCP must not hang because a ring holds less than the kernel does.
 *
 * <p>A writer that finds no room asks for the ring to be watched, and so does a poller that waits for room. {@link StreamUpgrades}' thread
 * then looks at it from time to time, until it has room or going back is due. The writer goes back by itself ({@link Outgoing#goBack}).
 */
final class WayBack {
    /** How often a ring is found full while the peer reads on before it counts as too small. */
    private static final int SHORTFALLS = 2;

    /** One write in this many goes back in tests where writes do so at random. */
    private static final int RESTLESS_WRITES = 8;

    private final LinkStream stream;
    private final LinkWriter writer;
    private final StreamSender sender;
    private final Link link;
    private final LinkLease lease;
    private final Outgoing outgoing;

    /** Whether the next write should go through the kernel. Set by that thread, cleared in the writing half. Any thread reads it. */
    private volatile boolean due;
    /** Whether the only reason is that the peer has read nothing for long. Written as {@link #due} is, and before it. */
    private volatile boolean stuck;
    /** Whether that thread checks the ring from time to time. Set by writers and pollers, cleared by that thread. */
    private final AtomicBoolean watched = new AtomicBoolean();
    /** The amount that the peer had read at the last look. By that thread alone. */
    private long progressSeen;
    /** How often a writer found the ring full although the peer was not idle. By that thread alone. */
    private int shortfalls;

    WayBack(LinkStream stream, LinkWriter writer, StreamSender sender) {
        this.stream = stream;
        this.writer = writer;
        this.sender = sender;
        this.link = stream.link();
        this.lease = stream.lease();
        this.outgoing = stream.socket().outgoing();
    }

    /** Whether the next write should go through the kernel. Any thread. */
    boolean isDue() {
        return due;
    }

    /**
     * Starts the time again with the next write that finds no room: there is room, or the writer goes back, or cannot just now. In the
     * writing half only.
     */
    void clear() {
        due = false;
    }

    /**
     * Makes going back due, unless the direction stays where it is. Called by {@link LinkRetirement}'s thread, when neither end may use the
     * link any more.
     */
    void makeDue() {
        due = outgoing.mayGoBack(stream);
    }

    /** In a test that wants it, finds going back due now and then. In the writing half only. */
    boolean feigns() {
        if (due
                || ThreadLocalRandom.current().nextInt(RESTLESS_WRITES) != 0
                || !writer.mayLeave()
                || !outgoing.mayGoBack(stream)) {
            return false;
        }
        due = true;
        return true;
    }

    /** Whether going back was due because the peer has read nothing for long; resets this to false. In the writing half only. */
    boolean wasStuck() {
        boolean was = stuck;
        stuck = false;
        return was;
    }

    /** Whether the ring is too small for the traffic: it is full again and again, although the peer reads. By that thread alone. */
    boolean isCramped() {
        return shortfalls >= SHORTFALLS;
    }

    /**
     * Watches the ring for a poller that waits for room. Its writes may all have found room so far, since a ring counts as full before it
     * is. Any thread that has a share. Does nothing if the direction stays where it is, so that nobody is woken for nothing.
     */
    void watchForPoller() {
        if (!watched.get() && outgoing.mayGoBack(stream)) {
            watch();
        }
    }

    /** Watches the ring for a writer that has found no room. Any thread. */
    void watch() {
        if (!watched.get() && watched.compareAndSet(false, true)) {
            StreamUpgrades.get().watchStall(stream);
        }
    }

    /**
     * Looks how long the ring has been full. Going back is due if the peer has read nothing between two of these calls; {@link
     * StreamUpgrades} sets the time between them.
     *
     * @param again whether this is not the first time
     * @return whether to look again
     */
    boolean look(boolean again) {
        try (LinkLease.Share share = lease.take()) {
            if (share == null) {
                return false;
            }
            long read = link.released();
            boolean stands = again && read == progressSeen;
            shortfalls += !stands && (again || !sender.isFull()) ? 1 : 0;
            progressSeen = read;
            if (lease.isEnded() || sender.ready()) {
                watched.set(false);
                return !lease.isEnded()
                        && !sender.ready()
                        && watched.compareAndSet(false, true); // the ring may have filled again just now
            }
            boolean ever = outgoing.mayGoBack(stream);
            if (ever && !(stands && writer.mayLeave())) {
                return true;
            }
            watched.set(false);
            stuck = ever;
            due = ever;
        }
        stream.refresh();
        return false;
    }
}
