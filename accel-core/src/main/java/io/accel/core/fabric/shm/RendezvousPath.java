package io.accel.core.fabric.shm;

import io.accel.core.fabric.PortSpace;
import java.io.IOException;
import java.math.BigInteger;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Where a listener's rendezvous lies: a directory whose name is made of the network namespace, the address and the port,
 * so that what finds each other is exactly what the kernel's loopback would connect; and of a number, since several listeners
 * may share a port.
 */
final class RendezvousPath {
    /** The socket's name within the directory; short, for a socket's path has 107 bytes at most. */
    static final String SOCKET = "s";

    static final String PREFIX = "accel-";

    /** Numbers are written short. */
    private static final int RADIX = 36;

    private static final String ANY = "any";
    private static final String ANY_IPV4 = "any4";

    /** The inode of this process's network namespace, or "host" where the kernel does not say. */
    private static final String NAMESPACE = namespace();

    private RendezvousPath() {}

    /** What the names of all directories in this network namespace begin with. */
    static String own() {
        return PREFIX + NAMESPACE + "-";
    }

    /** A new directory of a listener that is bound to this address. */
    static Path of(Path dir, PortSpace space, InetAddress address, int port) {
        int number = ThreadLocalRandom.current().nextInt();
        return dir.resolve(prefix(space, text(address), port) + Integer.toUnsignedString(number, RADIX));
    }

    /** What the names of all directories of listeners that are bound to this address begin with. */
    static String prefix(PortSpace space, InetAddress address, int port) {
        return prefix(space, text(address), port);
    }

    /** The directories of listeners to which the kernel may bring a connection to this address, nearest first. */
    static List<Path> candidates(Path dir, PortSpace space, InetSocketAddress destination) throws IOException {
        InetAddress address = destination.getAddress();
        int port = destination.getPort();
        List<String> prefixes = address instanceof Inet4Address
                ? List.of(prefix(space, address, port), prefix(space, ANY_IPV4, port), prefix(space, ANY, port))
                : List.of(prefix(space, address, port), prefix(space, ANY, port));
        List<Path> found = all(dir);
        List<Path> candidates = new ArrayList<>();
        for (String prefix : prefixes) {
            for (Path directory : found) {
                if (directory.getFileName().toString().startsWith(prefix)) {
                    candidates.add(directory);
                }
            }
        }
        return candidates;
    }

    /** Every directory of a listener in this network namespace. */
    static List<Path> all(Path dir) throws IOException {
        List<Path> all = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(dir, own() + "*")) {
            found.forEach(all::add);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return all;
    }

    private static String prefix(PortSpace space, String address, int port) {
        return own() + (space == PortSpace.UDP ? "udp-" : "") + address + "-" + port + "~";
    }

    private static String text(InetAddress address) {
        if (address.isAnyLocalAddress()) {
            return address instanceof Inet6Address ? ANY : ANY_IPV4;
        }
        if (address instanceof Inet4Address) {
            return address.getHostAddress();
        }
        String number = new BigInteger(1, address.getAddress()).toString(RADIX);
        int scope = ((Inet6Address) address).getScopeId();
        return scope == 0 ? number : number + "%" + scope;
    }

    private static String namespace() {
        try {
            String link = Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString();
            return Long.toString(Long.parseLong(link.replaceAll("[^0-9]", "")), RADIX);
        } catch (IOException e) {
            return "host";
        }
    }
}
