// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.harness;

import io.accel.samples.perf.ControlGroup;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.opentest4j.TestAbortedException;

/**
 * A control group whose processes together may have so much memory, shared memory included. The kernel kills one of them if they want more.
 * The group is gone when {@link #close} returns; its processes must have ended before. Used by one thread.
 */
public final class MemoryGroup implements AutoCloseable {
    private static final Path MOUNT = Path.of("/sys/fs/cgroup");
    private static final Path VERSION_1 = MOUNT.resolve("memory");
    private static final long GONE_NANOS = 10_000_000_000L;

    private final ControlGroup group;
    private final boolean isFirst;

    private MemoryGroup(ControlGroup group, boolean isFirst) {
        this.group = group;
        this.isFirst = isFirst;
    }

    /** A group of either version; skips the test where that is not allowed. */
    public static MemoryGroup ofSize(long bytes) throws IOException {
        boolean isFirst = Files.isDirectory(VERSION_1);
        // In version 2 a group that has processes of its own, as this process's group has, cannot divide its memory.
        Path parent = isFirst ? VERSION_1.resolve(ownName()) : MOUNT;
        Path path = (Files.isDirectory(parent) ? parent : VERSION_1)
                .resolve("accel-it-" + ProcessHandle.current().pid());
        ControlGroup group;
        try {
            group = ControlGroup.make(path, GONE_NANOS);
        } catch (IOException e) {
            throw new TestAbortedException("needs the right to make a control group: " + e, e);
        }
        try {
            Files.writeString(path.resolve(isFirst ? "memory.limit_in_bytes" : "memory.max"), Long.toString(bytes));
        } catch (IOException e) {
            group.close();
            throw new TestAbortedException("needs control groups that limit memory: " + e, e);
        }
        return new MemoryGroup(group, isFirst);
    }

    /** The group of this process, relative to the mount point of groups. */
    private static String ownName() throws IOException {
        for (String line : lines(Path.of("/proc/self/cgroup"))) {
            String[] parts = line.split(":", 3);
            if (List.of(parts[1].split(",", -1)).contains("memory")) {
                return parts[2].substring(1);
            }
        }
        return "";
    }

    /** The words to put before a command so that it runs in the group from its first instruction. */
    List<String> prefix() {
        return group.prefix();
    }

    /** How many of its processes the kernel has ended because they wanted more. */
    public long killed() throws IOException {
        return number(isFirst ? "memory.oom_control" : "memory.events", "oom_kill");
    }

    /** The bytes of shared memory that count in the group. */
    public long shared() throws IOException {
        return number("memory.stat", "shmem");
    }

    private long number(String file, String name) throws IOException {
        for (String line : lines(group.path().resolve(file))) {
            if (line.startsWith(name + " ")) {
                return Long.parseLong(line.substring(name.length() + 1));
            }
        }
        throw new IOException(group.path().resolve(file) + " does not say " + name);
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.readAllLines(file, StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        group.close();
    }
}
