package io.accel.samples.perf;

import java.util.ArrayList;
import java.util.List;

/** Lays rows out in columns as wide as their widest entry: text to the left, figures to the right. */
final class TablePrinter {
    private static final int TEXT_COLUMNS = 3;
    private static final List<String> HEAD = List.of(
            "case",
            "path",
            "profile",
            "p50 us",
            "p99 us",
            "p99.9 us",
            "msg/s",
            "B/s",
            "B/op",
            "CPU us/op",
            "vs kernel",
            "vs raw");

    private TablePrinter() {}

    static String print(List<Row> rows) {
        List<List<String>> lines = new ArrayList<>();
        lines.add(HEAD);
        rows.forEach(row -> lines.add(cells(row)));
        int[] widths = new int[HEAD.size()];
        for (List<String> line : lines) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        StringBuilder table = new StringBuilder();
        for (List<String> line : lines) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String blanks = " ".repeat(widths[i] - line.get(i).length());
                text.append(i == 0 ? "" : "  ");
                text.append(i < TEXT_COLUMNS ? line.get(i) + blanks : blanks + line.get(i));
            }
            table.append(text.toString().stripTrailing()).append(System.lineSeparator());
        }
        return table.toString();
    }

    private static List<String> cells(Row row) {
        Figures figures = row.figures();
        return List.of(
                row.benchCase(),
                row.path(),
                row.profile(),
                Quantity.micros(figures.p50Micros()),
                Quantity.micros(figures.p99Micros()),
                Quantity.micros(figures.p999Micros()),
                compact(figures.messagesPerSecond()),
                compact(figures.bytesPerSecond()),
                Quantity.micros(figures.allocatedPerOp()),
                Quantity.micros(figures.cpuMicrosPerOp()),
                Quantity.times(row.vsKernel()),
                Quantity.times(row.vsRaw()));
    }

    private static String compact(double value) {
        return Quantity.scaled(value).replace(" ", "");
    }
}
