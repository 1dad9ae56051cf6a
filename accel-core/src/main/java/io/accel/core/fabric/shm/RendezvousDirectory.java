// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Makes, checks and removes the directory of a listener's rendezvous. */
final class RendezvousDirectory {
    private static final String PRIVATE = "rwx------";
    /** The mode of a group's directory; the sticky bit keeps members from each other's files. */
    private static final int SHARED = 01770;
    /** The mode of a file in a group's directory. */
    static final int SHARED_FILE = 0660;

    private static final int DELETIONS = 100;

    private RendezvousDirectory() {}

    /** Makes the directory. */
    static void create(Path directory, String group) throws FallbackException {
        try {
            make(directory, group);
        } catch (IOException e) {
            throw failed(directory, e);
        }
    }

    /** As {@link #create}, for a caller that knows what to do if there is no place for it. */
    static void make(Path directory, String group) throws IOException {
        if (!group.isEmpty()) {
            long unused = GroupNumber.of(group, GroupNumber.PATIENCE_MILLIS);
        }
        Files.createDirectory(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(PRIVATE)));
        try {
            share(directory, group, SHARED);
        } catch (IOException e) {
            deleteOnce(directory); // nobody may take it for the directory of a dead listener
            throw e;
        }
    }

    static FallbackException failed(Path directory, IOException e) {
        if (e instanceof FallbackException known) {
            return known;
        }
        FallbackReason reason = FileFailure.isFull(e) ? FallbackReason.SHM_FULL : FallbackReason.SHM_DIR;
        return new FallbackException(reason, "making " + directory + " failed: " + e);
    }

    /**
     * Checks that only the directory's listener, and users that it trusts, can have filled the directory.
     *
     * @return the listener's user
     */
    static long check(Path directory, String group) throws FallbackException {
        try {
            Ownership owned = Ownership.of(directory);
            boolean isTrusted = owned.isOwn() || (!group.isEmpty() && owned.group() == GroupNumber.of(group, 0));
            if (!owned.isDirectory() || !isTrusted || owned.isForOthersToWrite()) {
                throw new FallbackException(
                        FallbackReason.OTHER_USER,
                        directory + " belongs to user " + owned.user() + ", this process to user " + Ownership.self()
                                + "; run both as one user, or set shm.group on both");
            }
            return owned.user();
        } catch (NoSuchFileException e) {
            throw new FallbackException(FallbackReason.PEER_NOT_ACCELERATED, null);
        } catch (FallbackException e) {
            throw e;
        } catch (IOException e) {
            throw new FallbackException(FallbackReason.SHM_DIR, "reading " + directory + " failed: " + e);
        }
    }

    /** Opens a file or directory to the group, if there is one. */
    static void share(Path path, String group, int mode) throws IOException {
        if (!group.isEmpty()) {
            int number = (int) GroupNumber.of(group, 0);
            try {
                Files.setAttribute(path, "unix:gid", number, LinkOption.NOFOLLOW_LINKS);
            } catch (FileSystemException e) {
                throw new IOException(
                        "it cannot be given to the group '" + group + "' (shm.group); is user " + Ownership.self()
                                + " a member? " + e.getReason(),
                        e);
            }
            Files.setAttribute(path, "unix:mode", mode); // permissions by name know no sticky bit
        }
    }

    /**
     * Removes the directory with its contents, including what a client puts there meanwhile that called just before.
     */
    static void delete(Path directory) throws IOException {
        for (int i = 1; i < DELETIONS; i++) {
            try {
                deleteOnce(directory);
                return;
            } catch (DirectoryNotEmptyException e) {
                Thread.onSpinWait(); // it finds the rendezvous closed, so there will not be many
            }
        }
        deleteOnce(directory);
    }

    private static void deleteOnce(Path directory) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        } catch (NoSuchFileException e) {
            return;
        }
        Files.deleteIfExists(directory);
    }
}
