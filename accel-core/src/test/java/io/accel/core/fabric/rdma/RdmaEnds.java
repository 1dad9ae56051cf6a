// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.PortSpace;
import io.accel.core.fabric.rdma.bootstrap.RdmaConfig;
import io.accel.core.fabric.rdma.verbs.RdmaDevice;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A listener on this host's RDMA address, and clients of it, both in this process. Everything goes on close. */
final class RdmaEnds implements AutoCloseable {
    static final int RING = 1 << 16;

    /** Both ends of one connection. */
    record Pair(Link client, Link server) {
        /** Proves both ends to each other, as a record over their connection does. */
        Pair proved() {
            server.ownership().found(client.ownership().record());
            await().atMost(Duration.ofSeconds(10)).until(client.ownership()::isProved);
            return this;
        }

        void free() {
            client.free();
            server.free();
        }
    }

    private final BlockingQueue<Link> accepted = new LinkedBlockingQueue<>();
    private volatile boolean closed;
    /** Null if another's listener keeps the number. */
    private final ServerSocket port;

    private final Fabric.Listening listening;
    private final RdmaFabric fabric;
    final InetSocketAddress address;
    /** Connections that the listener may still take. */
    final AtomicInteger places = new AtomicInteger(100_000);
    /** Whether the program accepts; if not, clients wait. */
    volatile boolean accepts = true;
    /** Clients that wait until the program accepts. */
    final AtomicInteger waiting = new AtomicInteger();

    RdmaEnds(int queueDepth) throws Exception {
        this(queueDepth, RdmaDevice.address());
    }

    RdmaEnds(int queueDepth, InetAddress host) throws Exception {
        this(config(queueDepth, false), host);
    }

    RdmaEnds(RdmaConfig config, InetAddress host) throws Exception {
        this(new RdmaFabric(config), host);
    }

    RdmaEnds(RdmaFabric fabric, InetAddress host) throws Exception {
        this.fabric = fabric;
        port = new ServerSocket(0, 1, host); // so that nobody else takes its number
        address = new InetSocketAddress(host, port.getLocalPort());
        try {
            listening = fabric.listen(address, new Acceptor());
        } catch (FallbackException e) {
            port.close();
            throw e;
        }
    }

    /** A listener on the same address and port that shares nothing with this one, as that of another process. */
    RdmaEnds asOfAnotherProcess() throws FallbackException {
        return new RdmaEnds(new RdmaFabric(config(32, false)), address);
    }

    /** Why clients cannot ask here yet; null if they can. */
    FallbackException waitsFor() {
        return listening.waitsFor();
    }

    private RdmaEnds(RdmaFabric fabric, InetSocketAddress address) throws FallbackException {
        this.fabric = fabric;
        this.port = null;
        this.address = address;
        this.listening = fabric.listen(address, new Acceptor());
    }

    /** Another listener on the same address and port, which keep their number until this is closed. */
    RdmaEnds beside() throws FallbackException {
        return new RdmaEnds(fabric, address);
    }

    static RdmaConfig config(int queueDepth, boolean notifyBySend) {
        return config(queueDepth, notifyBySend, 10_000_000_000L);
    }

    static RdmaConfig config(int queueDepth, boolean notifyBySend, long handshakeTimeoutNanos) {
        return config(RING, queueDepth, notifyBySend, handshakeTimeoutNanos);
    }

    static RdmaConfig config(int ringSize, int queueDepth, boolean notifyBySend, long handshakeTimeoutNanos) {
        return config(ringSize, queueDepth, notifyBySend, 10_000_000_000L, handshakeTimeoutNanos);
    }

    static RdmaConfig config(
            int ringSize, int queueDepth, boolean notifyBySend, long probeTimeoutNanos, long handshakeTimeoutNanos) {
        long second = 1_000_000_000L;
        return new RdmaConfig(
                PortSpace.TCP,
                ringSize,
                probeTimeoutNanos,
                handshakeTimeoutNanos,
                List.of(),
                0,
                0,
                queueDepth,
                220,
                16,
                16,
                64_000_000,
                7,
                7,
                second,
                5 * second,
                notifyBySend);
    }

    private final class Acceptor implements Fabric.Acceptor {
        @Override
        public boolean reserve(InetSocketAddress local, InetSocketAddress remote, Runnable again)
                throws FallbackException {
            if (!accepts) {
                waiting.incrementAndGet();
                return false;
            }
            if (places.getAndUpdate(n -> Math.max(0, n - 1)) == 0) {
                throw new FallbackException(FallbackReason.BACKLOG_FULL, null);
            }
            return true;
        }

        @Override
        public void unreserve(InetSocketAddress local, InetSocketAddress remote) {
            if (!accepts) {
                waiting.decrementAndGet();
                return;
            }
            places.incrementAndGet();
        }

        @Override
        public boolean offered(Link link, InetSocketAddress local, InetSocketAddress remote) {
            return true;
        }

        @Override
        public boolean isSettled(Link link) {
            throw new AssertionError("the connection manager tells");
        }

        @Override
        public void confirmed(Link link) {
            accepted.add(link);
            if (closed) {
                freeAccepted();
            }
        }

        @Override
        public void withdrawn(Link link) {
            places.incrementAndGet();
            link.free();
        }
    }

    /** As {@link #config}, of links that only a word of the device or the peer breaks in the time of a test. */
    static RdmaConfig patient() {
        long forEver = TimeUnit.SECONDS.toNanos(60);
        return new RdmaConfig(
                PortSpace.TCP,
                RING,
                forEver,
                forEver,
                List.of(),
                0,
                0,
                32,
                220,
                16,
                16,
                forEver,
                7,
                7,
                0,
                forEver,
                false);
    }

    Connecting begin() throws IOException {
        return beginAt(address.getAddress());
    }

    /** As {@link #begin()}, where the listener is the wildcard's. */
    Connecting beginAt(InetAddress host) throws IOException {
        return beginTo(new InetSocketAddress(host, address.getPort()));
    }

    /** As {@link #begin()}, to another listener. */
    Connecting beginTo(InetSocketAddress listener) throws IOException {
        return fabric.connect(listener, from -> new InetSocketAddress(from, 50_000), RING);
    }

    Pair connect() throws Exception {
        return connectAt(address.getAddress());
    }

    /** As {@link #connect()}, where the listener is the wildcard's. */
    Pair connectAt(InetAddress host) throws Exception {
        Connecting connecting = beginAt(host);
        return new Pair(answer(connecting), accept()).proved();
    }

    /** As {@link #connect()}, for a client with that waiter. */
    Pair connect(Object waiter) throws Exception {
        return connect(waiter, RING);
    }

    /** As {@link #connect(Object)}, with rings of that many bytes. */
    Pair connect(Object waiter, int ringSize) throws Exception {
        Fabric.Source source = new Fabric.Source() {
            @Override
            public InetSocketAddress bind(InetAddress from) {
                return new InetSocketAddress(from, 50_000);
            }

            @Override
            public Object waiter() {
                return waiter;
            }
        };
        return new Pair(answer(fabric.connect(address, source, ringSize)), accept()).proved();
    }

    /** Goes on until there is an answer; each handshake has a limit of its own. */
    static Link answer(Connecting connecting) {
        return await().pollInSameThread()
                .pollInterval(Duration.ofMillis(1))
                .atMost(Duration.ofSeconds(30))
                .until(connecting::advance, Objects::nonNull);
    }

    Link accept() throws InterruptedException {
        Link link = accepted.poll(10, TimeUnit.SECONDS);
        if (link == null) {
            throw new AssertionError("no connection came");
        }
        return link;
    }

    /** Frees what nobody accepts any more. */
    private void freeAccepted() {
        for (Link link = accepted.poll(); link != null; link = accepted.poll()) {
            link.free();
        }
    }

    void stopListening() {
        listening.close();
    }

    @Override
    public void close() throws IOException {
        closed = true;
        stopListening();
        freeAccepted();
        if (port != null) {
            port.close();
        }
    }
}
