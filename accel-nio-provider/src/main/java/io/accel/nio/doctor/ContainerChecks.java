package io.accel.nio.doctor;

import io.accel.core.fabric.shm.SharedDirectory;
import io.accel.profile.Keys;
import io.accel.profile.Profile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What limits and separates this process from others: control groups, namespaces, and the directory that it shares with them. */
final class ContainerChecks {
    private static final long MIB = 1 << 20;
    private static final List<String> NAMESPACES = List.of("net", "mnt", "pid", "user", "ipc");
    /** What the first control group of all says in place of a limit, in version 1. */
    private static final long NO_LIMIT = 1L << 60;

    private final Profile profile;
    private final SystemFiles files;

    ContainerChecks(Profile profile, SystemFiles files) {
        this.profile = profile;
        this.files = files;
    }

    List<Finding> run() throws IOException {
        return List.of(memory(), processorTime(), namespaces(), sharers());
    }

    /** Rings count against the group of who touches them first. */
    private Finding memory() throws IOException {
        long limit = Math.min(least("memory.max"), leastOfVersion1("memory", "memory.limit_in_bytes"));
        if (limit >= NO_LIMIT) {
            return Finding.ok("container.memory", "no limit by a control group");
        }
        long most = profile.get(Keys.SHM_MAX);
        String found = limit / MIB + " MiB at most by the control group, in which rings count; shm.max is "
                + (most == 0 ? "not set" : most / MIB + " MiB");
        return most == 0 || most > limit / 2
                ? Finding.warning(
                        "container.memory",
                        found,
                        "set shm.max to what the heap and the rest of the process leave of it, so that connections stay with the kernel"
                                + " where rings would have the container ended")
                : Finding.ok("container.memory", found);
    }

    private Finding processorTime() throws IOException {
        double processors = Double.MAX_VALUE;
        for (Path group : groups("", "")) {
            String[] parts = read(group.resolve("cpu.max")).split(" ", -1);
            if (parts.length == 2 && !parts[0].equals("max")) {
                processors = Math.min(processors, Double.parseDouble(parts[0]) / Double.parseDouble(parts[1]));
            }
        }
        for (Path group : groups("cpu", "cpu")) {
            long quota = number(read(group.resolve("cpu.cfs_quota_us")), -1);
            long period = number(read(group.resolve("cpu.cfs_period_us")), 1);
            if (quota > 0) {
                processors = Math.min(processors, (double) quota / period);
            }
        }
        if (processors == Double.MAX_VALUE) {
            return Finding.ok("container.cpu", "no limit by a control group");
        }
        String found = String.format(Locale.ROOT, "%.2f processors' time at most by the control group", processors);
        return processors == Math.rint(processors)
                ? Finding.ok("container.cpu", found)
                : Finding.warning(
                        "container.cpu",
                        found,
                        "no thread looks for traffic with a quota that is no whole number: give the container whole processors");
    }

    /** By their numbers: who else prints the same ones is in the same namespaces. */
    private Finding namespaces() {
        List<String> all = new ArrayList<>();
        for (String name : NAMESPACES) {
            try {
                String link =
                        Files.readSymbolicLink(files.at("proc/self/ns/" + name)).toString();
                all.add(name + " " + link.replaceAll("[^0-9]", ""));
            } catch (IOException e) {
                all.add(name + " not known");
            }
        }
        return Finding.ok("container.namespaces", String.join(", ", all) + " (peers need none of them in common)");
    }

    private Finding sharers() {
        Path dir = profile.get(Keys.SHM_DIR);
        try {
            return Finding.ok("shm.users", dir + ": " + SharedDirectory.users(dir));
        } catch (IOException e) {
            return Finding.warning(
                    "shm.users", dir + " cannot be read: " + e.getMessage(), "see what shm.dir says above");
        }
    }

    // ---- control groups

    private long least(String file) throws IOException {
        long least = NO_LIMIT;
        for (Path group : groups("", "")) {
            least = Math.min(least, number(read(group.resolve(file)), NO_LIMIT));
        }
        return least;
    }

    private long leastOfVersion1(String controller, String file) throws IOException {
        long least = NO_LIMIT;
        for (Path group : groups(controller, controller)) {
            least = Math.min(least, number(read(group.resolve(file)), NO_LIMIT));
        }
        return least;
    }

    /**
     * This process's groups of a controller, and all around them up to what can be seen.
     *
     * @param controller as {@code /proc/self/cgroup} names it; empty in version 2
     * @param mount below {@code /sys/fs/cgroup}
     */
    private List<Path> groups(String controller, String mount) throws IOException {
        List<Path> groups = new ArrayList<>();
        Path top = files.at("sys/fs/cgroup").resolve(mount);
        for (String line : read(files.at("proc/self/cgroup")).split("\n", -1)) {
            String[] parts = line.split(":", 3);
            if (parts.length < 3 || !List.of(parts[1].split(",", -1)).contains(controller)) {
                continue;
            }
            // In a container the name may be one of the host's, which is not there.
            for (Path group = top.resolve(parts[2].substring(1)).normalize();
                    group != null && group.startsWith(top);
                    group = group.getParent()) {
                groups.add(group);
            }
        }
        return groups;
    }

    private static long number(String text, long otherwise) {
        return text.matches("\\d{1,18}") ? Long.parseLong(text) : otherwise;
    }

    private static String read(Path file) throws IOException {
        return Files.isReadable(file) ? Files.readString(file).strip() : "";
    }
}
