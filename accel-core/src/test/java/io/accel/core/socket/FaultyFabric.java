package io.accel.core.socket;

import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** A fabric over another that fails on demand, as {@link Faults} says, and keeps account of what it gave out. */
final class FaultyFabric implements Fabric {
    private final Fabric inner;
    private final Faults faults;
    /** Guarded by this: hand-overs that wait, or null if none is to wait. */
    private List<Runnable> held;

    FaultyFabric(Fabric inner, Faults faults) {
        this.inner = inner;
        this.faults = faults;
    }

    /** Connections that are established from now on reach their listener late. */
    synchronized void holdHandOvers() {
        held = new ArrayList<>();
    }

    synchronized int heldHandOvers() {
        return held.size();
    }

    synchronized void handOver() {
        held.forEach(Runnable::run);
        held = null;
    }

    private synchronized void handOver(Runnable one) {
        if (held == null) {
            one.run();
        } else {
            held.add(one);
        }
    }

    @Override
    public String name() {
        return inner.name();
    }

    @Override
    public Connecting connect(InetSocketAddress destination, Source source) throws IOException {
        IOException failure = faults.next(Faults.Side.CLIENT, Faults.Call.CONNECT);
        if (failure != null) {
            throw failure;
        }
        Connecting handshake = new Handshake(inner.connect(destination, source));
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

    private Link give(Link link, Faults.Side side) {
        faults.links.incrementAndGet();
        return new FaultyLink(link, side, faults);
    }

    private final class Handshake implements Connecting {
        private final Connecting handshake;
        private boolean over;

        Handshake(Connecting handshake) {
            this.handshake = handshake;
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
            return handshake.channel();
        }

        @Override
        public long deadline() {
            return handshake.deadline();
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
            try {
                Link link = handshake.advance();
                if (link == null) {
                    return null;
                }
                end();
                return give(link, Faults.Side.CLIENT);
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

        Arrivals(Acceptor acceptor) {
            this.acceptor = acceptor;
        }

        @Override
        public boolean reserve() {
            boolean reserved = acceptor.reserve();
            if (reserved) {
                faults.places.incrementAndGet();
            }
            return reserved;
        }

        @Override
        public void unreserve() {
            faults.places.decrementAndGet();
            acceptor.unreserve();
        }

        @Override
        public void accept(Link link, InetSocketAddress local, InetSocketAddress remote) {
            Link given = give(link, Faults.Side.SERVER);
            handOver(() -> {
                faults.places.decrementAndGet();
                acceptor.accept(given, local, remote);
            });
        }
    }
}
