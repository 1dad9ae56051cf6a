package io.accel.samples.perf;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * What a process uses of the processors, seen from outside and to the nanosecond. What the JDK tells counts in ticks of 10 ms,
 * which is more than an idle process uses in a second, and to ask the process would wake it.
 */
final class ProcessTimes {
    private final Path threads;
    private final Map<Path, Used> atBegin;

    /**
     * Nanoseconds, summed over threads.
     *
     * @param cpuNanos on a processor
     * @param delayNanos waiting for one, though there was something to do
     * @param compilerNanos those on a processor that the just-in-time compiler's threads had
     */
    record Used(long cpuNanos, long delayNanos, long compilerNanos) {
        private static final Used NOTHING = new Used(0, 0, 0);

        private Used plus(Used more) {
            return new Used(cpuNanos + more.cpuNanos, delayNanos + more.delayNanos, compilerNanos + more.compilerNanos);
        }

        private Used since(Used earlier) {
            return new Used(
                    cpuNanos - earlier.cpuNanos,
                    delayNanos - earlier.delayNanos,
                    compilerNanos - earlier.compilerNanos);
        }
    }

    /** Begins to measure. */
    ProcessTimes(long pid) throws IOException {
        threads = Path.of("/proc", Long.toString(pid), "task");
        atBegin = byThread();
    }

    /** What was used since the beginning, by all threads that still live. */
    Used used() throws IOException {
        Used sum = Used.NOTHING;
        for (Map.Entry<Path, Used> thread : byThread().entrySet()) {
            sum = sum.plus(thread.getValue().since(atBegin.getOrDefault(thread.getKey(), Used.NOTHING)));
        }
        return sum;
    }

    private Map<Path, Used> byThread() throws IOException {
        Map<Path, Used> used = new HashMap<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(threads)) {
            for (Path thread : entries) {
                try {
                    String[] times =
                            Files.readString(thread.resolve("schedstat")).split(" ", -1);
                    long cpu = Long.parseLong(times[0]);
                    // As HotSpot names them: "C1 CompilerThread0", cut to 15 characters.
                    boolean compiler = Files.readString(thread.resolve("comm")).matches("C[12] Compiler[^\\n]*\\n?");
                    used.put(thread, new Used(cpu, Long.parseLong(times[1]), compiler ? cpu : 0));
                } catch (IOException e) {
                    if (Files.exists(thread)) { // else it ended between listing and reading
                        throw e;
                    }
                }
            }
        }
        if (used.isEmpty()) {
            throw new IOException("the kernel does not tell what the threads in " + threads + " used (no schedstat)");
        }
        return used;
    }
}
