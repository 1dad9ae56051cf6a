// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Describes the directory of shared memory, {@code shm.dir}, to operators: its faults and its users. Stateless. */
public final class SharedDirectory {
    /** At most this many names of each kind are listed. */
    private static final int MOST_NAMES = 8;

    private static final int STICKY = 01000;
    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs", "hugetlbfs");

    private SharedDirectory() {}

    /**
     * Lists the faults that let the directory work, but not as it should.
     *
     * @param dir the directory, which exists
     * @return one sentence for each fault, with its remedy; empty if all is well
     * @throws IOException if it cannot be looked at
     */
    public static List<String> mistakes(Path dir) throws IOException {
        FileStore store = Files.getFileStore(dir);
        Map<String, Object> attributes = Files.readAttributes(dir, "unix:mode,permissions");
        @SuppressWarnings("unchecked") // the view defines the type
        Set<PosixFilePermission> permissions = (Set<PosixFilePermission>) attributes.get("permissions");
        boolean everybodys = permissions.contains(PosixFilePermission.OTHERS_WRITE);
        return mistakes(dir, store.type(), everybodys, ((int) attributes.get("mode") & STICKY) != 0);
    }

    static List<String> mistakes(Path dir, String fileSystem, boolean everybodys, boolean sticky) {
        List<String> mistakes = new ArrayList<>();
        if (!IN_MEMORY.contains(fileSystem)) {
            mistakes.add(dir + " (shm.dir) is on " + fileSystem
                    + ", which may write the rings out to a disk: set shm.dir to a directory on a tmpfs");
        }
        if (everybodys && !sticky) {
            mistakes.add(dir
                    + " (shm.dir) can be written by everybody and has no sticky bit, so other users can remove what this one"
                    + " has there: chmod +t " + dir);
        }
        return mistakes;
    }

    /**
     * Tells which users' listeners are in the directory, and from how many network namespaces.
     *
     * @param dir the directory
     * @return one line
     * @throws IOException if it cannot be read
     */
    public static String users(Path dir) throws IOException {
        Map<String, Integer> byUser = new TreeMap<>();
        Set<String> namespaces = new TreeSet<>();
        int listeners = 0;
        for (Path directory : RendezvousPlaces.everybodys(dir)) {
            String namespace = RendezvousPath.namespaceOf(directory);
            String user = namespace == null ? null : owner(directory);
            if (user != null) {
                byUser.merge(user, 1, Integer::sum);
                namespaces.add(namespace);
                listeners++;
            }
        }
        if (listeners == 0) {
            return "no listener has a place there";
        }
        boolean own = namespaces.contains(Namespace.OWN.name());
        List<String> users = byUser.entrySet().stream()
                .limit(MOST_NAMES)
                .map(user -> user.getKey() + " " + user.getValue())
                .toList();
        return listeners + (listeners == 1 ? " listener" : " listeners") + " of " + String.join(", ", users)
                + (byUser.size() > MOST_NAMES ? " and others" : "") + ", in " + namespaces.size()
                + (namespaces.size() == 1 ? " network namespace, " : " network namespaces, ")
                + (own ? "this one among them" : "this one not among them");
    }

    private static String owner(Path directory) throws IOException {
        try {
            return Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS).getName();
        } catch (NoSuchFileException e) {
            return null; // its listener has just closed
        }
    }
}
