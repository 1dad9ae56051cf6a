// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Writes a result as one page that needs nothing else: curves of latency, bars of throughput, the table of all figures, and
 * the machine.
 */
final class HtmlPrinter {
    private HtmlPrinter() {}

    /**
     * @param machine a description of the machine of the measurement
     * @param notes sentences about the method
     */
    static String print(Result result, Map<String, String> machine, List<String> notes) throws IOException {
        String page;
        try (InputStream template = HtmlPrinter.class.getResourceAsStream("comparison.html")) {
            if (template == null) {
                throw new IOException("this program was built without its page, comparison.html");
            }
            page = new String(template.readAllBytes(), StandardCharsets.UTF_8);
        }
        return page.replace("{summary}", Html.text(Sentence.brief(result)))
                .replace("{failures}", failures(result))
                .replace("{machine}", machine(machine))
                .replace("{latency}", latency(result.rows()))
                .replace("{throughput}", throughput(result.rows()))
                .replace("{table}", table(result.rows()))
                .replace(
                        "{notes}",
                        notes.stream()
                                .map(note -> "<p>" + Html.text(note) + "</p>\n")
                                .collect(Collectors.joining()));
    }

    private static String failures(Result result) {
        return result.failures().stream()
                .map(failure -> "<p class=\"failure\"><b>Failed:</b> " + Html.text(failure.toString()) + "</p>\n")
                .collect(Collectors.joining());
    }

    private static String machine(Map<String, String> machine) {
        return machine.entrySet().stream()
                .map(fact -> "<div><dt>" + Html.text(fact.getKey()) + "</dt><dd>" + Html.text(fact.getValue())
                        + "</dd></div>\n")
                .collect(Collectors.joining());
    }

    private static String latency(List<Row> all) {
        List<Row> rows = all.stream().filter(LatencyChart::shows).toList();
        Map<String, List<Row>> cases = byCase(rows);
        LatencyChart chart = new LatencyChart(rows, cases.size() == 1);
        StringBuilder html = new StringBuilder();
        cases.forEach((name, ofCase) -> html.append("<figure data-case=\"" + Html.text(name) + "\">")
                .append(heading(name, null))
                .append("<ul class=\"legend\">\n")
                .append(ofCase.stream()
                        .map(row -> Html.legend(
                                row, "p50 " + Quantity.micros(row.figures().p50Micros()) + " µs"))
                        .collect(Collectors.joining()))
                .append("</ul>\n")
                .append(chart.draw(name, ofCase))
                .append("</figure>\n"));
        return rows.isEmpty() ? "<p>No measured case has a latency.</p>" : html.toString();
    }

    private static String throughput(List<Row> all) {
        StringBuilder html = new StringBuilder();
        byCase(all).forEach((name, ofCase) -> {
            Map<BarMeasure, List<Row>> measures = new LinkedHashMap<>();
            ofCase.forEach(row -> measures.computeIfAbsent(BarMeasure.of(row), measure -> new ArrayList<>())
                    .add(row));
            measures.forEach((measure, rows) -> html.append("<figure data-case=\"" + Html.text(name) + "\">")
                    .append(heading(name, measure))
                    .append(BarChart.draw(measure, rows))
                    .append("</figure>\n"));
        });
        return html.toString();
    }

    private static String heading(String name, BarMeasure measure) {
        String what = measure == null ? Titles.of(name) : measure.title;
        return "<figcaption><h3>" + Html.text(name) + "</h3><p>" + Html.text(what) + "</p></figcaption>\n";
    }

    private static Map<String, List<Row>> byCase(List<Row> rows) {
        return rows.stream().collect(Collectors.groupingBy(Row::benchCase, LinkedHashMap::new, Collectors.toList()));
    }

    private static String table(List<Row> rows) {
        StringBuilder html = new StringBuilder("<thead><tr>");
        List<TablePrinter.Column> columns = TablePrinter.columns(rows);
        columns.forEach(column -> html.append(column.text() ? "<th class=\"text\">" : "<th>")
                .append(Html.text(column.head()))
                .append("</th>"));
        html.append("</tr></thead>\n<tbody>\n");
        for (Row row : rows) {
            html.append("<tr>");
            columns.forEach(column -> html.append(column.text() ? "<td class=\"text\">" : "<td>")
                    .append(Html.text(column.cell().apply(row)))
                    .append("</td>"));
            html.append("</tr>\n");
        }
        return html.append("</tbody>").toString();
    }
}
