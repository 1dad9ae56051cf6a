// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.PortSpace;
import io.accel.testing.DirectoryContent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** A shared directory of its own with a listener on it, and clients of that listener. Everything goes on close. */
final class ShmEnds implements AutoCloseable {
    static final int RING = 16 * 1024;
    static final int PORT = 47_000;

    /** A connection that a listener was handed. */
    record Accepted(Link link, InetSocketAddress local, InetSocketAddress remote) {}

    /** Keeps the connections that it is handed, up to a limit. */
    static final class Acceptor implements Fabric.Acceptor {
        private final AtomicReference<Error> failure = new AtomicReference<>();
        private volatile String failing; // written before the failure
        /** Whether {@link #isSettled} throws, as often as it is called. */
        volatile boolean isBroken;

        final BlockingQueue<Accepted> accepted = new LinkedBlockingQueue<>();
        final AtomicInteger places;
        private final Map<Link, Accepted> offered = new ConcurrentHashMap<>();
        /** The clients that wait for an answer, while none is given; null otherwise. */
        volatile BlockingQueue<Runnable> undecided;
        /** The waiting clients, which have no place. */
        private final Set<InetSocketAddress> waiting = ConcurrentHashMap.newKeySet();

        /** The connections that clients in other namespaces may ask for, by the client's address. */
        final Map<InetSocketAddress, Known> known = new ConcurrentHashMap<>();
        /** How often one asked. */
        final AtomicInteger asked = new AtomicInteger();
        /** How often it was asked in vain whether a link is settled. */
        final AtomicInteger broken = new AtomicInteger();

        Acceptor(int limit) {
            this.places = new AtomicInteger(limit);
        }

        @Override
        public Known known(InetSocketAddress local, InetSocketAddress remote) {
            asked.incrementAndGet();
            return known.get(remote);
        }

        @Override
        public boolean reserve(InetSocketAddress local, InetSocketAddress remote, Runnable again)
                throws FallbackException {
            failOnce("reserve");
            if (undecided != null) {
                waiting.add(remote);
                undecided.add(again);
                return false;
            }
            waiting.remove(remote);
            if (places.getAndUpdate(n -> Math.max(0, n - 1)) == 0) {
                throw new FallbackException(FallbackReason.BACKLOG_FULL, null);
            }
            return true;
        }

        @Override
        public void unreserve(InetSocketAddress local, InetSocketAddress remote) {
            if (!waiting.remove(remote)) {
                unreserve();
            }
        }

        void unreserve() {
            places.incrementAndGet();
        }

        @Override
        public boolean offered(Link link, InetSocketAddress local, InetSocketAddress remote) {
            offered.put(link, new Accepted(link, local, remote));
            failOnce("offered");
            return true;
        }

        @Override
        public boolean isSettled(Link link) {
            if (isBroken) {
                broken.incrementAndGet();
                throw new IllegalStateException("it cannot be heard for now");
            }
            boolean unused = link.drainDoorbell();
            if ((link.peerState() & Link.ATTACHED) != 0) {
                failOnce("confirmed");
                confirmed(link);
            } else if (link.peerGone()) {
                withdrawn(link);
            }
            return !offered.containsKey(link);
        }

        @Override
        public void confirmed(Link link) {
            accepted.add(offered.remove(link));
        }

        @Override
        public void withdrawn(Link link) {
            offered.remove(link);
            link.free();
            unreserve();
        }

        /** The next call of a method throws. */
        void failNextWith(String method, Error error) {
            failing = method;
            failure.set(error);
        }

        boolean isToFail() {
            return failure.get() != null;
        }

        private void failOnce(String method) {
            Error error = method.equals(failing) ? failure.getAndSet(null) : null;
            if (error != null) {
                throw error;
            }
        }

        /** The next connection, which the caller frees. */
        Accepted next() throws InterruptedException {
            Accepted next = accepted.poll(10, TimeUnit.SECONDS);
            if (next == null) {
                throw new AssertionError("no connection came");
            }
            return next;
        }
    }

    final Path dir;

    ShmEnds() throws IOException {
        // A directory on the file system made for it, with a name short enough for a socket's path.
        Path parent = Files.isDirectory(Path.of("/dev/shm")) ? Path.of("/dev/shm") : Path.of("/tmp");
        this.dir = Files.createTempDirectory(
                parent,
                "accel-test-",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    /**
     * A client has all the time that a listener needs for an answer, and a listener has a little more than a client needs for its
     * next message.
     */
    ShmConfig config() {
        return config(Duration.ofSeconds(20), Duration.ofSeconds(1));
    }

    ShmConfig config(Duration probe, Duration handshake) {
        return new ShmConfig(dir, "", probe.toNanos(), handshake.toNanos());
    }

    ShmFabric fabric() {
        return new ShmFabric(config());
    }

    static InetSocketAddress address(String host) {
        return address(host, PORT);
    }

    static InetSocketAddress address(String host, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (IOException e) {
            throw new IllegalArgumentException(host, e);
        }
    }

    /** A client's own end, bound to the address that the fabric gives. */
    static Fabric.Source source() {
        return address -> new InetSocketAddress(address, 50_000);
    }

    Connecting begin(String host) throws IOException {
        return fabric().connect(address(host), source(), RING);
    }

    /** Connects, as far as the client is concerned. */
    Link connect(String host) throws IOException {
        return finish(begin(host));
    }

    /** Goes on until there is an answer; each handshake has a limit of its own. */
    static Link finish(Connecting connecting) {
        Link link = await().pollInSameThread()
                .pollInterval(Duration.ofMillis(1))
                .atMost(Duration.ofSeconds(30))
                .until(connecting::advance, Objects::nonNull);
        link.signal(Link.ATTACHED);
        return link;
    }

    /** The directory of the one listener there. */
    Path rendezvous(String host) throws IOException {
        return RendezvousPath.candidates(RendezvousPlaces.everybodys(dir), Namespace.OWN, PortSpace.TCP, address(host))
                .get(0);
    }

    /** A directory for a rendezvous that the fabric did not make. */
    Path newRendezvous(String host) throws IOException {
        return newRendezvous(Namespace.OWN, PortSpace.TCP, address(host));
    }

    Path newRendezvous(Namespace namespace, PortSpace space, InetSocketAddress bound) throws IOException {
        return place().resolve(RendezvousPath.name(namespace, space, bound));
    }

    /** The place of this user's listeners, which is there from now on. */
    Path place() throws IOException {
        Path place = dir.resolve("accel-" + Ownership.self());
        if (!Files.exists(place)) {
            Files.createDirectory(place);
        }
        return place;
    }

    /** The files in the directory and below. */
    List<Path> content() throws IOException {
        return DirectoryContent.ofListeners(dir);
    }

    @Override
    public void close() throws IOException {
        DirectoryContent.remove(dir);
    }
}
