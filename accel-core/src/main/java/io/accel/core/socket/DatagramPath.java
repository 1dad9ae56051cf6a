package io.accel.core.socket;

import io.accel.core.fabric.FallbackReason;
import java.net.InetSocketAddress;

/** Which way a socket's datagrams to one destination take: over a link, or through the kernel until a link is looked for again. */
final class DatagramPath {
    /** A search for a peer that is only answered comes at most so many doublings of the interval after the last one. */
    private static final int MOST_DOUBLINGS = 6;

    private final InetSocketAddress target;

    /** Null for the kernel. Written under the socket's monitor; read by senders, who are in their half. */
    private volatile DatagramLink link;

    /**
     * When a link may be looked for, on {@link System#nanoTime()}'s scale. Written by the search, under the monitor, and by a
     * sender that leaves the first search to the peer; writes that cross cost a search or an interval.
     */
    private volatile long dueAt = System.nanoTime();

    /** Set by a sender, cleared by the search. */
    private volatile boolean searching;

    /** Whether this socket spoke first, so that nobody else may be looking for a link. Sending half only, but for searches. */
    private boolean began;

    /** Whether the peer, which spoke first, was given the time to find a link. Sending half only. */
    private boolean leftToPeer;

    /** How often a link was looked for in vain to a peer that is only answered. Searches, which come one after the other. */
    private int misses;

    /** Whether another is made for this destination when one is needed. Written under the socket's monitor. */
    private volatile boolean forgotten;

    /** What the last search that found nothing gave as its reason. Search only. */
    private FallbackReason reason;

    /** What is told while there is no link. */
    private volatile PathInfo withoutLink = PathInfo.KERNEL;

    DatagramPath(InetSocketAddress target) {
        this.target = target;
    }

    InetSocketAddress target() {
        return target;
    }

    DatagramLink link() {
        return link;
    }

    /** Which way datagrams take now, and why not a faster one. */
    PathInfo info() {
        DatagramLink now = link;
        return now == null ? withoutLink : new PathInfo(now.record().path().text(), null, null);
    }

    /** Takes a link, unless there is one. Under the socket's monitor. */
    void linked(DatagramLink found) {
        if (link == null) {
            withoutLink = PathInfo.KERNEL;
            found.path(this);
            link = found;
        }
    }

    /** Goes through the kernel if this was the link, which is then looked for with the next datagram. */
    void unlink(DatagramLink lost) {
        if (link == lost) {
            dueAt = System.nanoTime();
            link = null;
        }
    }

    void forget() {
        forgotten = true;
    }

    boolean isForgotten() {
        return forgotten;
    }

    /**
     * Begins a search if it is time for one. In the sending half.
     *
     * @param answers whether the datagram answers one of the peer's, which then looks for a link itself if it can. It is
     *     left the time for it, and no more: it may have looked before this socket was there, and take its own for answers.
     * @param intervalNanos the time between searches
     */
    boolean beginsSearch(boolean answers, long intervalNanos) {
        if (searching || System.nanoTime() - dueAt < 0) {
            return false;
        }
        if (!answers) {
            began = true;
        } else if (!began && !leftToPeer) {
            leftToPeer = true;
            dueAt = System.nanoTime() + intervalNanos;
            return false;
        }
        searching = true; // publishes began to the search
        return true;
    }

    boolean isSearching() {
        return searching;
    }

    /**
     * A search is over.
     *
     * @param found whether it has brought a link
     * @param intervalNanos the time between searches
     */
    void searched(boolean found, long intervalNanos) {
        long wait = intervalNanos;
        if (found) {
            misses = 0;
        } else if (!began) {
            // A server of many clients without Accel would look for each of them all the time.
            wait <<= misses;
            misses = Math.min(misses + 1, MOST_DOUBLINGS);
        }
        dueAt = System.nanoTime() + wait;
        searching = false;
    }

    /**
     * A search has found nothing.
     *
     * @param why the kernel's path, with the reason
     * @return whether this is another reason than last time
     */
    boolean remains(PathInfo why) {
        boolean news = reason != why.reason();
        reason = why.reason();
        withoutLink = why;
        return news;
    }
}
