package io.accel.samples.it.harness;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A control group whose processes together may have so much memory, shared memory included, and of which the kernel ends one if they want
 * more. It is gone when {@link #close} returns, by when they must have ended. Used by one thread.
 */
public final class MemoryGroup implements AutoCloseable {
    private static final Path MOUNT = Path.of("/sys/fs/cgroup");
    private static final Path VERSION_1 = MOUNT.resolve("memory");
    private static final long GONE_NANOS = 10_000_000_000L;

    private final Path group;
    private final boolean isFirst;

    private MemoryGroup(Path group, boolean isFirst) {
        this.group = group;
        this.isFirst = isFirst;
    }

    /** Of either version; skips the test where that is not allowed. */
    public static MemoryGroup ofSize(long bytes) throws IOException {
        boolean isFirst = Files.isDirectory(VERSION_1);
        // In version 2 a group that has processes of its own, as that of this one has, cannot divide its memory.
        Path parent = isFirst ? VERSION_1.resolve(ownName()) : MOUNT;
        Path path = (Files.isDirectory(parent) ? parent : VERSION_1)
                .resolve("accel-it-" + ProcessHandle.current().pid());
        String why = "";
        try {
            Files.createDirectory(path);
        } catch (IOException e) {
            why = e.toString();
        }
        assumeTrue(why.isEmpty(), "needs the right to make a control group: " + why);
        MemoryGroup made = new MemoryGroup(path, isFirst);
        try {
            Files.writeString(path.resolve(isFirst ? "memory.limit_in_bytes" : "memory.max"), Long.toString(bytes));
            return made;
        } catch (IOException e) {
            made.close();
            assumeTrue(false, "needs control groups that limit memory: " + e);
            throw e;
        }
    }

    /** Of this process, relative to where groups are mounted. */
    private static String ownName() throws IOException {
        for (String line : lines(Path.of("/proc/self/cgroup"))) {
            String[] parts = line.split(":", 3);
            if (List.of(parts[1].split(",", -1)).contains("memory")) {
                return parts[2].substring(1);
            }
        }
        return "";
    }

    /** The file that takes the ids of processes which are to be in the group. */
    Path members() {
        return group.resolve("cgroup.procs");
    }

    /** How many of its processes the kernel has ended because they wanted more. */
    public long killed() throws IOException {
        return number(isFirst ? "memory.oom_control" : "memory.events", "oom_kill");
    }

    /** Bytes of shared memory that count in it. */
    public long shared() throws IOException {
        return number("memory.stat", "shmem");
    }

    private long number(String file, String name) throws IOException {
        for (String line : lines(group.resolve(file))) {
            if (line.startsWith(name + " ")) {
                return Long.parseLong(line.substring(name.length() + 1));
            }
        }
        throw new IOException(group.resolve(file) + " does not say " + name);
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.readAllLines(file, StandardCharsets.UTF_8);
    }

    /** A process that has just been reaped may still be in it for a moment. */
    @Override
    public void close() throws IOException {
        long deadline = System.nanoTime() + GONE_NANOS;
        while (true) {
            try {
                Files.deleteIfExists(group);
                return;
            } catch (IOException e) {
                if (System.nanoTime() - deadline > 0) {
                    throw e;
                }
                Thread.onSpinWait();
            }
        }
    }
}
