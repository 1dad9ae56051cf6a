package io.accel.core.observe;

import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a process can be looked at: a directory of mode 0700, in which is the socket to ask at and, while somebody looks, the
 * {@link StatsFile}. Its name holds the process's id for people; what counts is whether somebody answers at the socket.
 */
final class StatsDirectory {
    static final String SOCKET = "s";
    static final String FILE = "figures";

    private static final String PREFIX = "accel-stats-";
    private static final Pattern NAME = Pattern.compile(PREFIX + "(\\d{1,18})-.*");
    private static final String UNFINISHED = "accel-stats.new-";
    /** Younger unfinished ones may be about to be finished. */
    private static final long LEAST_AGE_SECONDS = 60;

    private StatsDirectory() {}

    /**
     * Opens the directory of this process under another name, in which the socket is to be bound; {@link #show} gives it its
     * own. So one that is found has its socket, and if that refuses, is dead.
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
        Files.deleteIfExists(directory.resolve(FILE));
        Files.deleteIfExists(directory);
    }

    /** Those of this user, dead ones too. */
    static List<Path> list(Path dir) throws IOException {
        return list(dir, PREFIX);
    }

    private static List<Path> list(Path dir, String prefix) throws IOException {
        UserPrincipal self = Files.getOwner(Path.of("/proc/self"));
        List<Path> own = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(dir, prefix + "*")) {
            for (Path directory : found) {
                if (isOf(self, directory)) {
                    own.add(directory);
                }
            }
        }
        return own;
    }

    private static boolean isOf(UserPrincipal user, Path directory) throws IOException {
        try {
            PosixFileAttributes attributes =
                    Files.readAttributes(directory, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return attributes.isDirectory() && attributes.owner().equals(user);
        } catch (NoSuchFileException e) {
            return false; // its process has just ended
        }
    }

    /** The socket of a process that lives; null if it is dead, which removes what it left behind. */
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
            // Only a refusal, or no socket at all, proves it.
            if (e instanceof ConnectException || Files.notExists(directory.resolve(SOCKET))) {
                delete(directory);
                return null;
            }
            throw e;
        }
    }

    /** Removes what processes of this user left behind that were killed. */
    static void sweep(Path dir) throws IOException {
        for (Path directory : list(dir)) {
            SocketChannel alive = call(directory);
            if (alive != null) {
                alive.close();
            }
        }
        Instant untouchedSince = Instant.now().minusSeconds(LEAST_AGE_SECONDS);
        for (Path directory : list(dir, UNFINISHED)) {
            if (Files.exists(directory)
                    && Files.getLastModifiedTime(directory, LinkOption.NOFOLLOW_LINKS)
                            .toInstant()
                            .isBefore(untouchedSince)) {
                delete(directory);
            }
        }
    }
}
