// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.FallbackReason;
import io.accel.core.fabric.Beginnings;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import io.accel.core.poll.Poller;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The search for a link for one connection. {@link StreamSearches}' thread only. */
final class StreamUpgrade extends LinkSearch {
    private final StreamSocket socket;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final Fabric.Source source = new End();
    /** Run once, when another search may take its place; null after that. */
    private Runnable whenAside;

    /**
     * A search.
     *
     * @param socket the connection
     * @param whenAside run once, when the search is over or waits for the peer's program
     */
    StreamUpgrade(StreamSocket socket, Runnable whenAside) {
        super(socket.handover().fabrics().iterator());
        this.socket = socket;
        this.whenAside = whenAside;
        this.local = socket.anchor().local();
        this.remote = socket.anchor().remote();
    }

    /** Begins, unless the connection has closed meanwhile, or is connected to itself. */
    void beginIfOpen(Poller poller, Runnable whenOver) {
        if (socket.isClosed() || local == null || remote == null) {
            whenOver.run();
        } else if (local.equals(remote)) {
            notFound(new FallbackException(
                    FallbackReason.PEER_NOT_ACCELERATED, "the connection is one to itself, and has no other end"));
            whenOver.run();
        } else {
            begin(poller, whenOver);
        }
    }

    /** Lets another search take its place. */
    void standAside() {
        if (whenAside != null) {
            Runnable told = whenAside;
            whenAside = null;
            told.run();
        }
    }

    /** Gives up if the connection has closed. */
    void check() {
        if (socket.isClosed()) {
            abandon();
        }
    }

    @Override
    InetSocketAddress target() {
        return remote;
    }

    @Override
    Connecting connect(Fabric next) throws IOException {
        StreamUpgrades.get().start();
        return next.connect(remote, source, socket.handover().rings().next());
    }

    @Override
    void waiting(boolean pending, boolean heard) {
        socket.handover().answer().pending(pending, heard);
        if (pending) {
            standAside();
        }
    }

    @Override
    void found(Link link, String by, InetSocketAddress end) {
        boolean attached;
        try {
            attached = socket.handover().attach(link, by);
        } catch (RuntimeException | Error e) {
            LinkStream stream = socket.attached();
            if (stream == null || stream.link() != link) {
                link.free();
            } else {
                stream.failure().met(e); // the peer may never hear that this end has the link, or use it already
            }
            throw e;
        }
        PricedUpgrades priced = socket.priced();
        if (attached && priced != null) {
            priced.found(socket, System.nanoTime());
        }
        if (!attached) {
            try {
                link.signal(Link.RST | Link.CLOSED);
            } finally {
                link.free();
            }
        }
    }

    @Override
    void notFound(FallbackException reason) {
        PricedUpgrades priced = socket.priced();
        if (priced != null) {
            priced.notFound(socket);
        }
        socket.handover().notFound(reason, isPassing());
    }

    /** The program's end. */
    private final class End implements Fabric.Source {
        @Override
        public InetSocketAddress bind(InetAddress address) {
            return local;
        }

        @Override
        public int typeOfService() {
            return socket.anchor().typeOfService();
        }

        @Override
        public Object waiter() {
            return socket.readiness().waiter();
        }

        @Override
        public Beginnings beginnings() {
            return socket.handover().beginnings();
        }

        @Override
        public boolean isAtOnce() {
            return socket.handover().isAtOnce();
        }

        @Override
        public Fabric.Traits traits() {
            return UnixTraits.of(socket);
        }
    }
}
