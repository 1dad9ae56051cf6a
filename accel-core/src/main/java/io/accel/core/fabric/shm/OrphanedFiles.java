package io.accel.core.fabric.shm;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;

/**
 * Removes from a living listener's directory the files of clients that were killed after they had made one and before
 * they had told the listener its name. Which these are can only be told by their age: who lives has said its name or given up
 * long before. Nothing wakes up for it; it is done when a later client comes. Used by the rendezvous thread alone.
 */
final class OrphanedFiles {
    /** Longer than any handshake. */
    static final Duration LEAST_AGE = Duration.ofMinutes(1);

    private static final Logger LOG = System.getLogger(OrphanedFiles.class.getName());

    private final Path directory;
    private final Duration leastAge;
    private boolean suspected;
    /** On {@link System#nanoTime()}'s scale. */
    private long since;

    OrphanedFiles(Path directory, Duration leastAge) {
        this.directory = directory;
        this.leastAge = leastAge;
    }

    /** A client has gone without a word. */
    void suspect() {
        if (!suspected) {
            suspected = true;
            since = System.nanoTime();
        }
    }

    /** Another client has come. */
    void clientCame() {
        if (suspected && System.nanoTime() - since > leastAge.toNanos()) {
            suspected = sweep(Instant.now().minus(leastAge));
            since = System.nanoTime();
        }
    }

    /** Removes those not touched since; returns whether there are others, which may become old. */
    private boolean sweep(Instant untouchedSince) {
        boolean others = false;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, Hello.FILE_PREFIX + "*")) {
            for (Path file : files) {
                others |= !removeIfOld(file, FileTime.from(untouchedSince));
            }
        } catch (IOException | RuntimeException e) {
            LOG.log(Level.DEBUG, "looking for what killed clients left in " + directory + " failed", e);
        }
        return others;
    }

    private static boolean removeIfOld(Path file, FileTime untouchedSince) throws IOException {
        try {
            if (Files.getLastModifiedTime(file).compareTo(untouchedSince) > 0) {
                return false;
            }
            Files.delete(file);
        } catch (NoSuchFileException e) {
            LOG.log(Level.TRACE, "{0} has just gone", file);
        }
        return true;
    }
}
