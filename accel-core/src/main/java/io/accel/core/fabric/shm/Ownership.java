// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import jdk.net.ExtendedSocketOptions;

/**
 * Whom a file or directory belongs to, and who may do what with it, as numbers. For names a name service would be asked, which may not
 * answer for minutes. A symbolic link counts as itself.
 *
 * @param user the owner's number
 * @param group the group's number
 * @param mode type and permissions, as in {@code stat}
 */
record Ownership(long user, long group, int mode) {
    private static final Path SELF = Path.of("/proc/self");
    private static final int TYPE = 0170000;
    private static final int DIRECTORY = 0040000;
    private static final int STICKY = 01000;
    private static final int OTHERS_WRITE = 0002;
    private static final int GROUP_WRITES = 0020;

    static Ownership of(Path path) throws IOException {
        return of(path, LinkOption.NOFOLLOW_LINKS);
    }

    private static Ownership of(Path path, LinkOption... options) throws IOException {
        Map<String, Object> attributes = Files.readAttributes(path, "unix:uid,gid,mode", options);
        return new Ownership(
                number(attributes.get("uid")), number(attributes.get("gid")), (Integer) attributes.get("mode"));
    }

    private static long number(Object attribute) {
        return Integer.toUnsignedLong((Integer) attribute);
    }

    /** The number of this process's user. */
    static long self() {
        return Self.USER;
    }

    boolean isOwn() {
        return user == self();
    }

    boolean isDirectory() {
        return (mode & TYPE) == DIRECTORY;
    }

    boolean isForOthersToWrite() {
        return (mode & OTHERS_WRITE) != 0;
    }

    boolean isForOwnerAloneToWrite() {
        return (mode & (OTHERS_WRITE | GROUP_WRITES)) == 0;
    }

    /** Whether the group's members may put files there, and not remove each other's. */
    boolean isShared() {
        return (mode & GROUP_WRITES) != 0 && (mode & STICKY) != 0 && !isForOthersToWrite();
    }

    /**
     * Checks that the process that answers at a directory is of the directory's owner.
     *
     * @throws FallbackException if it is another user's
     */
    static void checkPeer(SocketChannel socket, long owner, Path directory) throws IOException {
        if (!isPeer(socket, owner, directory)) {
            throw new FallbackException(
                    FallbackReason.OTHER_USER,
                    directory + " belongs to user " + owner + ", and a process of " + peer(socket) + " answers there");
        }
    }

    /**
     * Whether the process at the other end of a socket is of a user.
     *
     * @param user the user
     * @param owned a file of that user's, for a JVM that knows the peer only by name
     */
    private static boolean isPeer(SocketChannel socket, long user, Path owned) throws IOException {
        long peer = JdkAccess.peerUser(socket);
        return peer == JdkAccess.UNKNOWN_USER
                ? socket.getOption(ExtendedSocketOptions.SO_PEERCRED).user().equals(Files.getOwner(owned))
                : peer == user;
    }

    /** Whether the process at the other end of a socket is of this process's user. */
    static boolean isPeerOwn(SocketChannel socket) throws IOException {
        return isPeer(socket, self(), SELF);
    }

    /** Says for a message which user is at the other end of a socket. */
    static String peer(SocketChannel socket) throws IOException {
        long peer = JdkAccess.peerUser(socket);
        return peer == JdkAccess.UNKNOWN_USER ? "another user" : "user " + peer;
    }

    /** This process's user owns the process's directory in /proc, to which this is a link. */
    private static final class Self {
        static final long USER = user();

        private Self() {}

        private static long user() {
            try {
                return of(SELF, new LinkOption[0]).user();
            } catch (IOException e) {
                throw new UncheckedIOException("cannot find out which user this process runs as", e);
            }
        }
    }
}
