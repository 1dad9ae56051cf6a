package io.accel.samples.perf;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Asks {@code accel stats} which part of a process's open connections do not go through the kernel. */
final class LinkShare {
    private static final long PATIENCE_SECONDS = 30;
    private static final Pattern CONNECTION = Pattern.compile("\"role\":\"(?:client|server)\",\"path\":\"([^\"]*)\"");

    private LinkShare() {}

    /** From 0 to 1; NaN if it has no connection, or the process is not known. */
    static double of(Path accelJar, long pid) throws IOException, InterruptedException {
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
            return share(json);
        } finally {
            stats.destroyForcibly();
            Reaper.release(stats);
        }
    }

    /** @param json what {@code accel stats --json} prints */
    static double share(String json) {
        int all = 0;
        int linked = 0;
        for (Matcher each = CONNECTION.matcher(json); each.find(); all++) {
            linked += each.group(1).equals("kernel") ? 0 : 1;
        }
        return all == 0 ? Double.NaN : (double) linked / all;
    }
}
