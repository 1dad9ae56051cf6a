// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.observe.Connections;
import io.accel.core.observe.ObservedConnection;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The connections that the listeners of this process have accepted and that may have a link, by their two addresses, and the clients that
 * ask for a link of a connection that is not accepted yet. Any thread.
 *
 * <p>Accepting and asking are a Dekker handshake: the accepting thread enters the connection and looks for a client; the asking thread
 * enters the client and looks for the connection once more.
 *
 * <p>Most processes are never asked, so nothing is entered before the first question, which enters the connections that there are. This is a
 * handshake as well: the accepting thread adds the connection to {@link Connections}, and then looks whether anybody {@linkplain #isAsked
 * asks}; the first thread that asks says so, and then looks at all connections.
 */
final class AcceptedStreams {
    private static final int MOST_WAITING = 4096;
    /** How many connections are accepted between two sweeps; a power of two, less one. */
    private static final int SWEEP_MASK = (1 << 12) - 1;

    /**
     * The two addresses that name a connection. A map key that does not use a record's own methods, since the JVM makes those at run time,
     * which takes 40 ms.
     */
    record Ends(InetSocketAddress local, InetSocketAddress remote) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Ends ends && local.equals(ends.local) && remote.equals(ends.remote);
        }

        @Override
        public int hashCode() {
            return 31 * local.hashCode() + remote.hashCode();
        }
    }

    /** The name of a connection whose local address the client may not know; a map key in the same way. */
    record From(StreamListener by, InetSocketAddress remote) {
        @Override
        public boolean equals(Object other) {
            return other instanceof From from && by == from.by && remote.equals(from.remote);
        }

        @Override
        public int hashCode() {
            return 31 * System.identityHashCode(by) + remote.hashCode();
        }
    }

    /** Weak references, since a program may leave closing its sockets to the collector. */
    private final ConcurrentMap<Ends, WeakReference<StreamSocket>> accepted = new ConcurrentHashMap<>();

    /**
     * The connections that a client in another network namespace may ask for. If one client port is connected to several addresses of a
     * listener, the latest connection is here.
     */
    private final ConcurrentMap<From, WeakReference<StreamSocket>> acceptedFrom = new ConcurrentHashMap<>();

    /** Whether accepting threads enter their connections. Written once, under the monitor, before the connections of earlier are entered. */
    private volatile boolean asked;
    /** Whether those of earlier are entered. Written once, under the monitor. */
    private volatile boolean complete;

    private final AtomicInteger added = new AtomicInteger();
    private final ConcurrentMap<Ends, Runnable> waiting = new ConcurrentHashMap<>();
    /** How many of those are at which address. */
    private final ConcurrentMap<InetAddress, Integer> waitingAt = new ConcurrentHashMap<>();

    /** Whether a client has ever asked, so that a connection that was accepted is to be {@linkplain StreamHandover#enter entered}. */
    boolean isAsked() {
        return asked;
    }

    /** Enters the connections that there are, and has the others entered; if that has begun, waits until it is done. */
    void beginAsking() {
        if (!complete) {
            enterAll();
        }
    }

    private synchronized void enterAll() {
        if (!asked) {
            asked = true;
            for (ObservedConnection each : Connections.all()) {
                if (each instanceof ConnectionRecord record) {
                    boolean unused = record.handover().enter(this);
                }
            }
            complete = true;
        }
    }

    /** Adds a connection that was accepted. Returns whether a client waited for it. */
    boolean add(Ends ends, StreamSocket socket) {
        put(ends, socket);
        return mayAgain(ends);
    }

    /** Adds a connection that was accepted, for which a client may wait. */
    void put(Ends ends, StreamSocket socket) {
        accepted.put(ends, new WeakReference<>(socket));
        if ((added.incrementAndGet() & SWEEP_MASK) == 0) {
            accepted.values().removeIf(each -> each.get() == null);
            acceptedFrom.values().removeIf(each -> each.get() == null);
        }
    }

    /** Takes note that a connection may have a link again. Returns whether a client waited for that. */
    boolean mayAgain(Ends ends) {
        if (!waiting.isEmpty()) {
            Runnable client = waiting.remove(ends);
            if (client != null) {
                oneLess(ends);
                client.run();
                return true;
            }
        }
        return false;
    }

    /** Adds an accepted connection that a client in another network namespace may ask for. */
    void add(From from, StreamSocket socket) {
        acceptedFrom.put(from, new WeakReference<>(socket));
    }

    /** Removes such a connection, which is closed. */
    void remove(From from, StreamSocket socket) {
        acceptedFrom.computeIfPresent(from, (key, known) -> known.get() == socket ? null : known);
    }

    /** The connection that one listener has accepted from a client's address; null if there is none. */
    StreamSocket find(From from) {
        beginAsking();
        WeakReference<StreamSocket> known = acceptedFrom.get(from);
        return known == null ? null : known.get();
    }

    /** Removes a connection that is closed. */
    void remove(Ends ends) {
        accepted.remove(ends);
    }

    /** The connection between two addresses; null if none is accepted. */
    StreamSocket find(Ends ends) {
        beginAsking();
        WeakReference<StreamSocket> known = accepted.get(ends);
        return known == null ? null : known.get();
    }

    /**
     * Enters a client that asks for a connection that is not there. One address has no more places than it leaves to others: whoever can
     * send to a device may name as many connections as it likes.
     *
     * @return false if one client already asks for it, or too many wait
     */
    boolean await(Ends ends, Runnable client) {
        beginAsking();
        int here = waitingAt.merge(ends.remote().getAddress(), 1, Integer::sum);
        if (here <= MOST_WAITING - waiting.size() && waiting.putIfAbsent(ends, client) == null) {
            return true;
        }
        oneLess(ends);
        return false;
    }

    private void oneLess(Ends ends) {
        waitingAt.computeIfPresent(ends.remote().getAddress(), (address, here) -> here == 1 ? null : here - 1);
    }

    /**
     * Removes a client that no longer waits.
     *
     * @return whether it waited
     */
    boolean forget(Ends ends) {
        boolean waited = waiting.remove(ends) != null;
        if (waited) {
            oneLess(ends);
        }
        return waited;
    }
}
