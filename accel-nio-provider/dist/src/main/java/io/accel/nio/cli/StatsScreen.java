// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import io.accel.core.observe.ProcessSample;
import java.util.ArrayList;
import java.util.List;

/**
 * Samples for people: each process has some lines of its own, and a table of its connections. Each process gets its share of the rows;
 * connections that do not fit are counted.
 *
 * @param width the most characters of a line
 * @param rows the most lines
 */
record StatsScreen(int width, int rows) {
    /** No limit. */
    static final int UNLIMITED = Integer.MAX_VALUE;

    /** The least lines at which a process's head may take more than one. */
    private static final int ROOM_FOR_HEAD = 8;
    /** The divisor of a cut line's width that gives the most characters of the command. */
    private static final int PART_OF_COMMAND = 3;

    /** The least lines at which a window repeats the heads above it. */
    private static final int LEAST_FOR_HEADS = 4;

    private static final String CONTINUED = "    ";

    /**
     * One of all lines.
     *
     * @param title the index of the line that names its process
     * @param head the index of the head of its table; -1 if it is no row of a table
     */
    private record Line(String text, int title, int head) {}

    /** Returns the number of all lines. */
    int height(List<Seen> processes) {
        return all(processes).size();
    }

    /**
     * Returns a window on all lines. Where it begins among the rows of a table, the process's name and the table's head take the place
     * of the first two lines.
     *
     * @param top the first line, from 0
     */
    List<String> window(List<Seen> processes, int top) {
        if (rows < 1) {
            return List.of();
        }
        List<Line> all = all(processes);
        int from = Math.max(0, Math.min(top, all.size() - rows));
        int to = Math.min(all.size(), from + rows);
        List<String> lines = new ArrayList<>();
        all.subList(from, to).forEach(line -> lines.add(line.text()));
        Line first = lines.isEmpty() ? null : all.get(from);
        if (first != null && first.head() >= 0 && lines.size() >= LEAST_FOR_HEADS) {
            lines.set(0, all.get(first.title()).text());
            lines.set(1, all.get(first.head()).text());
        }
        return lines;
    }

    private List<Line> all(List<Seen> processes) {
        List<Line> all = new ArrayList<>();
        for (Seen seen : processes) {
            List<String> block = new StatsScreen(width, UNLIMITED).block(seen, UNLIMITED);
            int title = all.size();
            int head = title + block.size() - ConnectionTable.height(seen.sample());
            boolean isTable = ConnectionTable.isTable(seen.sample());
            for (String line : block) {
                int row = all.size();
                all.add(new Line(cut(plain(line)), title, isTable && row > head ? head : -1));
            }
            all.add(new Line("", title, -1));
        }
        return all;
    }

    List<String> lines(List<Seen> processes) {
        List<String> lines = new ArrayList<>();
        if (rows < 1) {
            return lines;
        }
        boolean allFit = processes.size() <= rows;
        int shown = allFit ? processes.size() : rows - 1;
        int left = shown == processes.size() ? rows : rows - 1;
        for (int i = 0; i < shown; i++) {
            List<String> block = block(processes.get(i), left / (shown - i));
            left -= block.size();
            lines.addAll(block);
            if (rows == UNLIMITED) {
                lines.add("");
            }
        }
        if (!allFit) {
            lines.add("and " + (processes.size() - shown) + " more processes");
        }
        return lines.stream().map(line -> cut(plain(line))).toList();
    }

    private List<String> block(Seen seen, int height) {
        ProcessSample sample = seen.sample();
        List<String> lines = new ArrayList<>();
        List<String> head = wrapped(ProcessLines.head(seen, UNLIMITED));
        // The names are the process's own, and may be of any length.
        if (height < ROOM_FOR_HEAD || head.size() > height / 2) {
            lines.add(ProcessLines.head(seen, width / PART_OF_COMMAND));
        } else {
            lines.addAll(head);
        }
        int forTable = ConnectionTable.height(sample);
        int most = Math.max(height - lines.size() - forTable, (height - lines.size()) / 2);
        int left = Math.min(most, height - lines.size() - Math.min(forTable, 3));
        for (String detail : ProcessLines.details(sample)) {
            List<String> paragraph = wrapped(detail);
            if (paragraph.size() > left) {
                break;
            }
            lines.addAll(paragraph);
            left -= paragraph.size();
        }
        lines.addAll(ConnectionTable.lines(sample, width, height - lines.size()));
        return lines;
    }

    private List<String> wrapped(String text) {
        List<String> lines = new ArrayList<>();
        String rest = text;
        while (rest.length() > width) {
            int end = rest.lastIndexOf(' ', width);
            if (end <= CONTINUED.length()) {
                break;
            }
            lines.add(rest.substring(0, end));
            rest = CONTINUED + rest.substring(end + 1);
        }
        lines.add(rest);
        return lines;
    }

    private String cut(String line) {
        return line.length() <= width ? line : line.substring(0, width - 1) + "~";
    }

    /** Replaces control characters, as another user's process may try to write more than text to the terminal. */
    private static String plain(String line) {
        return line.codePoints()
                .map(c -> Character.isISOControl(c) || Character.getType(c) == Character.FORMAT ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
