// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import io.accel.core.daemon.Privileged;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The control groups of a process, of both versions, as containers see them.
 *
 * @param membership the file that lists the process's groups, as {@code /proc/self/cgroup}
 * @param mount the directory where groups are mounted, as {@code /sys/fs/cgroup}
 */
public record ControlGroups(Path membership, Path mount) {
    /** The files' names in version 2, and in version 1. */
    private static final List<String> LIMITS_OF_MEMORY = List.of("memory.max", "memory.limit_in_bytes");
    /** A greater number means no limit: in version 1 the root group shows such a number. */
    private static final long NO_LIMIT = 1L << 60;

    /** The groups of this process. */
    public static ControlGroups ofProcess() {
        return new ControlGroups(Path.of("/proc/self/cgroup"), Path.of("/sys/fs/cgroup"));
    }

    /**
     * The groups that may limit a resource, with all groups around them up to the visible root.
     *
     * @param controller the resource, as version 1 names it, such as {@code cpu}
     * @return their directories, which need not exist
     */
    public List<Path> of(String controller) {
        List<Path> groups = new ArrayList<>();
        for (String line : read(membership).split("\n", -1)) {
            String[] parts = line.split(":", 3);
            if (parts.length < 3) {
                continue;
            }
            if (parts[1].isEmpty()) {
                addUpTo(groups, mount, parts[2]);
                addUpTo(groups, mount.resolve("unified"), parts[2]);
            } else if (List.of(parts[1].split(",")).contains(controller)) {
                addUpTo(groups, mount.resolve(parts[1]), parts[2]);
                addUpTo(groups, mount.resolve(controller), parts[2]);
            }
        }
        return groups;
    }

    private static void addUpTo(List<Path> groups, Path top, String name) {
        // In a container the name may be one of the host's, which does not exist there.
        for (Path group = top.resolve(name.substring(1)).normalize();
                group != null && group.startsWith(top);
                group = group.getParent()) {
            if (!groups.contains(group)) {
                groups.add(group);
            }
        }
    }

    /**
     * How many processors' time a group may have.
     *
     * @return the number of processors; 0 for no limit
     */
    public static double processors(Path group) {
        String max = read(group.resolve("cpu.max")).strip();
        if (max.isEmpty()) {
            String quota = read(group.resolve("cpu.cfs_quota_us")).strip();
            max = quota + " " + read(group.resolve("cpu.cfs_period_us")).strip();
        }
        double quota = ProcFile.number(max, 0); // -1 in version 1, and "max" in version 2, for no limit
        long period = ProcFile.number(max, 1);
        return quota <= 0 || period <= 0 ? 0 : quota / period;
    }

    /**
     * How much memory these groups and those around them allow their processes, shared memory included.
     *
     * @return the number of bytes; 0 for no limit
     */
    public long memory() {
        long least = NO_LIMIT;
        for (Path group : of("memory")) {
            for (String file : LIMITS_OF_MEMORY) {
                least = Math.min(least, number(read(group.resolve(file)).strip()));
            }
        }
        return least == NO_LIMIT ? 0 : least;
    }

    private static long number(String text) {
        try {
            long number = Long.parseLong(text);
            return number >= 0 && number < NO_LIMIT ? number : NO_LIMIT;
        } catch (NumberFormatException e) {
            return NO_LIMIT; // "max", or nothing
        }
    }

    /** A class with a name: linking a lambda takes milliseconds while a process starts. */
    private record Reading(Path file) implements Privileged.Action<String> {
        @Override
        public String run() throws IOException {
            // Files would load a score of classes, in a process that may have just begun.
            try (FileInputStream in = new FileInputStream(file.toFile())) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
        }
    }

    /** The contents of a group's file; empty if there is none, or this process may not see it. */
    public static String read(Path file) {
        try {
            return Privileged.call(new Reading(file));
        } catch (IOException | SecurityException e) {
            return ""; // it is one of the other version's, or this process may not see it: as if there were none
        }
    }
}
