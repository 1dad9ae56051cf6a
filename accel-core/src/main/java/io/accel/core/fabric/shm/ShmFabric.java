// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.FallbackReason;
import io.accel.core.daemon.Log;
import io.accel.core.fabric.Beginnings;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.PortSpace;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/**
 * Connections between processes of one host and one user, or of an allowed group. Both are in one network namespace;
 * for streams they may be in several that share the directory.
 */
public final class ShmFabric implements Fabric {
    private static final InetAddress LOOPBACK4 = loopback4();

    private final ShmConfig config;
    /** The namespace is asked for when it is needed, at a place where Accel has the rights for that. */
    private final Supplier<Namespace> own;

    private final AskedInVain askedInVain = new AskedInVain();

    /**
     * Makes the fabric with a profile's settings.
     *
     * @param config the settings
     */
    public ShmFabric(ShmConfig config) {
        this(config, () -> Namespace.OWN);
    }

    /** Makes the fabric in a network namespace that may not be this process's, for tests. */
    ShmFabric(ShmConfig config, Supplier<Namespace> namespace) {
        this.config = config;
        this.own = namespace;
    }

    @Override
    public String name() {
        return "shm";
    }

    @Override
    public Connecting connect(InetSocketAddress destination, Source source, int ringSize) throws IOException {
        checkModules();
        List<Path> all = all();
        Namespace namespace = own.get();
        List<Path> candidates = RendezvousPath.candidates(all, namespace, config.space(), destination);
        List<Path> others = List.of();
        if (candidates.isEmpty()) {
            others = RendezvousPlaces.others(config.dir());
            candidates = RendezvousPath.candidates(others, namespace, config.space(), destination);
        }
        if (config.space() == PortSpace.UNIX) {
            return connectUnix(destination, source, ringSize, namespace, candidates);
        }
        // A listener on all addresses of this host is no match for the same port on another host.
        if (!candidates.isEmpty() && namespace.isLocal(destination.getAddress())) {
            InetSocketAddress local = source.bind(sourceFor(destination.getAddress()));
            return new ShmSearch(new Wanted(config, namespace, ringSize, local, destination, null), candidates);
        }
        Beginnings beginnings = source.beginnings();
        if (beginnings != null && config.space() == PortSpace.TCP) {
            RendezvousPath.Elsewhere elsewhere = RendezvousPath.elsewhere(all, namespace, destination);
            if (elsewhere.isEmpty()) {
                elsewhere = RendezvousPath.elsewhere(others, namespace, destination);
            }
            InetSocketAddress local = source.bind(destination.getAddress());
            if (!elsewhere.isEmpty() && !local.getAddress().isLoopbackAddress()) {
                return new ForeignSearch(
                        new Wanted(config, namespace, ringSize, local, destination, beginnings),
                        elsewhere,
                        askedInVain);
            }
        }
        checkGroup();
        throw candidates.isEmpty()
                ? new FallbackException(FallbackReason.PEER_NOT_ACCELERATED, noRendezvous(config, destination))
                : new FallbackException(FallbackReason.NOT_LOCAL, null);
    }

    private List<Path> all() throws FallbackException {
        try {
            return RendezvousPlaces.all(config);
        } catch (IOException e) {
            throw new FallbackException(FallbackReason.SHM_DIR, "reading " + config.dir() + " failed: " + e);
        }
    }

    /** Checks that the listeners of the group were found if there are any. */
    private void checkGroup() throws FallbackException {
        if (!config.group().isEmpty()) {
            long unused = GroupNumber.of(config.group(), 0);
        }
    }

    private Connecting connectUnix(
            InetSocketAddress destination, Source source, int ringSize, Namespace namespace, List<Path> candidates)
            throws IOException {
        if (candidates.isEmpty()) {
            checkGroup();
            throw new FallbackException(
                    FallbackReason.PEER_NOT_ACCELERATED,
                    "no rendezvous in " + config.dir()
                            + " for the socket's file: the peer runs without Accel, with another shm.dir, or in"
                            + " another network namespace");
        }
        if (source.traits().listeningProcess() == 0) {
            throw new FallbackException(
                    FallbackReason.PEER_NOT_ACCELERATED,
                    "the listening process cannot be identified here, as between namespaces of process ids");
        }
        InetSocketAddress local = source.bind(destination.getAddress());
        return new ShmSearch(
                new Wanted(config, namespace, ringSize, local, destination, source.beginnings(), source.traits()),
                candidates);
    }

    /** Explains why a connection has no link if there is no listener to ask for it, or none knows it. */
    static String noRendezvous(ShmConfig config, InetSocketAddress destination) {
        return "no rendezvous in " + config.dir() + " for "
                + destination.getAddress().getHostAddress() + ":" + destination.getPort()
                + ": the peer runs without Accel, or with another shm.dir";
    }

    @Override
    public boolean comparesBeginnings() {
        return config.space() != PortSpace.UDP;
    }

    @Override
    public Listening listen(InetSocketAddress bound, Acceptor acceptor) throws FallbackException {
        checkModules();
        return RendezvousService.get().open(config, own.get(), bound, acceptor);
    }

    /** Checks once for a process: a run-time image gets no module later. */
    static void checkModules() throws FallbackException {
        String missing = Modules.MISSING;
        if (missing != null) {
            throw new FallbackException(FallbackReason.NO_MODULE, missing);
        }
    }

    /** The source address that the kernel would choose for a destination on this host. */
    private static InetAddress sourceFor(InetAddress destination) {
        if (destination.isAnyLocalAddress() || destination.isLoopbackAddress()) {
            return destination instanceof Inet4Address ? LOOPBACK4 : Loopback6.ADDRESS;
        }
        return destination;
    }

    private static InetAddress loopback4() {
        return address(127, 0, 0, 1);
    }

    private static InetAddress address(int... bytes) {
        byte[] raw = new byte[bytes.length];
        for (int i = 0; i < raw.length; i++) {
            raw[i] = (byte) bytes[i];
        }
        try {
            return InetAddress.getByAddress(raw);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class Modules {
        /** The missing module and the remedy, or null. */
        static final String MISSING = missing();

        private Modules() {}

        private static String missing() {
            if (ModuleLayer.boot().findModule("jdk.net").isPresent()) {
                return null;
            }
            String missing =
                    "this Java run-time image lacks the module jdk.net, by which shared memory tells users apart;"
                            + " make it with jlink --add-modules jdk.net, or choose -Daccel.profile=off";
            Log.of("io.accel").get().log(Level.WARNING, "accel: connections go through the kernel: {0}", missing);
            return missing;
        }
    }

    private static final class Loopback6 {
        static final InetAddress ADDRESS = address(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);

        private Loopback6() {}
    }
}
