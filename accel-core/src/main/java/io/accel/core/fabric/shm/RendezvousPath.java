// SPDX-License-Identifier: Apache-2.0
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The place of a listener's rendezvous: a directory whose name consists of the network namespace, the address and the
 * port, so that exactly those ends find each other that the kernel's loopback would connect. A number follows, since
 * several listeners may share a port.
 */
final class RendezvousPath {
    /** The socket's name within the directory; it is short, for a socket's path has 107 bytes at most. */
    static final String SOCKET = "s";

    static final String PREFIX = "accel-";

    private static final String ANY = "any";
    private static final String ANY_IPV4 = "any4";
    private static final String UDP = "udp-";
    private static final String UNIX = "unix-";
    private static final String GROUP = "group-";
    private static final String MEMBERS = "members-";

    /** The suffix that {@link DeadRendezvous} gives to the name of a rendezvous that it removes. */
    static final String DEAD = "-dead-";

    /** The parts of a name: namespace, port space, address, port, number. */
    private static final Pattern NAME =
            Pattern.compile("accel-([0-9a-z]+)-(udp-|unix-|group-|members-)?([^-~]+)-([0-9]+)~[0-9a-z]+");

    /** The suffix counts only behind a whole name: an address may look like it. */
    private static final Pattern NAME_OR_DEAD = Pattern.compile(NAME.pattern() + "(" + DEAD + ".*)?");

    private RendezvousPath() {}

    /** The beginning of the names of all directories in a network namespace. */
    private static String of(Namespace namespace) {
        return PREFIX + namespace.name() + "-";
    }

    /** A new name for the directory of a listener that is bound to this address. */
    static String name(Namespace namespace, PortSpace space, InetSocketAddress bound) {
        int number = ThreadLocalRandom.current().nextInt();
        String prefix = prefix(namespace, space, bound.getAddress(), bound.getPort());
        return prefix + Integer.toUnsignedString(number, Namespace.RADIX);
    }

    /** The beginning of the names of all directories of listeners that are bound to this address. */
    static String prefix(Namespace namespace, PortSpace space, InetAddress address, int port) {
        return prefix(namespace, space, text(address), port);
    }

    /**
     * Lists the directories of listeners to which the kernel may bring a connection to this address, nearest first.
     *
     * @param all the directories that {@link RendezvousPlaces} found
     */
    static List<Path> candidates(List<Path> all, Namespace namespace, PortSpace space, InetSocketAddress destination) {
        List<Path> candidates = new ArrayList<>();
        for (String text : texts(destination.getAddress())) {
            String prefix = prefix(namespace, space, text, destination.getPort());
            for (Path directory : all) {
                if (directory.getFileName().toString().startsWith(prefix)) {
                    candidates.add(directory);
                }
            }
        }
        return candidates;
    }

    /**
     * The directories of listeners of streams in other namespaces.
     *
     * @param named the directories of listeners on the very address and port
     * @param wildcard the directories of listeners on all addresses, and the port
     * @param others the directories of all other listeners
     */
    record Elsewhere(List<Path> named, List<Path> wildcard, List<Path> others) {
        boolean isEmpty() {
            return named.isEmpty() && wildcard.isEmpty() && others.isEmpty();
        }
    }

    /** Lists the listeners of other namespaces. */
    static Elsewhere elsewhere(List<Path> all, Namespace namespace, InetSocketAddress destination) {
        Elsewhere found = new Elsewhere(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        List<String> texts = texts(destination.getAddress());
        String own = of(namespace);
        for (Path directory : all) {
            String name = directory.getFileName().toString();
            if (name.startsWith(own)) {
                continue;
            }
            Matcher parts = NAME.matcher(name);
            if (!parts.matches() || parts.group(2) != null) {
                continue;
            }
            int place = texts.indexOf(parts.group(3));
            if (place < 0 || !parts.group(4).equals(Integer.toString(destination.getPort()))) {
                found.others.add(directory);
            } else if (place == 0) {
                found.named.add(directory);
            } else {
                found.wildcard.add(directory);
            }
        }
        return found;
    }

    /** Lists every directory in a place that may be a listener's, in whatever namespace. */
    static List<Path> all(Path place) throws IOException {
        List<Path> all = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(place, PREFIX + "*")) {
            found.forEach(all::add);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return all;
    }

    /** Whether this is the name of a rendezvous, or of a rendezvous that is just being removed. */
    static boolean isRendezvous(Path directory) {
        return NAME_OR_DEAD.matcher(directory.getFileName().toString()).matches();
    }

    /** The name of a listener's network namespace; null if this is no rendezvous. */
    static String namespaceOf(Path directory) {
        Matcher name = NAME.matcher(directory.getFileName().toString());
        return name.matches() ? name.group(1) : null;
    }

    private static String prefix(Namespace namespace, PortSpace space, String address, int port) {
        return of(namespace) + kind(space) + address + "-" + port + "~";
    }

    private static String kind(PortSpace space) {
        return switch (space) {
            case TCP -> "";
            case UDP -> UDP;
            case UNIX -> UNIX;
            case GROUP -> GROUP;
            case MEMBERS -> MEMBERS;
        };
    }

    /** The written forms of the addresses of listeners to which a connection may come, nearest first. */
    private static List<String> texts(InetAddress destination) {
        return destination instanceof Inet4Address
                ? List.of(text(destination), ANY_IPV4, ANY)
                : List.of(text(destination), ANY);
    }

    private static String text(InetAddress address) {
        if (address.isAnyLocalAddress()) {
            return address instanceof Inet6Address ? ANY : ANY_IPV4;
        }
        if (address instanceof Inet4Address) {
            return address.getHostAddress();
        }
        String number = new BigInteger(1, address.getAddress()).toString(Namespace.RADIX);
        int scope = ((Inet6Address) address).getScopeId();
        return scope == 0 ? number : number + "%" + scope;
    }
}
