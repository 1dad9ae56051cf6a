package io.accel.samples.perf;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The CPU time of a process, seen from outside and to the nanosecond. What the JDK tells counts in ticks of 10 ms, which
 * is more than an idle process uses in a second, and to ask the process would wake it.
 */
final class ProcessCpu {
    private final Path threads;
    private final Map<Path, Long> atBegin;

    /** Begins to measure. */
    ProcessCpu(long pid) throws IOException {
        threads = Path.of("/proc", Long.toString(pid), "task");
        atBegin = nanosByThread();
    }

    /** Nanoseconds used since the beginning, by all threads that still live. */
    long used() throws IOException {
        long sum = 0;
        for (Map.Entry<Path, Long> thread : nanosByThread().entrySet()) {
            sum += thread.getValue() - atBegin.getOrDefault(thread.getKey(), 0L);
        }
        return sum;
    }

    private Map<Path, Long> nanosByThread() throws IOException {
        Map<Path, Long> nanos = new HashMap<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(threads)) {
            for (Path thread : entries) {
                try {
                    String statistics = Files.readString(thread.resolve("schedstat"));
                    nanos.put(thread, Long.parseLong(statistics.substring(0, statistics.indexOf(' '))));
                } catch (IOException e) {
                    if (Files.exists(thread)) { // else it ended between listing and reading
                        throw e;
                    }
                }
            }
        }
        if (nanos.isEmpty()) {
            throw new IOException("the kernel does not tell what the threads in " + threads + " used (no schedstat)");
        }
        return nanos;
    }
}
