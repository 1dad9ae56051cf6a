// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** A fabric over another that fails on demand, as {@link Faults} says, and keeps account of what it gave out. */
final class FaultyFabric implements Fabric {
    private final Fabric inner;
    private final Faults faults;

    FaultyFabric(Fabric inner, Faults faults) {
        this.inner = inner;
        this.faults = faults;
    }

    @Override
    public String name() {
        return inner.name();
    }

    @Override
    public Connecting connect(InetSocketAddress destination, Source source, int ringSize) throws IOException {
        IOException failure = faults.next(Faults.Side.CLIENT, Faults.Call.CONNECT);
        if (failure != null) {
            throw failure;
        }
        faults.steps.accept(Faults.Step.CALLS);
        Connecting handshake =
                new Handshake(inner.connect(destination, source, ringSize), source.bind(destination.getAddress()));
        faults.handshakes.incrementAndGet();
        return handshake;
    }

    @Override
    public Listening listen(InetSocketAddress bound, Acceptor acceptor) throws FallbackException {
        if (faults.next(Faults.Side.SERVER, Faults.Call.LISTEN) instanceof FallbackException failure) {
            throw failure;
        }
        Listening listening = inner.listen(bound, new Arrivals(acceptor));
        faults.listeners.incrementAndGet();
        AtomicBoolean closed = new AtomicBoolean();
        return () -> {
            listening.close();
            if (closed.compareAndSet(false, true)) {
                faults.listeners.decrementAndGet();
            }
        };
    }

    private Link give(Link link, Faults.Side side, InetSocketAddress client) {
        faults.links.incrementAndGet();
        FaultyLink given = new FaultyLink(link, side, faults, client);
        faults.pair(client, given);
        return faults.guise.apply(given);
    }

    private final class Handshake implements Connecting {
        private final Connecting handshake;
        private final InetSocketAddress client;
        private boolean isBegun;
        private boolean isWatched;
        private boolean over;

        Handshake(Connecting handshake, InetSocketAddress client) {
            this.handshake = handshake;
            this.client = client;
        }

        private void end() {
            if (over) {
                faults.misused("a handshake that is over");
            }
            over = true;
            faults.handshakes.decrementAndGet();
        }

        @Override
        public SelectableChannel channel() {
            if (!isWatched) {
                isWatched = true;
                faults.steps.accept(Faults.Step.WATCHES);
            }
            return handshake.channel();
        }

        @Override
        public long deadline() {
            return handshake.deadline();
        }

        @Override
        public boolean isPending() {
            if (!isBegun) {
                isBegun = true;
                faults.steps.accept(Faults.Step.HAS_CALLED);
            }
            return handshake.isPending();
        }

        @Override
        public InetSocketAddress local() {
            return handshake.local();
        }

        @Override
        public Link advance() throws FallbackException {
            if (faults.next(Faults.Side.CLIENT, Faults.Call.ADVANCE) instanceof FallbackException failure) {
                handshake.abort();
                end();
                throw failure;
            }
            faults.steps.accept(Faults.Step.HEARS);
            try {
                Link link = handshake.advance();
                if (link == null) {
                    faults.steps.accept(Faults.Step.WAITS);
                    return null;
                }
                end();
                faults.steps.accept(Faults.Step.HAS_LINK);
                return give(link, Faults.Side.CLIENT, client);
            } catch (FallbackException e) {
                end();
                throw e;
            }
        }

        @Override
        public void abort() {
            end();
            handshake.abort();
        }
    }

    private final class Arrivals implements Acceptor {
        private final Acceptor acceptor;
        private final Set<List<InetSocketAddress>> asked = ConcurrentHashMap.newKeySet();
        private final Map<Link, Link> given = new ConcurrentHashMap<>();

        Arrivals(Acceptor acceptor) {
            this.acceptor = acceptor;
        }

        @Override
        public boolean reserve(InetSocketAddress local, InetSocketAddress remote, Runnable again)
                throws FallbackException {
            faults.steps.accept(Faults.Step.IS_ASKED);
            boolean reserved = acceptor.reserve(local, remote, again);
            if (asked.add(List.of(local, remote))) { // and not once more when it asks again
                faults.places.incrementAndGet();
            }
            return reserved;
        }

        @Override
        public int ringSize(int asked) {
            faults.steps.accept(Faults.Step.HAS_RESERVED);
            return acceptor.ringSize(asked);
        }

        private void over(InetSocketAddress local, InetSocketAddress remote) {
            if (asked.remove(List.of(local, remote))) {
                faults.places.decrementAndGet();
            }
        }

        @Override
        public void unreserve(InetSocketAddress local, InetSocketAddress remote) {
            over(local, remote);
            acceptor.unreserve(local, remote);
        }

        @Override
        public boolean offered(Link link, InetSocketAddress local, InetSocketAddress remote) {
            Link given = give(link, Faults.Side.SERVER, remote);
            over(local, remote);
            this.given.put(link, given);
            boolean taken = acceptor.offered(given, local, remote);
            if (!taken) {
                faults.links.decrementAndGet(); // the fabric frees it
            }
            faults.steps.accept(Faults.Step.HAS_TAKEN);
            return taken;
        }

        @Override
        public boolean isSettled(Link link) {
            faults.steps.accept(Faults.Step.SETTLES);
            return acceptor.isSettled(given.get(link));
        }

        @Override
        public void confirmed(Link link) {
            acceptor.confirmed(given.get(link));
        }

        @Override
        public void withdrawn(Link link) {
            acceptor.withdrawn(given.get(link));
        }
    }
}
