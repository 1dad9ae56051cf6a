// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes a result as a table that can be pasted into a page of documentation, below a description of the machine and the method. */
final class MarkdownPrinter {
    private MarkdownPrinter() {}

    /**
     * @param machine a description of the machine of the measurement
     * @param notes sentences about the method
     */
    static String print(Result result, Map<String, String> machine, List<String> notes) {
        StringBuilder text = new StringBuilder();
        machine.forEach((fact, value) -> text.append("- ")
                .append(cell(fact))
                .append(": ")
                .append(cell(value))
                .append('\n'));
        text.append('\n');
        notes.forEach(note -> text.append(cell(note)).append('\n'));
        text.append('\n');
        List<TablePrinter.Column> columns = TablePrinter.columns(result.rows());
        text.append(line(columns.stream().map(TablePrinter.Column::head).toList()));
        text.append(line(
                columns.stream().map(column -> column.text() ? "---" : "---:").toList()));
        for (Row row : result.rows()) {
            text.append(line(columns.stream()
                    .map(column -> cell(column.cell().apply(row)))
                    .toList()));
        }
        result.failures().forEach(failure -> text.append("\nFailed: ")
                .append(cell(failure.toString()))
                .append('\n'));
        return text.toString();
    }

    private static String line(List<String> cells) {
        return cells.stream().collect(Collectors.joining(" | ", "| ", " |\n"));
    }

    /** One line, in which nothing begins or ends a cell or a tag. */
    private static String cell(String text) {
        return text.strip()
                .replaceAll("\\s+", " ")
                .replace("\\", "\\\\")
                .replace("|", "\\|")
                .replace("<", "&lt;");
    }
}
