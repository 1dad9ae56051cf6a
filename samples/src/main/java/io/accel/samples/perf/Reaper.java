package io.accel.samples.perf;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Sees to it that no process that this JVM started outlives it. Thread-safe. */
final class Reaper {
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly), "bench-reaper"));
    }

    private Reaper() {}

    /** Ends {@code process} if this JVM ends before {@link #release}. */
    static void watch(Process process) {
        RUNNING.add(process);
    }

    /** It has ended. */
    static void release(Process process) {
        RUNNING.remove(process);
    }
}
