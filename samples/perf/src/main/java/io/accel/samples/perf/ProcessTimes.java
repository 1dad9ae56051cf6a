// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The processor time that a process uses, seen from outside and to the nanosecond. The JDK counts in ticks of 10 ms, and an idle process
 * uses less than that in a second. A question to the process would wake it. Where the kernel has no {@code schedstat}, this class counts
 * in ticks, too, and shows no delay.
 */
final class ProcessTimes {
    /** The place of the ticks in user mode in {@code stat}, counted behind the name; the ticks in the kernel follow. */
    private static final int USER_TICKS = 11;

    private static final long TICK_NANOS = 10_000_000;

    private final Source source;
    private final boolean far;
    private final Map<String, Used> atBegin;

    /** Looks at the threads of a process. */
    private interface Source {
        /** By the thread's id. */
        Map<String, Used> look() throws IOException, InterruptedException;
    }

    /**
     * Nanoseconds, summed over threads.
     *
     * @param cpuNanos on a processor
     * @param delayNanos waiting for a processor, though there was something to do
     * @param compilerNanos the just-in-time compiler's threads' part of those on a processor
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
    ProcessTimes(long pid) throws IOException, InterruptedException {
        this(() -> threadsOf(pid), false);
    }

    /** Begins to measure a process of another host. */
    ProcessTimes(FarHost host, long pid) throws IOException, InterruptedException {
        this(() -> parse(host.threadsOf(pid)), true);
    }

    private ProcessTimes(Source source, boolean far) throws IOException, InterruptedException {
        this.source = source;
        this.far = far;
        atBegin = source.look();
    }

    /** The time used by all threads of a process that still live, since each began. */
    static Used lifetime(long pid) throws IOException {
        return threadsOf(pid).values().stream().reduce(Used.NOTHING, Used::plus);
    }

    /** Whether the process is another host's. */
    boolean isFar() {
        return far;
    }

    /** The time used since the beginning, by all threads that still live. */
    Used used() throws IOException, InterruptedException {
        Used sum = Used.NOTHING;
        for (Map.Entry<String, Used> thread : source.look().entrySet()) {
            sum = sum.plus(thread.getValue().since(atBegin.getOrDefault(thread.getKey(), Used.NOTHING)));
        }
        return sum;
    }

    private static Map<String, Used> threadsOf(long pid) throws IOException {
        return byThread(Path.of("/proc", Long.toString(pid), "task"));
    }

    private static Map<String, Used> byThread(Path threads) throws IOException {
        Map<String, Used> used = new HashMap<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(threads)) {
            for (Path thread : entries) {
                try {
                    used.put(thread.getFileName().toString(), of(thread));
                } catch (IOException e) {
                    if (Files.exists(thread)) { // otherwise it has ended since it was listed
                        throw e;
                    }
                }
            }
        }
        if (used.isEmpty()) {
            throw new IOException(
                    "the kernel does not have the processor times of the threads in " + threads + " (no schedstat)");
        }
        return used;
    }

    /**
     * Reads lines of another host.
     *
     * @param lines of each thread its id, the three numbers of {@code schedstat}, and its name; or its id and its {@code stat}
     */
    static Map<String, Used> parse(String lines) throws IOException {
        Map<String, Used> used = new HashMap<>();
        for (String line : lines.lines().toList()) {
            String[] fields = line.split(" ", 5);
            if (fields.length < 5) {
                throw new IOException("the other host reports of a thread: " + line);
            }
            used.put(fields[0], fields[2].startsWith("(") ? ofTicks(line) : used(fields[1], fields[2], fields[4]));
        }
        if (used.isEmpty()) {
            throw new IOException("the other host does not report the processor times of a process's threads");
        }
        return used;
    }

    private static Used of(Path thread) throws IOException {
        Path scheduled = thread.resolve("schedstat");
        if (!Files.exists(scheduled)) {
            return ofTicks(Files.readString(thread.resolve("stat")));
        }
        String[] times = Files.readString(scheduled).split(" ", -1);
        return used(times[0], times[1], Files.readString(thread.resolve("comm")));
    }

    /** @param stat the line of a kernel without {@code schedstat}, such as the kernel of the lab's guests */
    private static Used ofTicks(String stat) {
        int end = stat.lastIndexOf(')');
        String[] fields = stat.substring(end + 2).split(" ", -1);
        long ticks = Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[USER_TICKS + 1]);
        return used(Long.toString(ticks * TICK_NANOS), "0", stat.substring(stat.indexOf('(') + 1, end));
    }

    private static Used used(String cpu, String delay, String name) {
        long nanos = Long.parseLong(cpu);
        // As HotSpot names them: "C1 CompilerThread0", cut to 15 characters.
        boolean compiler = name.matches("C[12] Compiler[^\\n]*\\n?");
        return new Used(nanos, Long.parseLong(delay), compiler ? nanos : 0);
    }
}
