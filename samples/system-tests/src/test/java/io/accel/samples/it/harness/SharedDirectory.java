// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.harness;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.testing.Child;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A directory for shared memory that a test has for itself; closing it removes it. Immutable. */
public final class SharedDirectory implements AutoCloseable {
    private static final long STATS_SECONDS = 40;
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    private final Path path;
    private final boolean mounted;

    private SharedDirectory(Path path, boolean mounted) {
        this.path = path;
        this.mounted = mounted;
    }

    /** A directory in the machine's own shared memory. */
    public static SharedDirectory create() throws IOException {
        return new SharedDirectory(Files.createTempDirectory(SHARED_MEMORY, "it"), false);
    }

    /** A directory for all tests of this JVM, removed when it exits. */
    static Path ofTests() {
        return OfTests.PATH;
    }

    /** A directory with a file system of its own of this size, such as {@code 64k}; skips the test where that is not allowed. */
    public static SharedDirectory ofSize(String size) throws IOException, InterruptedException {
        Path path = Files.createTempDirectory("it");
        String said = run("mount", "-t", "tmpfs", "-o", "mode=0700,size=" + size, "tmpfs", path.toString());
        if (!said.isEmpty()) {
            Files.delete(path);
        }
        assumeTrue(said.isEmpty(), "needs the right to mount a tmpfs: " + said);
        return new SharedDirectory(path, true);
    }

    public Path path() {
        return path;
    }

    /** Waits until these processes answer {@code accel stats} in a directory: the last that a process begins for itself, and not at once. */
    public static void awaitStats(Path directory, Child... processes) {
        for (Child each : processes) {
            await("the socket of process " + each.pid() + " for accel stats")
                    .atMost(STATS_SECONDS, TimeUnit.SECONDS)
                    .until(() -> hasStats(directory, each.pid()));
        }
    }

    private static boolean hasStats(Path directory, long pid) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(each -> each.getFileName().toString())
                    .anyMatch(name -> name.startsWith("accel-stats-" + pid + "-"));
        }
    }

    @Override
    public void close() throws IOException {
        if (mounted) {
            // Lazily: a child that was killed may not have let go of its last file yet.
            String said = run("umount", "-l", path.toString());
            if (!said.isEmpty()) {
                throw new IOException("cannot unmount " + path + ": " + said);
            }
        }
        List<Path> deepestFirst;
        try (Stream<Path> all = Files.walk(path)) {
            deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path one : deepestFirst) {
            Files.deleteIfExists(one);
        }
    }

    private static String run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException(command[0] + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for " + command[0], e);
        }
        return process.exitValue() == 0 ? "" : command[0] + " failed: " + said;
    }

    private static final class OfTests {
        static final Path PATH = open();

        private OfTests() {}

        private static Path open() {
            try {
                SharedDirectory directory = create();
                Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                    try {
                        directory.close();
                    } catch (IOException e) {
                        System.err.println("left behind by the tests: " + e);
                    }
                }));
                return directory.path();
            } catch (IOException e) {
                throw new UncheckedIOException("the tests get no directory in " + SHARED_MEMORY, e);
            }
        }
    }
}
