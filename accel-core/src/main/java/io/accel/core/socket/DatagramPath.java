// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.FallbackReason;
import io.accel.PathInfo;
import java.net.InetSocketAddress;

/** The path of a socket's datagrams to one destination: over a link, or through the kernel until the next search for a link. */
final class DatagramPath {
    /** The most doublings of the interval between two searches for a peer that this socket only answers. */
    private static final int MOST_DOUBLINGS = 6;
    /** The interval after the first vain search for a peer that may be about to open itself to links. It doubles. */
    private static final long SOON_NANOS = 10_000_000L;

    private final InetSocketAddress target;

    /** Null for the kernel. Written under the socket's monitor; read by senders, who are in their half. */
    private volatile DatagramLink link;

    /** Null if there is none. Written under the monitor of {@link GroupSending}; read by senders, who are in their half. */
    private volatile GroupPublication publication;

    /**
     * When a link may be looked for, on {@link System#nanoTime()}'s scale. Written by the search, under the monitor, and by a
     * sender that leaves the first search to the peer; writes that cross cost a search or an interval.
     */
    private volatile long dueAt = System.nanoTime();

    /** Set by a sender, cleared by the search. */
    private volatile boolean searching;

    /** Whether this socket spoke first, so that perhaps nobody else looks for a link. Sending half only, except for searches. */
    private boolean began;

    /** Whether the peer, which spoke first, was given the time to find a link. Sending half only. */
    private boolean leftToPeer;

    /**
     * The number of vain searches, one after the other. Used by searches, which come one after the other, and at the end of links, without
     * order: a count that gets lost costs a search.
     */
    private int misses;

    /**
     * Whether this path is forgotten, so that another is made for the destination when one is needed. Written under the socket's monitor.
     */
    private volatile boolean forgotten;

    /** The reason that the last vain search gave. Used by searches alone. */
    private FallbackReason reason;

    /** The path that is reported while there is no link. */
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

    /** The publication that takes the datagrams to this group, or null. */
    GroupPublication publication() {
        return publication;
    }

    /** Publishes the datagrams from now on. */
    void published(GroupPublication by) {
        publication = by;
    }

    /** Goes back to the kernel. The next datagram has another publication made. */
    void unpublished(PathInfo why) {
        publication = null;
        withoutLink = why;
        dueAt = System.nanoTime();
    }

    /** The path that datagrams take now, and the reason why it is not a faster one. */
    PathInfo info() {
        GroupPublication published = publication;
        if (published != null) {
            return published.info();
        }
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

    /**
     * Goes back to the kernel if {@code lost} was the link. The next datagram begins a search for another; but the search counts as vain
     * whose link ended before it was of use, since the next one may end as soon, with the datagrams that were sent over it.
     */
    void unlink(DatagramLink lost) {
        if (link == lost) {
            long now = System.nanoTime();
            if (lost.wasOfUse(now)) {
                misses = 0;
                dueAt = now;
            } else {
                dueAt = now + (SOON_NANOS << misses);
                misses = Math.min(misses + 1, MOST_DOUBLINGS);
            }
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
     * @param answers whether the datagram answers one of the peer's. The peer then looks for a link itself if it can. It gets the time for
     *     that, and no more: it may have looked before this socket was there, and take its own datagrams for answers.
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
     * Takes note that a search is over.
     *
     * @param found whether it has brought a link
     * @param intervalNanos the time between searches
     */
    void searched(boolean found, long intervalNanos) {
        long wait = intervalNanos;
        if (!found) {
            // Otherwise a server of many clients without Accel would look for each of them all the time.
            // And a peer that has just heard of this socket needs a moment before it can be found.
            wait = began ? Math.min(wait, SOON_NANOS << misses) : wait << misses;
            misses = Math.min(misses + 1, MOST_DOUBLINGS);
        }
        dueAt = System.nanoTime() + wait;
        searching = false;
    }

    /**
     * Takes note that a search has found nothing.
     *
     * @param why the kernel's path, with the reason
     * @return whether the reason differs from that of the last search
     */
    boolean remains(PathInfo why) {
        boolean news = reason != why.reason();
        reason = why.reason();
        withoutLink = why;
        return news;
    }
}
