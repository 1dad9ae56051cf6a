package io.accel.core.socket;

import io.accel.core.fabric.Link;
import io.accel.core.stream.StreamSender;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Whether a direction had better go back to the kernel: its ring is full, and the peer has read nothing of it for a while. A program that
 * runs on TCP must not hang because a ring holds less than the kernel does.
 *
 * <p>A writer that finds no room has the ring watched, and so has a poller that waits for room. {@link StreamUpgrades}' thread then
 * looks at it from time to time, until it has room or going back is due. The writer goes back by itself ({@link Outgoing#goBack}).
 */
final class WayBack {
    /** How often a ring is found full, and the peer reads on, until it counts as too small. */
    private static final int SHORTFALLS = 2;

    /** One of how many writes goes back where they do so at random. */
    private static final int RESTLESS_WRITES = 8;

    private final LinkStream stream;
    private final LinkWriter writer;
    private final StreamSender sender;
    private final Link link;
    private final LinkLease lease;
    private final Outgoing outgoing;

    /** Whether the kernel had better take what is written next. Set by that thread, cleared in the writing half. Any thread reads it. */
    private volatile boolean due;
    /** Whether that is so because the peer has read nothing for long, and for no other reason. Written as {@link #due} is, and before it. */
    private volatile boolean stuck;
    /** Whether that thread looks at the ring from time to time. Set by writers and pollers, cleared by that thread. */
    private final AtomicBoolean watched = new AtomicBoolean();
    /** What the peer had read when that was last looked at. By that thread alone. */
    private long progressSeen;
    /** How often a writer found the ring full, and not for the peer's being idle. By that thread alone. */
    private int shortfalls;

    WayBack(LinkStream stream, LinkWriter writer, StreamSender sender) {
        this.stream = stream;
        this.writer = writer;
        this.sender = sender;
        this.link = stream.link();
        this.lease = stream.lease();
        this.outgoing = stream.socket().outgoing();
    }

    /** Whether the kernel had better take what is written next. Any thread. */
    boolean isDue() {
        return due;
    }

    /** There is room, or the writer goes back, or cannot just now: the time is taken anew when no room is found. In the writing half only. */
    void clear() {
        due = false;
    }

    /** It is due, unless the direction stays where it is. {@link LinkRetirement}'s thread, where neither end is to use the link any more. */
    void makeDue() {
        due = outgoing.mayGoBack(stream);
    }

    /** In a test that wants it: finds it due now and then. In the writing half only. */
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

    /** Whether it was due because the peer has read nothing for long; false for the next time. In the writing half only. */
    boolean wasStuck() {
        boolean was = stuck;
        stuck = false;
        return was;
    }

    /** Whether the ring is too small for what is written: it is full again and again, although the peer reads. By that thread alone. */
    boolean isCramped() {
        return shortfalls >= SHORTFALLS;
    }

    /**
     * Somebody waits for room who may have found some for each write so far: a ring counts as full before it is. Any thread that has
     * a share. Not where the direction stays where it is, so that nobody is woken for nothing.
     */
    void watchForPoller() {
        if (!watched.get() && outgoing.mayGoBack(stream)) {
            watch();
        }
    }

    /** A writer has found no room. Any thread. */
    void watch() {
        if (!watched.get() && watched.compareAndSet(false, true)) {
            StreamUpgrades.get().watchStall(stream);
        }
    }

    /**
     * Looks how long the ring has been full: it is due where the peer has read nothing between two of these calls, of which {@link
     * StreamUpgrades} knows how long after each other they are.
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
                        && watched.compareAndSet(false, true); // it may be full again just now
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
