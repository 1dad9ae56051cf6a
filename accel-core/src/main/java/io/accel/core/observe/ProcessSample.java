// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The state of a process at one moment.
 *
 * @param pid the process's id, as it sees it itself
 * @param host the name of its host, which in a container is the container's; empty if unknown
 * @param command its main class or jar
 * @param profile its profile's name
 * @param startedMillis when it started, in milliseconds since 1970
 * @param takenMillis when this was taken, likewise
 * @param takenNanos the same moment on the process's own clock, for the time between two samples
 * @param figures figures of the process by name, as {@link ProcessFigures} returns them
 * @param connections its present connections, the oldest first
 * @param omitted how many more connections there are
 */
public record ProcessSample(
        long pid,
        String host,
        String command,
        String profile,
        long startedMillis,
        long takenMillis,
        long takenNanos,
        Map<String, Long> figures,
        List<ConnectionSample> connections,
        int omitted) {

    /** How many connections a sample holds at most. */
    public static final int MOST_CONNECTIONS = 10_000;

    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");
    private static final List<String> LEVELS = List.of("memory.");

    /**
     * Returns the changes since an earlier sample: differences of all values that only grow, and everything else as
     * it is now. A connection that did not exist then counts from its beginning.
     *
     * @param earlier an earlier sample of the same process
     * @return the difference
     */
    public ProcessSample since(ProcessSample earlier) {
        Map<String, Long> differences = new TreeMap<>();
        figures.forEach((name, value) -> {
            boolean isLevel = LEVELS.stream().anyMatch(name::startsWith);
            differences.put(name, isLevel ? value : value - earlier.figures.getOrDefault(name, 0L));
        });
        Map<Long, Figures> before = new HashMap<>();
        earlier.connections.forEach(connection -> before.put(connection.id(), connection.figures()));
        List<ConnectionSample> since = new ArrayList<>();
        for (ConnectionSample connection : connections) {
            since.add(connection.with(connection.figures().since(before.get(connection.id()))));
        }
        return new ProcessSample(
                pid, host, command, profile, startedMillis, takenMillis, takenNanos, differences, since, omitted);
    }

    /** Returns the same sample with its connections in another order. */
    public ProcessSample with(List<ConnectionSample> sorted) {
        return new ProcessSample(
                pid, host, command, profile, startedMillis, takenMillis, takenNanos, figures, sorted, omitted);
    }

    /** The sum of all figures whose names begin with a prefix. */
    public long sum(String prefix) {
        long sum = 0;
        for (Map.Entry<String, Long> figure : figures.entrySet()) {
            if (figure.getKey().startsWith(prefix)) {
                sum += figure.getValue();
            }
        }
        return sum;
    }

    /** Takes a sample of this process. */
    static ProcessSample take(String profile) {
        List<ConnectionSample> connections = new ArrayList<>();
        List<ObservedConnection> all = Connections.observe();
        for (ObservedConnection connection : all) {
            if (connections.size() < MOST_CONNECTIONS) {
                connections.add(connection.sample());
            }
        }
        connections.sort((a, b) -> Long.compare(a.id(), b.id()));
        String command = System.getProperty("sun.java.command", "").split(" ", 2)[0];
        ProcessHandle self = ProcessHandle.current();
        return new ProcessSample(
                self.pid(),
                hostName(),
                command,
                profile,
                self.info().startInstant().map(java.time.Instant::toEpochMilli).orElse(0L),
                System.currentTimeMillis(),
                System.nanoTime(),
                ProcessFigures.read(),
                connections,
                all.size() - connections.size() + (int) Math.max(0, Unlisted.open()));
    }

    /** The kernel's name of the host, in this process's own namespace, without asking a name server. */
    private static String hostName() {
        try {
            return Files.readString(HOST_NAME).strip();
        } catch (IOException e) {
            return ""; // a container may hide it
        }
    }
}
