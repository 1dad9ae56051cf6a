// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The connections through the kernel that are in no list: they have carried little so far, and nobody had looked at single connections when
 * they came. They are only counted, by a class that needs no other, since most processes that start and most connections need nothing else. Any
 * thread.
 */
public final class Unlisted {
    private static final AtomicLong OPEN = new AtomicLong();
    private static final AtomicLong CLOSED_CLIENTS = new AtomicLong();
    private static final AtomicLong CLOSED_SERVERS = new AtomicLong();

    /** Written by any thread, and never taken back. */
    private static volatile boolean observed;

    private Unlisted() {}

    /** Whether anybody {@linkplain Connections#observe looks} at single connections, so that all are to be listed. */
    public static boolean areObserved() {
        return observed;
    }

    static void observe() {
        observed = true;
    }

    /** Counts a connection. Its opener says when it is {@linkplain #less no more} that. */
    public static void more() {
        OPEN.incrementAndGet();
    }

    /** Takes note that such a connection has closed, or is listed. */
    public static void less() {
        OPEN.decrementAndGet();
    }

    /**
     * The number of those that are open, and so in none of the answers of {@link Connections#all} and {@link Connections#observe}. Those that
     * their program has forgotten without a close are among them for ever.
     */
    public static long open() {
        return OPEN.get();
    }

    /** Counts a client's connection that has closed, and had carried too little for a faster path. */
    public static void closedClient() {
        CLOSED_CLIENTS.incrementAndGet();
    }

    /** Counts an accepted connection that has closed, and whose client had not asked for a faster path. */
    public static void closedServer() {
        CLOSED_SERVERS.incrementAndGet();
    }

    static long closedClients() {
        return CLOSED_CLIENTS.get();
    }

    static long closedServers() {
        return CLOSED_SERVERS.get();
    }
}
