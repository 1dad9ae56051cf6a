package io.accel.nio.cli;

import io.accel.core.observe.ConnectionSample;
import io.accel.core.observe.Figure;
import io.accel.core.observe.Figures;
import io.accel.core.observe.ProcessSample;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Samples for people: for each process a few lines of its own, and a table of its connections. */
final class StatsTable {
    private static final List<String> HEAD = List.of(
            "ID", "ROLE", "PATH", "STATE", "LOCAL", "REMOTE", "IN", "MSGS", "OUT", "MSGS", "UNREAD", "UNACKED",
            "STALLS", "STALLED", "HITS", "BELLS", "REASON");
    /** Those from here on are numbers, but for the last. */
    private static final int NUMBERS = 6;

    private final PrintWriter out;

    StatsTable(PrintWriter out) {
        this.out = out;
    }

    void print(ProcessSample sample) {
        out.printf(
                "%d %s, profile %s, up %s%n",
                sample.pid(),
                sample.command(),
                sample.profile(),
                duration((sample.takenMillis() - sample.startedMillis()) * 1_000_000));
        out.printf(
                "  in %s in %s messages, out %s in %s; stalled %s times for %s; reset %d by peers, %d by itself%n",
                bytes(sample.sum("bytes.in.")),
                count(sample.sum("messages.in.")),
                bytes(sample.sum("bytes.out.")),
                count(sample.sum("messages.out.")),
                count(sample.sum("stalls.")),
                duration(sample.sum("stall.nanos.")),
                sample.sum("resets.in."),
                sample.sum("resets.out."));
        out.printf(
                "  pollers looked %s times and found traffic %s, slept %s times, woke %s; doorbells %s rung, %s heard;"
                        + " rings %s, registered %s%n",
                count(sample.sum("poll.turns")),
                share(sample.sum("poll.hits"), sample.sum("poll.turns")),
                count(sample.sum("poll.sleeps")),
                count(sample.sum("poll.wakeups")),
                count(sample.sum("doorbells.out.")),
                count(sample.sum("doorbells.in.")),
                bytes(sample.sum("memory.rings.")),
                bytes(sample.sum("memory.registered")));
        printWaiting(sample);
        printSome(sample, "fallbacks.", "  by the kernel:");
        printSome(sample, "drops.", "  dropped:");
        printConnections(sample);
        out.println();
    }

    private void printWaiting(ProcessSample sample) {
        if (sample.sum("wait.") != 0) {
            out.printf(
                    "  kept waiting for a core %s times for %s, found cores crowded %s times; slept %s times after looking in vain,"
                            + " at once %s because crowded, %s unpromising, %s without a core to spare; handed over %s%n",
                    count(sample.sum("wait.delays")),
                    duration(sample.sum("wait.delay.nanos")),
                    count(sample.sum("wait.crowded")),
                    count(sample.sum("wait.sleeps.in-vain")),
                    count(sample.sum("wait.sleeps.crowded")),
                    count(sample.sum("wait.sleeps.unpromising")),
                    count(sample.sum("wait.sleeps.no-core")),
                    count(sample.sum("wait.handovers")));
        }
    }

    private void printSome(ProcessSample sample, String prefix, String title) {
        StringBuilder line = new StringBuilder();
        sample.figures().forEach((name, value) -> {
            if (name.startsWith(prefix) && value != 0) {
                line.append(' ')
                        .append(name, prefix.length(), name.length())
                        .append(' ')
                        .append(value)
                        .append(',');
            }
        });
        if (line.length() > 0) {
            out.println(title + line.substring(0, line.length() - 1));
        }
    }

    private void printConnections(ProcessSample sample) {
        if (sample.connections().isEmpty()) {
            out.println("  no connections");
            return;
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(HEAD);
        sample.connections().forEach(connection -> rows.add(row(connection)));
        int[] widths = new int[HEAD.size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                boolean isNumber = i >= NUMBERS && i < widths.length - 1;
                String pad = " ".repeat(widths[i] - row.get(i).length());
                line.append("  ").append(isNumber ? pad + row.get(i) : row.get(i) + pad);
            }
            out.println(line.toString().stripTrailing());
        }
        if (sample.omitted() > 0) {
            out.println("  and " + sample.omitted() + " more");
        }
    }

    private static List<String> row(ConnectionSample connection) {
        Figures figures = connection.figures();
        List<String> row = new ArrayList<>(List.of(
                Long.toString(connection.id()),
                connection.role(),
                connection.path(),
                connection.state(),
                connection.local(),
                connection.remote()));
        if (connection.path().equals("kernel")) {
            for (int i = NUMBERS; i < HEAD.size() - 1; i++) {
                row.add("-"); // the kernel alone knows
            }
        } else {
            row.add(bytes(figures.get(Figure.BYTES_IN)));
            row.add(count(figures.get(Figure.MESSAGES_IN)));
            row.add(bytes(figures.get(Figure.BYTES_OUT)));
            row.add(count(figures.get(Figure.MESSAGES_OUT)));
            row.add(bytes(connection.queuedIn()));
            row.add(bytes(connection.queuedOut()));
            row.add(count(figures.get(Figure.STALLS)));
            row.add(duration(figures.get(Figure.STALL_NANOS) + connection.stalledNanos()));
            row.add(share(figures.get(Figure.HITS), figures.get(Figure.LOOKS)));
            row.add(count(figures.get(Figure.RINGS_OUT)) + "/" + count(figures.get(Figure.RINGS_IN)));
        }
        row.add(connection.reason());
        return row;
    }

    private static String share(long part, long whole) {
        return whole == 0 ? "-" : String.format(Locale.ROOT, "%.1f%%", 100.0 * part / whole);
    }

    static String bytes(long bytes) {
        return scaled(bytes, 1024, "B", "KiB", "MiB", "GiB", "TiB");
    }

    static String count(long count) {
        return scaled(count, 1000, "", "k", "M", "G", "T");
    }

    private static String scaled(long value, int step, String... units) {
        double scaled = value;
        int unit = 0;
        while (scaled >= step && unit < units.length - 1) {
            scaled /= step;
            unit++;
        }
        return unit == 0 ? value + units[0] : String.format(Locale.ROOT, "%.1f%s", scaled, units[unit]);
    }

    static String duration(long nanos) {
        if (nanos < 1_000_000) {
            return nanos == 0 ? "0" : nanos / 1_000 + "us";
        }
        Duration duration = Duration.ofNanos(nanos);
        if (duration.toSeconds() == 0) {
            return duration.toMillis() + "ms";
        }
        if (duration.toSeconds() < 10) {
            long tenths = duration.toMillis() / 100;
            return tenths / 10 + "." + tenths % 10 + "s";
        }
        return duration.toHours() > 0
                ? duration.toHours() + "h" + duration.toMinutesPart() + "m"
                : duration.toMinutes() > 0
                        ? duration.toMinutes() + "m" + duration.toSecondsPart() + "s"
                        : duration.toSeconds() + "s";
    }
}
