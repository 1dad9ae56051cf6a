package io.accel.core.fabric.shm;

import io.accel.core.fabric.PortSpace;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Where a listener's rendezvous lies: a directory whose name is made of the network namespace, the address and the port,
 * so that what finds each other is exactly what the kernel's loopback would connect.
 */
final class RendezvousPath {
    /** The socket's name within the directory; short, for a socket's path has 107 bytes at most. */
    static final String SOCKET = "s";

    static final String PREFIX = "accel-";

    private static final String ANY = "any";
    private static final String ANY_IPV4 = "any4";

    /** The inode of this process's network namespace, or "host" where the kernel does not say. */
    private static final String NAMESPACE = namespace();

    private RendezvousPath() {}

    /** What the names of all directories in this network namespace begin with. */
    static String own() {
        return PREFIX + NAMESPACE + "-";
    }

    /** The directory of a listener that is bound to this address. */
    static Path of(Path dir, PortSpace space, InetAddress address, int port) {
        return of(dir, space, text(address), port);
    }

    /** The directories of listeners to which the kernel would bring a connection to this address, nearest first. */
    static List<Path> candidates(Path dir, PortSpace space, InetSocketAddress destination) {
        InetAddress address = destination.getAddress();
        int port = destination.getPort();
        Path exact = of(dir, space, address, port);
        Path any = of(dir, space, ANY, port);
        if (address instanceof Inet4Address) {
            return List.of(exact, of(dir, space, ANY_IPV4, port), any);
        }
        return List.of(exact, any);
    }

    private static Path of(Path dir, PortSpace space, String address, int port) {
        return dir.resolve(own() + (space == PortSpace.UDP ? "udp-" : "") + address + "-" + port);
    }

    private static String text(InetAddress address) {
        if (address.isAnyLocalAddress()) {
            return address instanceof Inet6Address ? ANY : ANY_IPV4;
        }
        if (address instanceof Inet4Address) {
            return address.getHostAddress();
        }
        StringBuilder hex = new StringBuilder();
        for (byte b : address.getAddress()) {
            hex.append(Character.forDigit((b >> 4) & 15, 16)).append(Character.forDigit(b & 15, 16));
        }
        int scope = ((Inet6Address) address).getScopeId();
        return scope == 0 ? hex.toString() : hex + "%" + scope;
    }

    private static String namespace() {
        try {
            String link = Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString();
            return link.replaceAll("[^0-9]", "");
        } catch (IOException e) {
            return "host";
        }
    }
}
