// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Lays rows out in columns. A column is as wide as its widest entry, with text to the left and figures to the right. A column for a
 * device, or for a machine without one, is shown if a row has a value for it, and each column where all rows are of young programs.
 */
final class TablePrinter {
    /** @param always whether the column is shown even if no row has a value for it */
    record Column(String head, boolean text, boolean always, Function<Row, String> cell) {}

    private static final List<Column> COLUMNS = List.of(
            text("case", Row::benchCase),
            text("path", Row::path),
            text("profile", Row::profile),
            figure("p50 us", true, row -> Quantity.micros(row.figures().p50Micros())),
            figure("p99 us", true, row -> Quantity.micros(row.figures().p99Micros())),
            figure("p99.9 us", true, row -> Quantity.micros(row.figures().p999Micros())),
            figure("max us", false, row -> Quantity.micros(row.figures().extra().longestMicros())),
            figure("msg/s", true, row -> compact(row.figures().messagesPerSecond())),
            figure("B/s", true, row -> compact(row.figures().bytesPerSecond())),
            figure("lost", false, row -> Quantity.share(row.figures().lostShare())),
            figure("B/op", true, row -> Quantity.micros(row.figures().allocatedPerOp())),
            figure("CPU us/op", true, row -> Quantity.micros(row.figures().cpuMicrosPerOp())),
            figure("B/conn", false, row -> compact(row.figures().extra().connectionBytes())),
            figure(
                    "fd/conn",
                    false,
                    row -> Quantity.micros(row.figures().extra().connectionDescriptors())),
            figure(
                    "balance",
                    false,
                    row -> Quantity.micros(row.figures().extra().balance())),
            figure("linked", false, row -> Quantity.share(row.figures().extra().linked())),
            figure("bytes", false, row -> Quantity.share(row.figures().extra().linkedBytes())),
            done("0.5 s", 500),
            done("1 s", 1000),
            done("2 s", 2000),
            done("4 s", 4000),
            done("10 s", 10_000),
            times("x 0.5 s", 500),
            times("x 1 s", 1000),
            times("x 2 s", 2000),
            times("x 4 s", 4000),
            times("x 10 s", 10_000),
            figure(
                    "warm s",
                    false,
                    row -> YoungNotes.seconds(row.vsKernel().start().reachedSeconds())),
            figure("CPU s", false, row -> Quantity.micros(young(row).cpuSeconds())),
            figure("classes", false, row -> compact(young(row).classes())),
            figure("methods", false, row -> compact(young(row).methods())),
            figure("bytecode", false, row -> compact(young(row).bytecode())),
            figure("compilers s", false, row -> Quantity.micros(young(row).compilerSeconds())),
            figure("vs kernel", true, row -> Quantity.times(row.vsKernel().worst())),
            figure("vs rstream", false, row -> Quantity.times(row.vsRstream())),
            figure("vs raw", false, row -> Quantity.times(row.vsRaw())),
            new Column("on", true, false, Row::on),
            new Column("in words", true, false, Row::words));

    private TablePrinter() {}

    private static Column text(String head, Function<Row, String> cell) {
        return new Column(head, true, true, cell);
    }

    private static Column figure(String head, boolean always, Function<Row, String> cell) {
        return new Column(head, false, always, cell);
    }

    /** The operations of a young program by a moment. */
    private static Column done(String head, int millis) {
        return figure(head, false, row -> compact(young(row).done(millis)));
    }

    /** Their ratio to those without Accel. */
    private static Column times(String head, int millis) {
        return figure(head, false, row -> Quantity.times(row.vsKernel().start().by(millis)));
    }

    /** The columns that are shown for {@code rows}. */
    static List<Column> columns(List<Row> rows) {
        boolean allYoung =
                !rows.isEmpty() && rows.stream().allMatch(row -> young(row).isKnown());
        return COLUMNS.stream()
                .filter(column -> (column.always() && !allYoung)
                        || rows.stream().map(column.cell()).anyMatch(cell -> !cell.isEmpty() && !cell.equals("-")))
                .toList();
    }

    /** One table, or two where some of the rows are of young programs: these have figures of their own. */
    static String print(List<Row> rows) {
        Map<Boolean, List<Row>> byYouth = rows.stream()
                .collect(Collectors.partitioningBy(row -> young(row).isKnown()));
        if (byYouth.containsValue(List.of())) {
            return table(rows);
        }
        return table(byYouth.get(false)) + System.lineSeparator() + table(byYouth.get(true));
    }

    private static String table(List<Row> rows) {
        List<Column> columns = columns(rows);
        List<List<String>> lines = new ArrayList<>();
        lines.add(columns.stream().map(Column::head).toList());
        rows.forEach(row -> lines.add(
                columns.stream().map(column -> column.cell().apply(row)).toList()));
        StringBuilder table = new StringBuilder();
        for (List<String> line : lines) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < columns.size(); i++) {
                int column = i;
                int width = lines.stream()
                        .mapToInt(each -> each.get(column).length())
                        .max()
                        .orElseThrow();
                String blanks = " ".repeat(width - line.get(i).length());
                text.append(i == 0 ? "" : "  ");
                text.append(columns.get(i).text() ? line.get(i) + blanks : blanks + line.get(i));
            }
            table.append(text.toString().stripTrailing()).append(System.lineSeparator());
        }
        return table.toString();
    }

    private static Young young(Row row) {
        return row.figures().extra().young();
    }

    private static String compact(double value) {
        return Quantity.scaled(value).replace(" ", "");
    }
}
