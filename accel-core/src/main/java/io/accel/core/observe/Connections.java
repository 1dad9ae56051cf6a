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

    /** As {@link #all}, for somebody who shows single connections: from now on connections are listed from the beginning, or when they are used. */
    public static List<ObservedConnection> observe() {
        Unlisted.observe();
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
        return isTheirs ? count + (int) Unlisted.open() : count;
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
