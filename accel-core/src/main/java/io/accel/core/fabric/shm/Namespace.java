// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;

/**
 * A network namespace, as a process in it sees it.
 *
 * @param name distinguishes the namespace from others on this host, in the names of rendezvous: digits and small
 * letters
 * @param locals tells whether an address belongs to the namespace
 */
record Namespace(String name, Predicate<InetAddress> locals) {
    /** The greatest length of a name: that of an inode's number. */
    static final int LONGEST = 13;

    /** The radix that keeps numbers short. */
    static final int RADIX = 36;

    /** The namespace of this process. */
    static final Namespace OWN = new Namespace(ownName(), LocalAddresses::contains);

    /** Whether an address belongs to this namespace; a wildcard as destination does, as for the kernel. */
    boolean isLocal(InetAddress address) {
        return address.isAnyLocalAddress() || locals.test(address);
    }

    /** Whether a byte can occur in a name. */
    static boolean isNameByte(byte b) {
        return (b >= '0' && b <= '9') || (b >= 'a' && b <= 'z');
    }

    /** The inode of this process's network namespace, or "host" where the kernel does not say. */
    private static String ownName() {
        try {
            String link = Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString();
            return Long.toString(Long.parseLong(link.replaceAll("[^0-9]", "")), RADIX);
        } catch (IOException e) {
            return "host";
        }
    }
}
