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
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalNotFoundException;

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
            Files.createDirectory(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(PRIVATE)));
            try {
                share(directory, group, SHARED);
            } catch (IOException e) {
                deleteOnce(directory); // nobody may take it for the directory of a dead listener
                throw e;
            }
        } catch (IOException e) {
            FallbackReason reason = FileFailure.isFull(e) ? FallbackReason.SHM_FULL : FallbackReason.SHM_DIR;
            throw new FallbackException(reason, "making " + directory + " failed: " + e);
        }
    }

    /**
     * Checks that only the directory's listener, and users that it trusts, can have filled the directory.
     *
     * @return the listener's user
     */
    static UserPrincipal check(Path directory, String group) throws FallbackException {
        try {
            PosixFileAttributes attributes =
                    Files.readAttributes(directory, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            boolean sameUser = attributes.owner().equals(self());
            // Groups are compared by number: a group may have been named by name or by number.
            boolean sameGroup =
                    !sameUser && !group.isEmpty() && attributes.group().equals(lookUp(directory, group));
            if (!attributes.isDirectory()
                    || !(sameUser || sameGroup)
                    || attributes.permissions().contains(PosixFilePermission.OTHERS_WRITE)) {
                throw new FallbackException(
                        FallbackReason.OTHER_USER,
                        directory + " belongs to " + attributes.owner().getName() + ", this process to "
                                + self().getName() + "; run both as one user, or set shm.group on both");
            }
            return attributes.owner();
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
            var view = Files.getFileAttributeView(path, PosixFileAttributeView.class);
            try {
                view.setGroup(lookUp(path, group));
            } catch (FileSystemException e) {
                throw new IOException(
                        "it cannot be given to the group '" + group + "' (shm.group); is " + self().getName()
                                + " a member? " + e.getReason(),
                        e);
            }
            Files.setAttribute(path, "unix:mode", mode); // permissions by name know no sticky bit
        }
    }

    private static GroupPrincipal lookUp(Path path, String group) throws IOException {
        try {
            return path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByGroupName(group);
        } catch (UserPrincipalNotFoundException e) {
            throw new IOException("this system has no group '" + group + "' (shm.group)", e);
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

    static UserPrincipal self() {
        return Self.USER;
    }

    /** This process's user, read from the owner of its own directory in /proc. */
    private static final class Self {
        static final UserPrincipal USER = user();

        private Self() {}

        private static UserPrincipal user() {
            try {
                return Files.getOwner(Path.of("/proc/self"));
            } catch (IOException e) {
                throw new java.io.UncheckedIOException("cannot find out which user this process runs as", e);
            }
        }
    }
}
