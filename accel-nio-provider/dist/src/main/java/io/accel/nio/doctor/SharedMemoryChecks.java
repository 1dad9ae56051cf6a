// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.doctor;

import io.accel.core.fabric.shm.SharedDirectory;
import io.accel.core.socket.Accelerator;
import io.accel.profile.Keys;
import io.accel.profile.Profile;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** Checks that connections within this host find a place for their memory. */
final class SharedMemoryChecks {
    private static final String CHECK = "shm.dir";
    private static final long MIB = 1 << 20;
    private static final int FEW_CONNECTIONS = 32;

    private SharedMemoryChecks() {}

    static List<Finding> directory(Profile profile) throws IOException {
        Path dir = profile.get(Keys.SHM_DIR);
        if (!Files.isDirectory(dir)) {
            return List.of(Finding.fail(
                    CHECK, dir + " is not a directory", "mount a tmpfs there, or set shm.dir to a directory on one"));
        }
        String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(dir));
        if (!Files.isWritable(dir) || !Files.isExecutable(dir)) {
            return List.of(Finding.fail(
                    CHECK,
                    dir + " cannot be written by " + System.getProperty("user.name") + ": " + mode + ", owner "
                            + Files.getOwner(dir),
                    "chmod 1777 " + dir + ", or set shm.dir to a directory of your own on a tmpfs"));
        }
        FileStore store = Files.getFileStore(dir);
        long each = 2L * Accelerator.firstRing(profile);
        long most = 2L * profile.get(Keys.RING_SIZE);
        long room = store.getUsableSpace();
        String found = dir + ": " + store.type() + ", " + mode + ", " + room / MIB + " of "
                + store.getTotalSpace() / MIB + " MiB free, a connection takes " + each / 1024 + " KiB, or up to "
                + most / 1024 + " KiB if it carries much";
        List<String> mistakes = SharedDirectory.mistakes(dir);
        if (!mistakes.isEmpty()) {
            return List.of(Finding.warning(CHECK, found, String.join("; ", mistakes)));
        }
        if (room < each) {
            return List.of(Finding.fail(CHECK, found, moreRoom(dir)));
        }
        if (room / each < FEW_CONNECTIONS) {
            return List.of(Finding.warning(CHECK, found + ": room for " + room / each + " connections", moreRoom(dir)));
        }
        return List.of(Finding.ok(CHECK, found));
    }

    private static String moreRoom(Path dir) {
        return "mount -o remount,size=1G " + dir
                + " (for a container --shm-size=1g), or make ring.initial and ring.size smaller";
    }
}
