// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.daemon.Daemons;
import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.fabric.FallbackException;
import io.accel.core.poll.Poller;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Looks for links for connections that are worth one, on one daemon thread that sleeps in the kernel unless it has work to do. The work of
 * fabrics takes its time: they make files, register memory, and ask file systems. No connection waits for this thread: what keeps
 * connections going is {@link StreamUpgrades}' affair, which has a thread of its own, and the two share nothing but queues. Any thread.
 */
final class StreamSearches {
    private static final Warnings ERRORS = new Warnings(Log.of(StreamSearches.class));
    private static final long FOR_EVER = -1;
    private static final Poller.Sink NOTHING = (registration, ops) -> {};

    /**
     * How many searches go on at a time. Only searches whose peers can answer at once count. More would wait for each other, until peers
     * that heard nothing for {@code connect.probe-timeout} gave the first of them up. One destination has {@linkplain SearchPlaces a tenth of the places} at most.
     */
    private static final int MOST_AT_ONCE = 256;

    private static final StreamSearches INSTANCE = new StreamSearches();

    /**
     * A connection that asks for a link.
     *
     * @param socket the connection
     * @param to its other end, as it was when it asked; null if it has closed
     */
    private record Request(StreamSocket socket, InetSocketAddress to) {}

    private final Backlog<StreamSocket> requests = new Backlog<>();
    /** Connections that may have a link when it has paid off. */
    private final Backlog<StreamSocket> priced = new Backlog<>();
    /** The profiles with such connections: one, except in tests. The thread's. */
    private final Set<PricedUpgrades> deciding = new HashSet<>();

    private final Backlog<StreamSocket> closed = new Backlog<>();

    /** The searches under way, by their connection. The thread's; closing threads read it. */
    private final ConcurrentHashMap<StreamSocket, StreamUpgrade> searches = new ConcurrentHashMap<>();

    /** The places of searches that count towards {@link #MOST_AT_ONCE}, and the connections that wait for one. The thread's. */
    private final SearchPlaces<InetSocketAddress, Request> places = new SearchPlaces<>(MOST_AT_ONCE);

    /** Whether an error has ended the thread's turn before all searches that have a place were begun. The thread's. */
    private boolean unfinished;

    private final DaemonPoller daemon = new DaemonPoller("accel-search", "looks for faster paths", this::run);

    private StreamSearches() {}

    /** The instance of this process. Its thread starts when there is work to do. */
    static StreamSearches get() {
        return INSTANCE;
    }

    /** Asks for a link for a connection that is worth one, and need not wait for others. */
    void request(StreamSocket socket) {
        request(socket, requests);
    }

    /** Asks for a link for a connection that has carried enough: at once, or when the process is ready for it. */
    void requestWhenWorthIt(StreamSocket socket) {
        request(socket, socket.priced() == null ? requests : priced);
    }

    private void request(StreamSocket socket, Backlog<StreamSocket> by) {
        Poller started;
        try {
            started = daemon.started();
        } catch (FallbackException e) {
            socket.handover().notFound(e, e.isPassing());
            return;
        }
        by.add(socket);
        started.wakeup();
    }

    /** Takes note that a connection has closed, for which there may be a search. */
    void closed(StreamSocket socket) {
        if (!searches.isEmpty() && searches.containsKey(socket)) { // mostly no search is under way
            closed.add(socket);
            daemon.wakeIfStarted();
        }
    }

    private void run(Poller own) {
        Daemons.turns(
                ERRORS,
                "the thread that looks for faster paths met an error and goes on",
                () -> own.poll(Daemons.sleep(pause()), NOTHING),
                () -> priced.serve(this::weigh, Backlog.KEEPING),
                this::decide,
                () -> requests.serve(this::admit, Backlog.KEEPING),
                () -> beginAll(own),
                () -> closed.serve(this::checkSearch, Backlog.DROPPING));
    }

    private long pause() {
        long pause = unfinished ? 0 : FOR_EVER;
        for (PricedUpgrades each : deciding) {
            long its = each.pause();
            pause = pause < 0 || its < 0 ? Math.max(pause, its) : Math.min(pause, its);
        }
        return pause;
    }

    private boolean weigh(StreamSocket socket) {
        PricedUpgrades by = socket.priced();
        deciding.add(by);
        by.add(socket, System.nanoTime());
        return true;
    }

    private void decide() {
        long now = System.nanoTime();
        deciding.removeIf(each -> {
            each.turn(this::admit, now);
            return each.pause() < 0;
        });
    }

    private void beginAll(Poller own) {
        unfinished = true;
        for (Request request = places.next(); request != null; request = places.next()) {
            begin(own, request);
        }
        unfinished = !requests.isEmpty();
    }

    private boolean admit(StreamSocket socket) {
        InetSocketAddress to = socket.anchor().remote();
        places.add(to, new Request(socket, to));
        return true;
    }

    private void begin(Poller own, Request request) {
        StreamUpgrade search = null;
        try {
            search = new StreamUpgrade(request.socket, () -> oneLess(request.to));
            begin(own, request.socket, search);
        } catch (Throwable e) {
            // The connection stays with the kernel, or its link fails.
            ERRORS.warn("the search for a faster path met an error and was ended", e);
            if (search == null) {
                oneLess(request.to);
            } else {
                searches.remove(request.socket, search);
                search.standAside(); // so that its place is not lost
            }
        }
    }

    private void begin(Poller own, StreamSocket socket, StreamUpgrade search) {
        searches.put(socket, search);
        search.beginIfOpen(own, () -> {
            searches.remove(socket, search);
            search.standAside();
        });
        search.check(); // the connection may have closed before the search could be found
    }

    private boolean checkSearch(StreamSocket socket) {
        StreamUpgrade search = searches.get(socket);
        if (search != null) {
            search.check();
        }
        return true;
    }

    /** Frees the place of a search that is over, or that waits for the peer's program to accept, which may take any time. */
    private void oneLess(InetSocketAddress destination) {
        places.giveBack(destination);
        if (places.isWaitedFor()) {
            daemon.wakeIfStarted(); // wakes the poll that this runs in
        }
    }
}
