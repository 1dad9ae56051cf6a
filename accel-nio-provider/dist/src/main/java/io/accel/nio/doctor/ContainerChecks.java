// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.doctor;

import io.accel.core.fabric.shm.SharedDirectory;
import io.accel.core.poll.ControlGroups;
import io.accel.core.socket.SharedMemoryCap;
import io.accel.profile.Keys;
import io.accel.profile.Origin;
import io.accel.profile.Profile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Checks the limits of this process and its separation from others: control groups, namespaces, and the directory that it shares with
 * them.
 */
final class ContainerChecks {
    private static final long MIB = 1 << 20;
    private static final List<String> NAMESPACES = List.of("net", "mnt", "pid", "user", "ipc");

    private final Profile profile;
    private final SystemFiles files;
    private final ControlGroups groups;

    ContainerChecks(Profile profile, SystemFiles files) {
        this.profile = profile;
        this.files = files;
        this.groups = new ControlGroups(files.at("proc/self/cgroup"), files.at("sys/fs/cgroup"));
    }

    List<Finding> run() {
        return List.of(memory(), processorTime(), namespaces(), sharers());
    }

    /** Checks the limit of memory. Rings count against the group of the process that touches them first. */
    private Finding memory() {
        long limit = groups.memory();
        if (limit == 0) {
            return Finding.ok("container.memory", "no limit by a control group");
        }
        long most = SharedMemoryCap.of(profile, groups);
        String found = limit / MIB + " MiB at most by the control group, which also counts rings; ";
        if (profile.setting(Keys.SHM_MAX).origin().kind() == Origin.Kind.DEFAULT) {
            return Finding.ok(
                    "container.memory", found + "they take " + most / MIB + " MiB at most, as shm.max is not set");
        }
        found += "shm.max is " + (most == 0 ? "any number" : most / MIB + " MiB");
        return most == 0 || most > limit / 2
                ? Finding.warning(
                        "container.memory",
                        found,
                        "set shm.max to the memory that the heap and the rest of the process leave, so that connections stay with the kernel"
                                + " where rings would get the container killed")
                : Finding.ok("container.memory", found);
    }

    private Finding processorTime() {
        double processors = Double.MAX_VALUE;
        for (Path group : groups.of("cpu")) {
            double limit = ControlGroups.processors(group);
            if (limit > 0) {
                processors = Math.min(processors, limit);
            }
        }
        if (processors == Double.MAX_VALUE) {
            return Finding.ok("container.cpu", "no limit by a control group");
        }
        String found = String.format(Locale.ROOT, "%.2f processors at most by the control group", processors);
        return processors == Math.rint(processors)
                ? Finding.ok("container.cpu", found)
                : Finding.warning(
                        "container.cpu",
                        found,
                        "with a quota that is not a whole number no thread looks for traffic: give the container whole processors");
    }

    /** Reports the numbers of the namespaces: processes that print the same numbers are in the same ones. */
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
            return Finding.warning("shm.users", dir + " cannot be read: " + e.getMessage(), "see shm.dir above");
        }
    }
}
