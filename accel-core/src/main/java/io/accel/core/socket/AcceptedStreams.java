package io.accel.core.socket;

import java.lang.ref.WeakReference;
import java.net.InetSocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The connections that the listeners of this process have accepted and that may have a link, by their two addresses, and the
 * clients that ask for one of a connection that is not accepted yet. Any thread.
 *
 * <p>Accepting and asking are a Dekker handshake: who accepts enters the connection and looks for a client; who asks enters
 * itself and looks for the connection once more.
 */
final class AcceptedStreams {
    private static final int MOST_WAITING = 4096;
    /** How many connections are accepted between two sweeps; a power of two, less one. */
    private static final int SWEEP_MASK = (1 << 12) - 1;

    /** What names a connection. A key, but not by a record's own methods, which are made at run time: that takes 40 ms. */
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

    /** What names a connection whose local address the client may not know; a key in the same way. */
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

    /** Weakly, since a program may leave closing its sockets to the collector. */
    private final ConcurrentMap<Ends, WeakReference<StreamSocket>> accepted = new ConcurrentHashMap<>();

    /**
     * Those that a client in another network namespace may ask for. One client's port may be connected to several addresses of a
     * listener: then the latest is here.
     */
    private final ConcurrentMap<From, WeakReference<StreamSocket>> acceptedFrom = new ConcurrentHashMap<>();

    private final AtomicInteger added = new AtomicInteger();
    private final ConcurrentMap<Ends, Runnable> waiting = new ConcurrentHashMap<>();

    /** A connection was accepted. Returns whether a client waited for it. */
    boolean add(Ends ends, StreamSocket socket) {
        accepted.put(ends, new WeakReference<>(socket));
        if ((added.incrementAndGet() & SWEEP_MASK) == 0) {
            accepted.values().removeIf(each -> each.get() == null);
            acceptedFrom.values().removeIf(each -> each.get() == null);
        }
        return mayAgain(ends);
    }

    /** A connection may have a link now. Returns whether a client waited for that. */
    boolean mayAgain(Ends ends) {
        if (!waiting.isEmpty()) {
            Runnable client = waiting.remove(ends);
            if (client != null) {
                client.run();
                return true;
            }
        }
        return false;
    }

    /** A connection was accepted that may be asked for from another network namespace. */
    void add(From from, StreamSocket socket) {
        acceptedFrom.put(from, new WeakReference<>(socket));
    }

    /** One of those is closed. */
    void remove(From from, StreamSocket socket) {
        acceptedFrom.computeIfPresent(from, (key, known) -> known.get() == socket ? null : known);
    }

    /** The connection that one listener has accepted from a client's address; null if there is none. */
    StreamSocket find(From from) {
        WeakReference<StreamSocket> known = acceptedFrom.get(from);
        return known == null ? null : known.get();
    }

    /** A connection is closed. */
    void remove(Ends ends) {
        accepted.remove(ends);
    }

    /** The connection between these; null if none is accepted. */
    StreamSocket find(Ends ends) {
        WeakReference<StreamSocket> known = accepted.get(ends);
        return known == null ? null : known.get();
    }

    /**
     * A client asks for a connection that is not there.
     *
     * @return false if one already does, or too many do
     */
    boolean await(Ends ends, Runnable client) {
        return waiting.size() < MOST_WAITING && waiting.putIfAbsent(ends, client) == null;
    }

    /**
     * A client no longer waits.
     *
     * @return whether it did
     */
    boolean forget(Ends ends) {
        return waiting.remove(ends) != null;
    }
}
