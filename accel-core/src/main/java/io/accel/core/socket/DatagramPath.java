package io.accel.core.socket;

import io.accel.core.fabric.FallbackReason;
import java.net.InetSocketAddress;

/** Which way a socket's datagrams to one destination take: by a link, or by the kernel until a link is looked for again. */
final class DatagramPath {
    private final InetSocketAddress target;

    /** Null for the kernel. Written under the socket's monitor; read by senders, who are in their half. */
    private volatile DatagramLink link;

    /** When a link may be looked for, on {@link System#nanoTime()}'s scale. Written by the search, or under the monitor. */
    private volatile long dueAt = System.nanoTime();

    /** Set by a sender, cleared by the search. */
    private volatile boolean searching;

    /** Why it is the kernel's. Search only. */
    private FallbackReason reason;

    DatagramPath(InetSocketAddress target) {
        this.target = target;
    }

    InetSocketAddress target() {
        return target;
    }

    DatagramLink link() {
        return link;
    }

    /** Takes a link, unless there is one. */
    void linked(DatagramLink found) {
        if (link == null) {
            link = found;
        }
    }

    /** Goes by the kernel if this was the link, which is then looked for with the next datagram. */
    void unlink(DatagramLink lost) {
        if (link == lost) {
            dueAt = System.nanoTime();
            link = null;
        }
    }

    /** Begins a search if it is time for one. In the sending half. */
    boolean beginsSearch() {
        if (searching || System.nanoTime() - dueAt < 0) {
            return false;
        }
        searching = true;
        return true;
    }

    boolean isSearching() {
        return searching;
    }

    /** A search is over. */
    void searched(long nextDueAt) {
        dueAt = nextDueAt;
        searching = false;
    }

    /** Whether this is another reason than last time. */
    boolean isNews(FallbackReason why) {
        boolean news = reason != why;
        reason = why;
        return news;
    }
}
