// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import io.accel.core.daemon.Privileged;
import java.io.File;
import java.util.ArrayList;
import java.util.List;

/**
 * The processor time that this process and the JVM's compilers have used, as the kernel accounts it in {@code /proc}. A reading opens a file
 * or some, which takes 10 us each. Thread-safe.
 */
public final class ProcessLoad {
    private static final String TASKS = "/proc/self/task/";
    /** The beginnings of the names of the threads that compile, of which the kernel keeps 15 characters. */
    private static final String[] COMPILERS = {"C1 CompilerThre", "C2 CompilerThre", "JVMCI CompilerT"};

    /** The JVM's own threads are among its first. A program may have thousands of others. */
    private static final int MOST_TASKS = 128;
    /** Compiler threads come and go. */
    private static final long KNOWN_NANOS = 1_000_000_000L;

    /** The threads that run because somebody asks: the one that counts, and perhaps a peer's, for whose question it does. */
    private static final int ASKING = 2;

    private static final long NANOS_A_TICK = 10_000_000L; // USER_HZ is 100 wherever Java runs on Linux

    // Guarded by this.

    private final List<String> compilers = new ArrayList<>();
    private long lookedAt;
    /** The time of compiler threads that have ended is not taken off. */
    private long compilerNanos;

    /** The processor time of the compiler threads, in nanoseconds; it never falls. 0 if unknown. */
    public synchronized long compilerNanos() {
        long now = System.nanoTime();
        if (compilers.isEmpty() || now - lookedAt > KNOWN_NANOS) {
            lookedAt = now;
            findCompilers();
        }
        long sum = 0;
        for (String each : compilers) {
            sum += number(ProcFile.read(TASKS + each + "/schedstat"), 0);
        }
        compilerNanos = Math.max(compilerNanos, sum);
        return compilerNanos;
    }

    private void findCompilers() {
        compilers.clear();
        String[] tasks = Privileged.get(() -> new File(TASKS).list());
        int left = tasks == null ? 0 : Math.min(tasks.length, MOST_TASKS);
        for (int i = 0; i < left; i++) {
            String name = ProcFile.read(TASKS + tasks[i] + "/comm");
            for (String each : COMPILERS) {
                if (name.startsWith(each)) {
                    compilers.add(tasks[i]);
                }
            }
        }
    }

    /** The processor time of all threads of the process, in nanoseconds, to a hundredth of a second; 0 if unknown. */
    public long processNanos() {
        String stat = ProcFile.read("/proc/self/stat");
        String behindName = stat.substring(stat.lastIndexOf(')') + 1).strip();
        return NANOS_A_TICK * (number(behindName, 11) + number(behindName, 12));
    }

    /** The time for which the machine's processors had nothing to do, all together, in nanoseconds, to a hundredth of a second; 0 if unknown. */
    public long restedNanos() {
        String all = ProcFile.read("/proc/stat"); // "cpu", two spaces, and user, nice, system, idle and iowait
        return NANOS_A_TICK * (number(all, 5) + number(all, 6));
    }

    /** The processor time of the calling thread, in nanoseconds; 0 if unknown. */
    public long threadNanos() {
        return number(ProcFile.read("/proc/thread-self/schedstat"), 0);
    }

    /**
     * Whether more threads than there are processors want to run, beside those that the question itself has woken. So it is where this process may
     * not even use one whole processor.
     */
    public boolean isCrowded() {
        return SpinBudget.ofProcess() == 0 || isCrowd(RunnableThreads.surplus());
    }

    /** Whether so many more runnable threads than processors are a crowd. */
    static boolean isCrowd(int surplus) {
        return surplus > ASKING;
    }

    private static long number(String words, int index) {
        return Math.max(0, ProcFile.number(words, index));
    }
}
