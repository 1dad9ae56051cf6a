// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The view of {@code accel stats} of a process: the part of its open connections that does not go through the kernel, and the bytes
 * that went over these.
 *
 * @param connections the part, from 0 to 1; NaN if it has no connection, or the process is not known
 * @param bytes for each open connection, by its number, the bytes read and written on a link so far
 */
record LinkShare(double connections, Map<Long, Long> bytes) {
    private static final long PATIENCE_SECONDS = 30;
    private static final Pattern CONNECTION =
            Pattern.compile("\"id\":(\\d+),\"role\":\"(?:client|server)\",\"path\":\"([^\"]*)\"([^}]*)");
    private static final Pattern BYTES = Pattern.compile("\"bytes\\.(?:in|out)\":(\\d+)");

    LinkShare {
        bytes = Map.copyOf(bytes);
    }

    static LinkShare of(Path accelJar, long pid) throws IOException, InterruptedException {
        Process stats = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-jar",
                        accelJar.toString(),
                        "stats",
                        "--json",
                        "--once",
                        Long.toString(pid)))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        Reaper.watch(stats);
        try {
            String json = new String(stats.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!stats.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("accel stats did not end within " + PATIENCE_SECONDS + " s");
            }
            return parse(json);
        } finally {
            stats.destroyForcibly();
            Reaper.release(stats);
        }
    }

    /** @param json the output of {@code accel stats --json} */
    static LinkShare parse(String json) {
        int all = 0;
        int linked = 0;
        Map<Long, Long> bytes = new HashMap<>();
        for (Matcher each = CONNECTION.matcher(json); each.find(); all++) {
            if (!each.group(2).equals("kernel")) {
                linked++;
                long sum = BYTES.matcher(each.group(3))
                        .results()
                        .mapToLong(result -> Long.parseLong(result.group(1)))
                        .sum();
                bytes.put(Long.valueOf(each.group(1)), sum);
            }
        }
        return new LinkShare(all == 0 ? Double.NaN : (double) linked / all, bytes);
    }

    /**
     * The part of the bytes that did not go through the kernel since then, from 0 to 1; NaN if there were no bytes, or the
     * kernel's bytes are unknown.
     *
     * @param byKernel the bytes that the process read and wrote through the kernel meanwhile; negative if unknown
     */
    double bytesSince(LinkShare before, double byKernel) {
        double linked = bytes.entrySet().stream()
                .mapToLong(each -> each.getValue() - before.bytes.getOrDefault(each.getKey(), 0L))
                .sum();
        return byKernel < 0 || linked + byKernel == 0 ? Double.NaN : linked / (linked + byKernel);
    }
}
