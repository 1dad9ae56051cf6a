// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The directory through which a process can be observed: it has mode 0700, and holds the socket that answers. Its
 * name contains the process's id for people to read; the process counts as alive if the socket answers.
 */
final class StatsDirectory {
    static final String SOCKET = "s";

    private static final Path SELF = Path.of("/proc/self");
    private static final String PREFIX = "accel-stats-";
    private static final Pattern NAME = Pattern.compile(PREFIX + "(\\d{1,18})-.*");
    private static final String UNFINISHED = "accel-stats.new-";
    /** A younger unfinished directory may be about to be finished. */
    private static final long LEAST_AGE_SECONDS = 60;

    private StatsDirectory() {}

    /**
     * Makes the directory of this process under another name, in which the socket is to be bound; {@link #show} gives
     * it its own name. So a directory that is found has its socket, and is dead if the socket refuses.
     */
    static Path create(Path dir) throws IOException {
        Path directory = dir.resolve(UNFINISHED + ProcessHandle.current().pid() + "-"
                + Integer.toHexString(ThreadLocalRandom.current().nextInt()));
        return Files.createDirectory(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    static Path show(Path unfinished) throws IOException {
        String name = unfinished.getFileName().toString().replace(UNFINISHED, PREFIX);
        return Files.move(unfinished, unfinished.resolveSibling(name));
    }

    static long pidOf(Path directory) {
        Matcher name = NAME.matcher(directory.getFileName().toString());
        return name.matches() ? Long.parseLong(name.group(1)) : -1;
    }

    static void delete(Path directory) throws IOException {
        Files.deleteIfExists(directory.resolve(SOCKET));
        Files.deleteIfExists(directory);
    }

    /** The directories that this user may look at, dead ones too: the user's own, and for root those of all users. */
    static List<Path> list(Path dir) throws IOException {
        return isRoot() ? list(dir, PREFIX, null) : own(dir, PREFIX);
    }

    /** Whether this process may look at the directories of other users. */
    static boolean isRoot() throws IOException {
        return self().equals(0);
    }

    /** This user's number: for the name, a name service would be asked. */
    private static Object self() throws IOException {
        return Files.getAttribute(SELF, "unix:uid");
    }

    private static List<Path> own(Path dir, String prefix) throws IOException {
        return list(dir, prefix, self());
    }

    private static List<Path> list(Path dir, String prefix, Object user) throws IOException {
        List<Path> all = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(dir, prefix + "*")) {
            for (Path directory : found) {
                if (isOf(user, directory)) {
                    all.add(directory);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return all;
    }

    private static boolean isOf(Object user, Path directory) throws IOException {
        try {
            return Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
                    && (user == null
                            || user.equals(Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS)));
        } catch (NoSuchFileException e) {
            return false; // its process has just ended
        }
    }

    /**
     * Connects to the socket of a live process; null if the process is dead, and then its directory is removed. The
     * directory of another user's process stays: root would remove it by a path that the other user can redirect
     * meanwhile.
     */
    static SocketChannel call(Path directory) throws IOException {
        SocketChannel channel = JdkAccess.kernelProvider().openSocketChannel(StandardProtocolFamily.UNIX);
        try {
            channel.configureBlocking(false);
            if (channel.connect(UnixDomainSocketAddress.of(directory.resolve(SOCKET)))) {
                return channel;
            }
            throw new IOException("too many look at it at the same time");
        } catch (IOException e) {
            channel.close();
            // Only a refusal, or a missing socket, proves that the process is dead.
            if (e instanceof ConnectException || Files.notExists(directory.resolve(SOCKET))) {
                if (isOf(self(), directory)) {
                    delete(directory);
                }
                return null;
            }
            throw e;
        }
    }

    /** Removes the directories that killed processes of this user left behind. */
    static void sweep(Path dir) throws IOException {
        for (Path directory : own(dir, PREFIX)) {
            SocketChannel alive = call(directory);
            if (alive != null) {
                alive.close();
            }
        }
        Instant untouchedSince = Instant.now().minusSeconds(LEAST_AGE_SECONDS);
        for (Path directory : own(dir, UNFINISHED)) {
            if (Files.exists(directory)
                    && Files.getLastModifiedTime(directory, LinkOption.NOFOLLOW_LINKS)
                            .toInstant()
                            .isBefore(untouchedSince)) {
                delete(directory);
            }
        }
    }
}
