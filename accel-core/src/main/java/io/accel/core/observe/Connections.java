// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The connections of this process, and the sum of its former ones. Any thread.
 *
 * <p>Connections are held weakly: a program that forgets one must not lose more memory than without this. The counts
 * of an accelerated connection that was forgotten are lost.
 */
public final class Connections {
    private static final AtomicLong IDS = new AtomicLong();

    /** A power of two, less one. */
    private static final int PARTS_MASK = 15;

    /** A connection is always in the same part, so that those who open and close others mostly do not wait for each other, or for a sum. */
    private static final ListingPart[] PARTS = parts();

    /** Says in which part the next connection is. Threads may overwrite each other's value: the parts are then a little less even. */
    private static int turn;

    /** The number of open connections that are in no list: they have carried little so far, and nobody had looked when they came. */
    private static final AtomicLong UNLISTED = new AtomicLong();

    /** Whether anybody looks at single connections. Written by any thread, and never taken back. */
    private static volatile boolean observed;

    private Connections() {}

    private static ListingPart[] parts() {
        ListingPart[] parts = new ListingPart[PARTS_MASK + 1];
        for (int i = 0; i < parts.length; i++) {
            parts[i] = new ListingPart();
        }
        return parts;
    }

    /** Returns a number for a new connection. */
    public static long nextId() {
        return IDS.incrementAndGet();
    }

    /**
     * Adds a connection that is about to be made, or goes through the kernel.
     *
     * @param connection the connection
     * @return its place, which the connection keeps, and by which it tells what becomes of it
     */
    public static Listing opened(ObservedConnection connection) {
        Listing.sweep();
        ListingPart part = PARTS[turn++ & PARTS_MASK];
        Listing listing = new Listing(connection, part);
        synchronized (part) {
            listing.addTo(part.others);
        }
        return listing;
    }

    /** Counts a connection through the kernel that is in no list. Its opener says when it is {@linkplain #lessUnlisted no more} that. */
    public static void moreUnlisted() {
        UNLISTED.incrementAndGet();
    }

    /** Takes note that such a connection has closed, or is listed. */
    public static void lessUnlisted() {
        UNLISTED.decrementAndGet();
    }

    /**
     * The number of open connections that are in no list, and so in none of the answers of {@link #all} and {@link #observe}. Those that their
     * program has forgotten without a close are among them for ever.
     */
    public static long unlisted() {
        return UNLISTED.get();
    }

    /** Whether anybody {@linkplain #observe looks} at single connections, so that all are to be listed. */
    public static boolean isObserved() {
        return observed;
    }

    /** As {@link #all}, for somebody who shows single connections: from now on connections are listed from the beginning, or when they are used. */
    public static List<ObservedConnection> observe() {
        observed = true;
        return all();
    }

    /** The counts of all accelerated connections of a path, closed ones too. */
    public static Figures totals(PathName path) {
        Figures sum = new Figures();
        for (ListingPart part : PARTS) {
            part.addTo(sum, path);
        }
        return sum;
    }

    /** How many connections are on this path and in this state. */
    public static int count(PathName path, ConnectionState state) {
        int count = 0;
        for (ObservedConnection connection : all()) {
            if (connection.path() == path && connection.state() == state) {
                count++;
            }
        }
        boolean isTheirs = path == PathName.KERNEL && state == ConnectionState.ESTABLISHED;
        return isTheirs ? count + (int) unlisted() : count;
    }

    /** The present connections, without order. */
    public static List<ObservedConnection> all() {
        List<ObservedConnection> all = new ArrayList<>();
        for (ListingPart part : PARTS) {
            part.addAll(all);
        }
        return all;
    }
}
