// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The connections of this process, and the sum of its former ones. Any thread.
 *
 * <p>Connections are held weakly: a program that forgets one must not lose more memory than without this. The counts
 * of an accelerated connection that was forgotten are lost.
 */
public final class Connections {
    private static final AtomicLong IDS = new AtomicLong();

    // ACCELERATED guards all of these.
    private static final Set<ObservedConnection> ACCELERATED = Collections.newSetFromMap(new WeakHashMap<>());
    private static final Set<ObservedConnection> OTHERS = Collections.newSetFromMap(new WeakHashMap<>());
    private static final Map<PathName, Figures> FOLDED = new EnumMap<>(PathName.class);

    private Connections() {}

    /** Returns a number for a new connection. */
    public static long nextId() {
        return IDS.incrementAndGet();
    }

    /** Adds a connection that is about to be made, or goes through the kernel. Its opener keeps hold of the object. */
    public static void opened(ObservedConnection connection) {
        synchronized (ACCELERATED) {
            OTHERS.add(connection);
        }
    }

    /**
     * Notes that a connection is established and accelerated. Does nothing if the connection is not here: the program may have closed it
     * while its handshake was still going on.
     */
    public static void established(ObservedConnection connection) {
        synchronized (ACCELERATED) {
            if (OTHERS.remove(connection)) {
                ACCELERATED.add(connection);
            }
        }
    }

    /**
     * Notes that a connection goes through the kernel again. Call it while the connection still has the path that it
     * comes from.
     */
    public static void wentBack(ObservedConnection connection) {
        synchronized (ACCELERATED) {
            if (ACCELERATED.remove(connection)) {
                connection.foldInto(FOLDED.computeIfAbsent(connection.path(), path -> new Figures()));
                OTHERS.add(connection);
            }
        }
    }

    /** Removes a connection that has ended; nothing more will be counted for it. A second call does nothing. */
    public static void closed(ObservedConnection connection) {
        synchronized (ACCELERATED) {
            if (ACCELERATED.remove(connection)) {
                connection.foldInto(FOLDED.computeIfAbsent(connection.path(), path -> new Figures()));
            } else {
                OTHERS.remove(connection);
            }
        }
    }

    /** The counts of all accelerated connections of a path, closed ones too. */
    public static Figures totals(PathName path) {
        synchronized (ACCELERATED) {
            Figures sum = new Figures();
            Figures folded = FOLDED.get(path);
            if (folded != null) {
                sum.add(folded);
            }
            for (ObservedConnection connection : ACCELERATED) {
                if (connection.path() == path) {
                    connection.addTo(sum);
                }
            }
            return sum;
        }
    }

    /** How many connections are on this path and in this state. */
    public static int count(PathName path, ConnectionState state) {
        int count = 0;
        for (ObservedConnection connection : all()) {
            if (connection.path() == path && connection.state() == state) {
                count++;
            }
        }
        return count;
    }

    /** The present connections, without order. */
    public static List<ObservedConnection> all() {
        synchronized (ACCELERATED) {
            List<ObservedConnection> all = new ArrayList<>(ACCELERATED.size() + OTHERS.size());
            all.addAll(ACCELERATED);
            all.addAll(OTHERS);
            return all;
        }
    }
}
