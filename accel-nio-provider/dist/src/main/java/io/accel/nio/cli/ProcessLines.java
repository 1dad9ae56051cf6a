// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import io.accel.core.observe.ProcessSample;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The lines about a process other than its connections: its name, and paragraphs about its work, the most important ones first. */
final class ProcessLines {
    private static final String STATE = "upgrade.state.";
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss");
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");

    private ProcessLines() {}

    /**
     * Returns the process's number, host, command and start; in containers several processes have the number 1.
     *
     * @param longest the most characters of the command, which is cut at its beginning, since the name of the class is at its end
     */
    static String head(Seen seen, int longest) {
        ProcessSample sample = seen.sample();
        StringBuilder line = new StringBuilder().append(sample.pid());
        if (!sample.host().isEmpty()) {
            line.append(' ').append(sample.host());
        }
        String command = sample.command();
        line.append(' ')
                .append(
                        command.length() <= longest
                                ? command
                                : "~" + command.substring(command.length() - longest + 1));
        if (!seen.user().equals(System.getProperty("user.name"))) {
            line.append(" of ").append(seen.user());
        }
        if (sample.startedMillis() > 0) {
            line.append(" since ")
                    .append(start(sample))
                    .append(", up ")
                    .append(Quantity.duration((sample.takenMillis() - sample.startedMillis()) * 1_000_000));
        }
        return line.append(", profile ").append(sample.profile()).toString();
    }

    private static String start(ProcessSample sample) {
        ZonedDateTime start = Instant.ofEpochMilli(sample.startedMillis()).atZone(ZoneId.systemDefault());
        return start.format(start.toLocalDate().equals(LocalDate.now(ZoneId.systemDefault())) ? TIME : DATE);
    }

    static List<String> details(ProcessSample sample) {
        List<String> lines = new ArrayList<>();
        lines.add("  in %s in %s messages, out %s in %s; stalled %s times for %s; reset %d by peers, %d by itself"
                .formatted(
                        Quantity.bytes(sample.sum("bytes.in.")),
                        Quantity.count(sample.sum("messages.in.")),
                        Quantity.bytes(sample.sum("bytes.out.")),
                        Quantity.count(sample.sum("messages.out.")),
                        Quantity.count(sample.sum("stalls.")),
                        Quantity.duration(sample.sum("stall.nanos.")),
                        sample.sum("resets.in."),
                        sample.sum("resets.out.")));
        addSome(lines, sample, "fallbacks.", "  through the kernel:");
        lines.add(
                ("  pollers looked %s times and found traffic %s, slept %s times, woke %s; doorbells %s rung, %s heard; rings %s,"
                                + " registered %s")
                        .formatted(
                                Quantity.count(sample.sum("poll.turns")),
                                Quantity.share(sample.sum("poll.hits"), sample.sum("poll.turns")),
                                Quantity.count(sample.sum("poll.sleeps")),
                                Quantity.count(sample.sum("poll.wakeups")),
                                Quantity.count(sample.sum("doorbells.out.")),
                                Quantity.count(sample.sum("doorbells.in.")),
                                Quantity.bytes(sample.sum("memory.rings.")),
                                Quantity.bytes(sample.sum("memory.registered"))));
        addWaiting(lines, sample);
        addUpgrades(lines, sample);
        addSome(lines, sample, "drops.", "  dropped:");
        return lines;
    }

    private static void addWaiting(List<String> lines, ProcessSample sample) {
        if (sample.sum("wait.") != 0) {
            lines.add(
                    ("  kept waiting for a core %s times for %s, found cores crowded %s times; slept %s times after looking in vain,"
                                    + " at once %s because crowded, %s unpromising, %s without a core to spare; handed over %s")
                            .formatted(
                                    Quantity.count(sample.sum("wait.delays")),
                                    Quantity.duration(sample.sum("wait.delay.nanos")),
                                    Quantity.count(sample.sum("wait.crowded")),
                                    Quantity.count(sample.sum("wait.sleeps.in-vain")),
                                    Quantity.count(sample.sum("wait.sleeps.crowded")),
                                    Quantity.count(sample.sum("wait.sleeps.unpromising")),
                                    Quantity.count(sample.sum("wait.sleeps.no-core")),
                                    Quantity.count(sample.sum("wait.handovers"))));
        }
    }

    private static void addUpgrades(List<String> lines, ProcessSample sample) {
        if (sample.sum(STATE) != 0) {
            lines.add(
                    "  a faster path costs %s and saves %s a message, %s so far less its cost; %s were slower and given back; %s wait, gate %s"
                            .formatted(
                                    Quantity.duration(sample.sum("upgrade.price.nanos")),
                                    Quantity.duration(sample.sum("upgrade.saving.nanos")),
                                    Quantity.duration(sample.sum("upgrade.saved.nanos")),
                                    Quantity.count(sample.sum("upgrade.slower")),
                                    Quantity.count(sample.sum("upgrade.waiting")),
                                    gate(sample)));
        }
    }

    private static String gate(ProcessSample sample) {
        return sample.figures().keySet().stream()
                .filter(name -> name.startsWith(STATE))
                .map(name -> name.substring(STATE.length()).toLowerCase(Locale.ROOT))
                .findFirst()
                .orElse("unknown");
    }

    private static void addSome(List<String> lines, ProcessSample sample, String prefix, String title) {
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
            lines.add(title + line.substring(0, line.length() - 1));
        }
    }
}
