// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Link;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** The calls of a {@link FaultyFabric} that fail, and the account of the resources that it gave out. Thread-safe. */
final class Faults {
    /** The calls that can fail. */
    enum Call {
        CONNECT,
        ADVANCE,
        LISTEN,
        PUBLISH,
        SIGNAL,
        RELEASED,
        PUBLISHED,
        CONSUMED,
        ARM,
        DRAIN
    }

    /** The end of a connection; handshakes are the client's, listeners the server's. */
    enum Side {
        CLIENT,
        SERVER
    }

    /** The points at which a test may hold up an end that gets a link, or goes on without a link that broke. */
    enum Step {
        // The client, on the thread that looks for links.
        CALLS,
        HAS_CALLED,
        /** Before its poller watches for an answer. */
        WATCHES,
        /** Before it reads an answer; after the last answer it makes the file. */
        HEARS,
        /** After that. */
        WAITS,
        HAS_LINK,
        SAYS_ATTACHED,
        // The server, on the thread of the rendezvous.
        IS_ASKED,
        HAS_RESERVED,
        HAS_TAKEN,
        SETTLES,
        // Either, on the same.
        ATTACHES,
        // Either, in a write of the program's.
        SWITCHES,
        SAYS_SWITCHED,
        /** Before the announcement. */
        HAS_SWITCHED,
        // Either, when the link has broken, on the thread that takes connections back.
        DRAINS,
        SPEAKS,
        HAS_SPOKEN,
        LISTENS,
        REPLAYS,
        FREES
    }

    /** Called by a thread that comes to a step; it may wait, or throw an error. */
    volatile Consumer<Step> steps = step -> {};

    /** Handshakes begun and not yet over. */
    final AtomicInteger handshakes = new AtomicInteger();
    /** Links handed out and not yet freed. */
    final AtomicInteger links = new AtomicInteger();
    /** Listeners open. */
    final AtomicInteger listeners = new AtomicInteger();
    /** Clients that have asked a listener for a link, and have neither gone away nor got one. */
    final AtomicInteger places = new AtomicInteger();

    /** Whether a link that breaks leaves the fate of its stream open, like a link whose ends can still reach each other. */
    volatile boolean isResumable;
    /** Whether what is said over links arrives, as far as its sender knows. */
    volatile boolean arrives = true;
    /** How many threads have waited for that. */
    final AtomicInteger waits = new AtomicInteger();
    /** The peer that has to prove itself, whether or not both ends may lead; null for a fabric that knows its peers. */
    volatile PairedOwnership.Peer owner;

    volatile boolean serverLeads = true;
    /** Called when an end asks whether its link can break. */
    volatile Runnable asked = () -> {};
    /** Called when an end looks what its peer has said. */
    volatile Consumer<FaultyLink> looks = link -> {};
    /** How many microseconds later, at most, the second end finds the link broken; negative for never. */
    volatile int newsMicros;

    /** Puts another link over each that is handed out. */
    volatile UnaryOperator<Link> guise = link -> link;

    private final Map<InetSocketAddress, FaultyLink> halves = new ConcurrentHashMap<>();

    // Guarded by this.
    private final List<String> misuse = new ArrayList<>();
    private Call call;
    private Side side;
    private int left;
    private boolean tripped;
    private IOException with;

    /** From now on the n-th such call fails, and only that one. */
    synchronized void arm(Side where, Call what, int nth, IOException failure) {
        side = where;
        call = what;
        left = nth;
        with = failure;
        tripped = false;
    }

    synchronized void disarm() {
        call = null;
    }

    /** Whether the call that was to fail has come. */
    synchronized boolean hasTripped() {
        return tripped;
    }

    /** Returns the exception with which the call fails, or null. */
    synchronized IOException next(Side where, Call what) {
        if (call != what || side != where || --left != 0) {
            return null;
        }
        call = null;
        tripped = true;
        return with;
    }

    /** Both ends' links of a connection, one after the other, become known by the client's address. */
    void pair(InetSocketAddress client, FaultyLink half) {
        FaultyLink other = halves.putIfAbsent(client, half);
        if (other != null) {
            halves.remove(client);
            half.pairWith(other);
            other.pairWith(half);
        }
    }

    /** A method was called that must not be called any more. */
    synchronized void misused(String what) {
        misuse.add(what);
    }

    synchronized List<String> misuse() {
        return List.copyOf(misuse);
    }

    /** The resources that are out: zero of each when all have been given back. */
    String out() {
        return "handshakes " + handshakes + ", links " + links + ", listeners " + listeners + ", places " + places;
    }
}
