// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.core.daemon.Daemons;
import io.accel.core.daemon.Log;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** Removes the rendezvous that killed listeners of this user left behind. */
final class DeadRendezvous {
    private static final Log LOG = Log.of(DeadRendezvous.class);
    /** A younger directory's listener may be about to open its socket. */
    private static final long LEAST_AGE_SECONDS = 60;

    private static final Set<Path> SWEPT = ConcurrentHashMap.newKeySet();

    private DeadRendezvous() {}

    /** Sweeps a place in the background, the first time that this process asks for it. */
    static void sweepOnce(Path place) {
        if (SWEPT.add(place)) {
            Daemons.start("accel-sweep", () -> sweep(place, Instant.now().minusSeconds(LEAST_AGE_SECONDS)));
        }
    }

    /**
     * Removes, in the background, the rendezvous of dead listeners on one port, however young: so a listener that is
     * killed and started again and again leaves one directory at most.
     *
     * @param own the directory of the listener that has just opened
     * @param prefix the beginning of the names of all directories on this port
     */
    static void sweepBeside(Path own, String prefix) {
        try {
            List<Path> others = RendezvousPath.all(own.getParent()).stream()
                    .filter(other -> other.getFileName().toString().startsWith(prefix) && !other.equals(own))
                    .toList();
            if (!others.isEmpty()) {
                Daemons.start("accel-sweep", () -> others.forEach(DeadRendezvous::removeIfDeadFor));
            }
        } catch (IOException | SecurityException | OutOfMemoryError e) {
            LOG.get().log(Level.DEBUG, "looking for dead listeners beside " + own + " failed", e);
        }
    }

    /**
     * Removes a directory whose listener is dead. A socket also refuses between its bind and its listen, but not for
     * so long.
     */
    private static void removeIfDeadFor(Path directory) {
        try {
            if (Files.exists(directory.resolve(RendezvousPath.SOCKET), LinkOption.NOFOLLOW_LINKS)
                    && isDead(directory)) {
                Daemons.pause();
                removeIfDead(directory, Instant.now());
            }
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "could not look at " + directory, e);
        }
    }

    /**
     * Removes the dead rendezvous that have not been touched since, in all network namespaces: with a namespace die
     * the processes that could remove what was left behind in it. A socket in a file system refuses in each namespace
     * alike.
     */
    static void sweep(Path place, Instant untouchedSince) {
        try {
            for (Path directory : RendezvousPath.all(place)) {
                if (RendezvousPath.isRendezvous(directory)) {
                    removeIfDead(directory, untouchedSince);
                }
            }
        } catch (IOException | RuntimeException e) {
            LOG.get().log(Level.DEBUG, "looking for dead listeners in " + place + " failed", e);
        }
    }

    private static void removeIfDead(Path directory, Instant untouchedSince) {
        try {
            BasicFileAttributes judged =
                    Files.readAttributes(directory, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!judged.isDirectory()
                    || !Ownership.of(directory).isOwn()
                    || judged.lastModifiedTime().toInstant().isAfter(untouchedSince)
                    || !isDead(directory)) {
                return;
            }
            // The directory is moved aside first: a successor may take the name at any time, and must not lose its
            // socket.
            Path aside = directory.resolveSibling(directory.getFileName()
                    + RendezvousPath.DEAD
                    + Long.toHexString(ThreadLocalRandom.current().nextLong()));
            Files.move(directory, aside);
            Object moved = Files.readAttributes(aside, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .fileKey();
            if (moved.equals(judged.fileKey())) {
                RendezvousPlaces.remove(aside);
            } else {
                Files.move(aside, directory);
            }
        } catch (NoSuchFileException e) {
            LOG.get().log(Level.DEBUG, "another process was faster to remove {0}", directory);
        } catch (IOException e) {
            LOG.get().log(Level.DEBUG, "could not remove the dead " + directory, e);
        }
    }

    /** Only a refusal proves death: a probe may also fail because this process is out of descriptors. */
    private static boolean isDead(Path directory) throws IOException {
        Path socket = directory.resolve(RendezvousPath.SOCKET);
        if (Files.notExists(socket, LinkOption.NOFOLLOW_LINKS)) {
            return true;
        }
        try (SocketChannel probe = JdkAccess.kernelProvider().openSocketChannel(StandardProtocolFamily.UNIX)) {
            probe.configureBlocking(false);
            boolean unused = probe.connect(UnixDomainSocketAddress.of(socket));
            return false;
        } catch (ConnectException e) {
            return true;
        }
    }
}
