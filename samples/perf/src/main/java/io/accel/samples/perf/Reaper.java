// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Ends the processes that this JVM started, and removes their directories, when the JVM ends. Thread-safe. */
final class Reaper {
    private static final int PATIENCE_SECONDS = 5;
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();
    private static final Set<Path> DIRECTORIES = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(Reaper::reap, "bench-reaper"));
    }

    /** Written by the hook alone, before it looks at {@link #RUNNING}. A thread that adds to {@link #RUNNING} looks at this afterwards. */
    private static volatile boolean reaping;

    private Reaper() {}

    /** Ends {@code process} if this JVM ends before {@link #release}. */
    static void watch(Process process) {
        RUNNING.add(process);
        if (reaping) {
            process.destroyForcibly();
        }
    }

    /** Forgets a process that has ended. */
    static void release(Process process) {
        RUNNING.remove(process);
    }

    /** Removes {@code directory} if this JVM ends before {@link #release}. */
    static void watch(Path directory) {
        DIRECTORIES.add(directory);
    }

    /** Forgets a directory that was removed. */
    static void release(Path directory) {
        DIRECTORIES.remove(directory);
    }

    private static void reap() {
        reaping = true;
        RUNNING.forEach(Process::destroyForcibly);
        try {
            for (Process process : RUNNING) {
                process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS); // otherwise it goes on writing there
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (Path directory : DIRECTORIES) {
            try {
                WorkingDirectory.remove(directory);
            } catch (IOException | UncheckedIOException e) {
                System.err.println("cannot remove " + directory + ": " + e.getMessage());
            }
        }
    }
}
