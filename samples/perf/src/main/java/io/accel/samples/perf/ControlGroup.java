// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A control group of a tool's or a test's own. It is gone when {@link #close} returns; its processes must have ended before. Used
 * by one thread.
 */
public final class ControlGroup implements AutoCloseable {
    private final Path path;
    private final long goneNanos;

    private ControlGroup(Path path, long goneNanos) {
        this.path = path;
        this.goneNanos = goneNanos;
    }

    /**
     * Makes a group.
     *
     * @param path its directory, whose parent is a group
     * @param goneNanos how long {@link #close} waits for processes that are just being reaped
     * @throws IOException if that cannot be done here, by this user
     */
    public static ControlGroup make(Path path, long goneNanos) throws IOException {
        Files.createDirectory(path);
        return new ControlGroup(path, goneNanos);
    }

    /** The directory of the group. */
    public Path path() {
        return path;
    }

    /** The words to put before a command so that it runs in the group from its first instruction. */
    public List<String> prefix() {
        return List.of(
                "/bin/sh",
                "-c",
                "echo $$ > \"$0\" && exec \"$@\"",
                path.resolve("cgroup.procs").toString());
    }

    /** A process that has just been reaped may still be in it for a moment. */
    @Override
    public void close() throws IOException {
        long deadline = System.nanoTime() + goneNanos;
        while (true) {
            try {
                Files.deleteIfExists(path);
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
