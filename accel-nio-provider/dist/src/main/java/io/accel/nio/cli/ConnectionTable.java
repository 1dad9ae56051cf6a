// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import io.accel.core.observe.ConnectionSample;
import io.accel.core.observe.Figure;
import io.accel.core.observe.Figures;
import io.accel.core.observe.ProcessSample;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The connections of a process as a table, with as many columns and rows as fit. */
final class ConnectionTable {
    private static final String GAP = "  ";
    /** The rows of the smallest table: a head, a connection, and the number of the others. */
    private static final int LEAST_ROWS = 3;
    /** The divisor of the width that gives the widest cell of an address or a reason. */
    private static final int WIDEST = 3;

    /** The column of lost datagrams, which is left out while there are none. */
    private static final String LOST = "LOST";

    /**
     * A column; a narrow screen shows the columns of the lowest rank first.
     *
     * @param rank its importance
     * @param kernel whether it has a value for a connection on the kernel's path, too
     */
    private record Column(String head, int rank, boolean kernel, Function<ConnectionSample, String> cell) {
        boolean isNumber() {
            return !kernel;
        }
    }

    private static final List<Column> COLUMNS = List.of(
            fact("ID", 9, connection -> Long.toString(connection.id())),
            fact("ROLE", 7, ConnectionSample::role),
            fact("PATH", 0, ConnectionSample::path),
            fact("STATE", 11, ConnectionSample::state),
            fact("LOCAL", 6, ConnectionSample::local),
            fact("REMOTE", 1, ConnectionSample::remote),
            figure("IN", 2, connection -> Quantity.bytes(get(connection, Figure.BYTES_IN))),
            figure("MSGS", 12, connection -> Quantity.count(get(connection, Figure.MESSAGES_IN))),
            figure("OUT", 3, connection -> Quantity.bytes(get(connection, Figure.BYTES_OUT))),
            figure("MSGS", 13, connection -> Quantity.count(get(connection, Figure.MESSAGES_OUT))),
            figure("UNREAD", 8, connection -> Quantity.bytes(connection.queuedIn())),
            figure("UNACKED", 14, connection -> Quantity.bytes(connection.queuedOut())),
            figure(LOST, 3, connection -> Quantity.count(get(connection, Figure.LOST_IN))),
            figure("STALLS", 10, connection -> Quantity.count(get(connection, Figure.STALLS))),
            figure(
                    "STALLED",
                    5,
                    connection -> Quantity.duration(get(connection, Figure.STALL_NANOS) + connection.stalledNanos())),
            figure(
                    "HITS",
                    16,
                    connection -> Quantity.share(get(connection, Figure.HITS), get(connection, Figure.LOOKS))),
            figure(
                    "BELLS",
                    15,
                    connection -> Quantity.count(get(connection, Figure.RINGS_OUT)) + "/"
                            + Quantity.count(get(connection, Figure.RINGS_IN))),
            fact("REASON", 4, ConnectionSample::reason));

    private ConnectionTable() {}

    private static Column fact(String head, int rank, Function<ConnectionSample, String> cell) {
        return new Column(head, rank, true, cell);
    }

    private static Column figure(String head, int rank, Function<ConnectionSample, String> cell) {
        return new Column(head, rank, false, cell);
    }

    private static long get(ConnectionSample connection, Figure figure) {
        Figures figures = connection.figures();
        return figures.get(figure);
    }

    /** Returns the number of lines of the whole table. */
    static int height(ProcessSample sample) {
        return 1 + sample.connections().size() + (sample.omitted() > 0 ? 1 : 0);
    }

    /** Whether there is anything to show in a table. */
    static boolean isTable(ProcessSample sample) {
        return !sample.connections().isEmpty();
    }

    /** Returns at most {@code height} lines, each of at most {@code width} characters. */
    static List<String> lines(ProcessSample sample, int width, int height) {
        int all = sample.connections().size() + sample.omitted();
        List<String> lines = new ArrayList<>();
        if (height < 1) {
            return lines;
        }
        boolean fits = height(sample) <= height;
        if (all == 0 || (!fits && height < LEAST_ROWS)) {
            lines.add(GAP + (all == 0 ? "no connections" : all + (all == 1 ? " connection" : " connections")));
            return lines;
        }
        List<ConnectionSample> shown =
                fits ? sample.connections() : sample.connections().subList(0, height - 2);
        lines.addAll(rows(shown, width));
        if (shown.size() < all) {
            lines.add(GAP + "and " + (all - shown.size()) + " more");
        }
        return lines;
    }

    private static List<String> rows(List<ConnectionSample> connections, int width) {
        boolean lost = connections.stream().anyMatch(connection -> get(connection, Figure.LOST_IN) > 0);
        List<Column> columns = COLUMNS.stream()
                .filter(column -> lost || !column.head().equals(LOST))
                .toList();
        List<List<String>> rows = new ArrayList<>();
        rows.add(columns.stream().map(Column::head).toList());
        for (ConnectionSample connection : connections) {
            rows.add(columns.stream()
                    .map(column -> cut(cell(column, connection), column, width / WIDEST))
                    .toList());
        }
        int[] widths = new int[columns.size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        boolean[] shown = choose(columns, widths, width);
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                if (shown[i]) {
                    String pad = " ".repeat(widths[i] - row.get(i).length());
                    boolean isNumber = columns.get(i).isNumber();
                    line.append(GAP).append(isNumber ? pad + row.get(i) : row.get(i) + pad);
                }
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }

    private static boolean[] choose(List<Column> columns, int[] widths, int width) {
        boolean[] shown = new boolean[widths.length];
        int left = width;
        for (int rank = 0; rank < widths.length; rank++) {
            for (int i = 0; i < widths.length; i++) {
                int takes = GAP.length() + widths[i];
                if (columns.get(i).rank() == rank && takes <= left) {
                    shown[i] = true;
                    left -= takes;
                }
            }
        }
        return shown;
    }

    private static String cell(Column column, ConnectionSample connection) {
        boolean onlyKernelKnows = !column.kernel() && connection.path().equals("kernel");
        return onlyKernelKnows ? "-" : column.cell().apply(connection);
    }

    /** Cuts a cell to the widest. An address keeps its end, which is the port. */
    private static String cut(String cell, Column column, int widest) {
        if (cell.length() <= widest) {
            return cell;
        }
        return column.head().equals("REASON")
                ? cell.substring(0, widest - 1) + "~"
                : "~" + cell.substring(cell.length() - widest + 1);
    }
}
