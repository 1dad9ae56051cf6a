package io.accel.samples.perf;

import java.util.List;
import java.util.Locale;

/** Draws a bar for each path of one case, as long as its figure is large: the longest fills the row. */
final class BarChart {
    private BarChart() {}

    /** The rows are those of one case, and are measured by the same thing. */
    static String draw(BarMeasure measure, List<Row> rows) {
        double longest = rows.stream()
                .mapToDouble(measure::value)
                .filter(value -> value > 0)
                .max()
                .orElse(1);
        StringBuilder html = new StringBuilder("<ul class=\"bars\">\n");
        for (Row row : rows) {
            double value = measure.value(row);
            html.append(String.format(
                    Locale.ROOT,
                    "<li class=\"%s\" data-path=\"%s\" data-value=\"%s\"><span class=\"name\">%s</span>"
                            + "<span class=\"track\"><span class=\"bar\" style=\"width:%.3f%%\"></span></span>"
                            + "<span class=\"value\">%s%s</span></li>%n",
                    Html.colour(row.path()),
                    Html.label(row),
                    value,
                    Html.label(row),
                    value > 0 ? 100 * value / longest : 0,
                    Html.text(measure.words(row)),
                    against(row)));
        }
        return html.append("</ul>\n").toString();
    }

    private static String against(Row row) {
        boolean compared = !row.profile().equals("none") && Double.isFinite(row.vsKernel());
        return compared ? " <b title=\"times better than the kernel\">" + Quantity.times(row.vsKernel()) + "</b>" : "";
    }
}
