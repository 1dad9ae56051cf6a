package io.accel.core.fabric.shm;

import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.FallbackReason;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Streams between processes of one host, one network namespace and one user, or an allowed group. */
public final class ShmFabric implements Fabric {
    private static final InetAddress LOOPBACK4 = loopback4();

    private final ShmConfig config;

    /**
     * The fabric with a profile's settings.
     *
     * @param config the settings
     */
    public ShmFabric(ShmConfig config) {
        this.config = config;
    }

    @Override
    public String name() {
        return "shm";
    }

    @Override
    public Connecting connect(InetSocketAddress destination, Source source) throws IOException {
        Path directory = find(destination);
        RendezvousDirectory.check(directory, config.group());
        InetSocketAddress local = source.bind(sourceFor(destination.getAddress()));
        return new ShmConnecting(config, directory, local, destination);
    }

    @Override
    public Listening listen(InetSocketAddress bound, Acceptor acceptor) throws FallbackException {
        return RendezvousService.get().open(config, bound, acceptor);
    }

    private Path find(InetSocketAddress destination) throws FallbackException {
        // A wildcard as destination is this host, as the kernel has it.
        for (Path candidate : RendezvousPath.candidates(config.dir(), destination)) {
            if (Files.exists(candidate, LinkOption.NOFOLLOW_LINKS)) {
                // A listener on all addresses of this host is not the one on the same port of another host.
                InetAddress address = destination.getAddress();
                if (!address.isAnyLocalAddress() && !LocalAddresses.contains(address)) {
                    throw new FallbackException(FallbackReason.NOT_LOCAL, null);
                }
                return candidate;
            }
        }
        throw new FallbackException(FallbackReason.PEER_NOT_ACCELERATED, null);
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

    private static final class Loopback6 {
        static final InetAddress ADDRESS = address(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);

        private Loopback6() {}
    }
}
