// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The processors that each end may run on.
 *
 * <p>Left to itself, Linux often runs two programs that talk to each other over the kernel in turn on one processor,
 * and sometimes does not: the same round trip then takes 4 us in one run and 18 us in the next, as measured. If each end has
 * processors of its own, as two busy programs have, runs can be compared.
 *
 * @param server the server's processors, as {@code taskset -c} takes them; null for any
 * @param client the client's, likewise
 */
public record Cores(String server, String client) {
    /** Both ends run on any processors that the system chooses. */
    static final Cores ANY = new Cores(null, null);

    /** With fewer than two for each end, a JVM's compiler would be in its program's way. */
    private static final int LEAST = 4;

    /** Half of the processors that this process may use for each end; any, if they are too few or cannot be chosen. */
    static Cores split() {
        List<Integer> allowed = allowed();
        if (allowed.size() < LEAST || !isOnPath("taskset")) {
            return ANY;
        }
        int half = allowed.size() / 2;
        return new Cores(list(allowed.subList(0, half)), list(allowed.subList(half, allowed.size())));
    }

    /**
     * The first {@code count} processors that this process may use, or all if they are fewer, for both ends.
     *
     * @throws IOException if they cannot be chosen
     */
    static Cores together(int count) throws IOException {
        List<Integer> allowed = allowed();
        if (allowed.isEmpty() || !isOnPath("taskset")) {
            throw new IOException("cannot choose processors: "
                    + (allowed.isEmpty() ? "the system does not list them" : "there is no taskset"));
        }
        String few = list(allowed.subList(0, Math.min(count, allowed.size())));
        return new Cores(few, few);
    }

    /** The words to put before a command so that it runs on the processors of {@code end}. */
    List<String> prefix(End end) {
        String cores = end == End.SERVER ? server : client;
        return cores == null ? List.of() : List.of("taskset", "-c", cores);
    }

    /** One line for the reader of figures. */
    String describe() {
        return server == null
                ? "Both ends ran on the processors that the system chose, where no line above names one."
                : "Each end ran on processors of its own: the server on " + server + ", the client on " + client + ".";
    }

    private static String list(List<Integer> processors) {
        return processors.stream().map(Object::toString).collect(Collectors.joining(","));
    }

    private static List<Integer> allowed() {
        Path status = Path.of("/proc/self/status");
        String key = "Cpus_allowed_list:";
        try {
            if (Files.exists(status)) {
                for (String line : Files.readAllLines(status)) {
                    if (line.startsWith(key)) {
                        return parse(line.substring(key.length()).trim());
                    }
                }
            }
            return List.of();
        } catch (IOException e) {
            return List.of(); // an unknown number does not prevent a measurement: the result says where the ends ran
        }
    }

    /** Reads a list such as {@code 0-3,8}. */
    static List<Integer> parse(String ranges) {
        List<Integer> processors = new ArrayList<>();
        for (String range : ranges.split(",", -1)) {
            int dash = range.indexOf('-');
            int first = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
            int last = dash < 0 ? first : Integer.parseInt(range.substring(dash + 1));
            IntStream.rangeClosed(first, last).forEach(processors::add);
        }
        return processors;
    }

    private static boolean isOnPath(String program) {
        String path = System.getenv("PATH");
        if (path == null) {
            return false;
        }
        for (String directory : path.split(File.pathSeparator, -1)) {
            if (Files.isExecutable(Path.of(directory, program))) {
                return true;
            }
        }
        return false;
    }
}
