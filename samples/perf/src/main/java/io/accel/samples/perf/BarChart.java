// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.List;
import java.util.Locale;

/** Draws a bar for each path of one case, in proportion to its figure: the longest fills the row. */
final class BarChart {
    private BarChart() {}

    /** The rows belong to one case, and have the same measure. */
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
                            + "<span class=\"value\">%s%s</span>%s</li>%n",
                    Html.colour(row),
                    Html.label(row),
                    value,
                    Html.label(row),
                    value > 0 ? 100 * value / longest : 0,
                    Html.text(measure.words(row)),
                    against(measure, row),
                    words(row)));
        }
        return html.append("</ul>\n").toString();
    }

    /** How many times better than the kernel the bar is, and in words the worst figure that it does not show. */
    private static String against(BarMeasure measure, Row row) {
        double ratio = measure.ratio(row);
        boolean compared = !row.profile().equals("none") && Double.isFinite(ratio);
        return compared
                ? " <b title=\"this figure, times better than the kernel's\">" + Quantity.times(ratio) + "</b>"
                : "";
    }

    private static String words(Row row) {
        if (row.words().isEmpty()) {
            return "";
        }
        String manner = row.vsKernel().isWorse() && !row.profile().equals("none") ? "verdict worse" : "verdict";
        return "<span class=\"" + manner + "\">" + Html.text(row.words()) + "</span>";
    }
}
