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

    /** What names a connection. */
    record Ends(InetSocketAddress local, InetSocketAddress remote) {}

    /** Weakly, since a program may leave closing its sockets to the collector. */
    private final ConcurrentMap<Ends, WeakReference<StreamSocket>> accepted = new ConcurrentHashMap<>();

    private final AtomicInteger added = new AtomicInteger();
    private final ConcurrentMap<Ends, Runnable> waiting = new ConcurrentHashMap<>();

    /** A connection was accepted. Returns whether a client waited for it. */
    boolean add(Ends ends, StreamSocket socket) {
        accepted.put(ends, new WeakReference<>(socket));
        if ((added.incrementAndGet() & SWEEP_MASK) == 0) {
            accepted.values().removeIf(each -> each.get() == null);
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
