package io.accel.core.poll;

import io.accel.core.daemon.Privileged;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What share of processor time the control groups of this process leave to it, and how often it was stopped for having used it
 * up. Both versions of control groups, as containers see them. Immutable; the figures are read anew each time.
 */
final class CpuQuota {
    /** Of this process. */
    static final CpuQuota OF_PROCESS =
            Privileged.get(() -> new CpuQuota(Path.of("/proc/self/cgroup"), Path.of("/sys/fs/cgroup")));

    private static final Pattern THROTTLED = Pattern.compile("^nr_throttled (\\d+)$", Pattern.MULTILINE);

    /** Those groups, of this process or around it, that have a limit. */
    private final List<Path> limited = new ArrayList<>();

    private final boolean fractional;

    /**
     * Reads the limits.
     *
     * @param membership which groups the process is in, as {@code /proc/self/cgroup} has it
     * @param mount where groups are mounted
     */
    CpuQuota(Path membership, Path mount) {
        boolean found = false;
        for (Path group : groups(membership, mount)) {
            double processors = limit(group);
            if (processors > 0) {
                limited.add(group);
                found |= processors != Math.rint(processors);
            }
        }
        fractional = found;
    }

    /** Whether the limit is not a whole number of processors. */
    boolean isFractional() {
        return fractional;
    }

    /** How often the process was stopped, of all time; 0 without a limit. */
    long throttled() {
        long sum = 0;
        for (Path group : limited) {
            Matcher matcher = THROTTLED.matcher(read(group.resolve("cpu.stat")));
            if (matcher.find()) {
                sum += Long.parseLong(matcher.group(1));
            }
        }
        return sum;
    }

    /** The process's groups that may limit processor time, and all around them up to what can be seen. */
    private static List<Path> groups(Path membership, Path mount) {
        List<Path> groups = new ArrayList<>();
        for (String line : read(membership).split("\n", -1)) {
            String[] parts = line.split(":", 3);
            if (parts.length < 3) {
                continue;
            }
            if (parts[1].isEmpty()) {
                addUpTo(groups, mount, parts[2]);
                addUpTo(groups, mount.resolve("unified"), parts[2]);
            } else if (List.of(parts[1].split(",")).contains("cpu")) {
                addUpTo(groups, mount.resolve(parts[1]), parts[2]);
                addUpTo(groups, mount.resolve("cpu"), parts[2]);
            }
        }
        return groups;
    }

    private static void addUpTo(List<Path> groups, Path top, String name) {
        // In a container the name may be one of the host's, which is not there.
        for (Path group = top.resolve(name.substring(1)).normalize();
                group != null && group.startsWith(top);
                group = group.getParent()) {
            if (!groups.contains(group)) {
                groups.add(group);
            }
        }
    }

    /** In processors; 0 for none. */
    private static double limit(Path group) {
        String max = read(group.resolve("cpu.max")).strip();
        if (max.isEmpty()) {
            String quota = read(group.resolve("cpu.cfs_quota_us")).strip();
            max = quota + " " + read(group.resolve("cpu.cfs_period_us")).strip();
        }
        String[] parts = max.split(" ", -1);
        try {
            double processors = parts.length == 2 ? Double.parseDouble(parts[0]) / Double.parseDouble(parts[1]) : 0;
            return Math.max(processors, 0);
        } catch (NumberFormatException e) {
            return 0; // "max"
        }
    }

    private static String read(Path file) {
        try {
            return Privileged.call(() -> Files.readString(file));
        } catch (NoSuchFileException e) {
            return ""; // the other version, or no such group
        } catch (IOException | SecurityException e) {
            return ""; // not to be seen by this process: as if there were none
        }
    }
}
