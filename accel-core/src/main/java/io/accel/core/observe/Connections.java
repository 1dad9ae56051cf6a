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

    /** A power of two, less one. */
    private static final int PARTS_MASK = 15;

    /** A connection is always in the same part, so that those who open and close others mostly do not wait for each other, or for a sum. */
    private static final Part[] PARTS = parts();

    private static final class Part {
        // All guarded by this.
        private final Set<ObservedConnection> accelerated = Collections.newSetFromMap(new WeakHashMap<>());
        private final Set<ObservedConnection> others = Collections.newSetFromMap(new WeakHashMap<>());
        private final Map<PathName, Figures> folded = new EnumMap<>(PathName.class);

        private void fold(ObservedConnection connection) {
            connection.foldInto(folded.computeIfAbsent(connection.path(), path -> new Figures()));
        }

        private synchronized void addTo(Figures sum, PathName path) {
            Figures former = folded.get(path);
            if (former != null) {
                sum.add(former);
            }
            for (ObservedConnection connection : accelerated) {
                if (connection.path() == path) {
                    connection.addTo(sum);
                }
            }
        }

        private synchronized void addAll(List<ObservedConnection> all) {
            all.addAll(accelerated);
            all.addAll(others);
        }
    }

    private Connections() {}

    private static Part[] parts() {
        Part[] parts = new Part[PARTS_MASK + 1];
        for (int i = 0; i < parts.length; i++) {
            parts[i] = new Part();
        }
        return parts;
    }

    /** The number of the part in which a connection is. */
    static int place(ObservedConnection connection) {
        int hash = connection.hashCode();
        return (hash ^ hash >>> Byte.SIZE) & PARTS_MASK;
    }

    private static Part partOf(ObservedConnection connection) {
        return PARTS[place(connection)];
    }

    /** Returns a number for a new connection. */
    public static long nextId() {
        return IDS.incrementAndGet();
    }

    /** Adds a connection that is about to be made, or goes through the kernel. Its opener keeps hold of the object. */
    public static void opened(ObservedConnection connection) {
        Part part = partOf(connection);
        synchronized (part) {
            part.others.add(connection);
        }
    }

    /**
     * Notes that a connection is established and accelerated. Does nothing if the connection is not here: the program may have closed it
     * while its handshake was still going on.
     */
    public static void established(ObservedConnection connection) {
        Part part = partOf(connection);
        synchronized (part) {
            if (part.others.remove(connection)) {
                part.accelerated.add(connection);
            }
        }
    }

    /**
     * Notes that a connection goes through the kernel again. Call it while the connection still has the path that it
     * comes from.
     */
    public static void wentBack(ObservedConnection connection) {
        Part part = partOf(connection);
        synchronized (part) {
            if (part.accelerated.remove(connection)) {
                part.fold(connection);
                part.others.add(connection);
            }
        }
    }

    /** Removes a connection that has ended; nothing more will be counted for it. A second call does nothing. */
    public static void closed(ObservedConnection connection) {
        Part part = partOf(connection);
        synchronized (part) {
            if (part.accelerated.remove(connection)) {
                part.fold(connection);
            } else {
                part.others.remove(connection);
            }
        }
    }

    /** The counts of all accelerated connections of a path, closed ones too. */
    public static Figures totals(PathName path) {
        Figures sum = new Figures();
        for (Part part : PARTS) {
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
        return count;
    }

    /** The present connections, without order. */
    public static List<ObservedConnection> all() {
        List<ObservedConnection> all = new ArrayList<>();
        for (Part part : PARTS) {
            part.addAll(all);
        }
        return all;
    }
}
