// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/**
 * Draws, for one case, each path's latency by percentile, both logarithmic: the tail takes as much room as the rest. A
 * path with only some known percentiles is drawn as points.
 */
final class LatencyChart {
    private static final double NARROW = 440;
    private static final double LOW = 270;
    private static final double WIDE = 1240;
    private static final double HIGH = 460;
    private static final double LEFT = 46;
    private static final double RIGHT = 14;
    private static final double TOP = 12;
    private static final double BOTTOM = 43;

    private static final double[] MARKS = {50, 90, 99, 99.9, 99.99};
    private static final int POINTS = 64;

    private static final double[] PERCENTILES = DoubleStream.iterate(0, i -> i + 1)
            .limit(POINTS)
            .map(i -> 100 - 100 / (rarity(50) * Math.pow(rarity(99.99) / rarity(50), i / (POINTS - 1))))
            .toArray();

    private final double width;
    private final double height;
    private final LogScale across;
    private final LogScale up;

    /**
     * @param all the rows of all charts: they have one scale, so that they compare
     * @param alone whether there is one chart only, which then has all the room
     */
    LatencyChart(List<Row> all, boolean alone) {
        width = alone ? WIDE : NARROW;
        height = alone ? HIGH : LOW;
        across = new LogScale(rarity(50), rarity(99.99), LEFT, width - RIGHT);
        double[] values = all.stream()
                .flatMap(row -> points(row).stream().map(Point::micros))
                .mapToDouble(Double::doubleValue)
                .toArray();
        up = LogScale.around(values, height - BOTTOM, TOP);
    }

    private record Point(double percentile, double micros) {
        String at(LogScale across, LogScale up) {
            return Html.number(across.place(rarity(percentile))) + ' ' + Html.number(up.place(micros));
        }
    }

    /** Whether anything of this row's latency is known. */
    static boolean shows(Row row) {
        return !points(row).isEmpty();
    }

    /** The rows are those of one case. */
    String draw(String benchCase, List<Row> rows) {
        StringBuilder svg = new StringBuilder();
        svg.append(String.format(
                Locale.ROOT,
                "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"Latency by percentile: %s\" data-left=\"%s\""
                        + " data-right=\"%s\">%n",
                width,
                height,
                Html.text(benchCase),
                Html.number(LEFT),
                Html.number(width - RIGHT)));
        axes(svg);
        rows.stream().filter(LatencyChart::shows).forEach(row -> curve(row, svg));
        svg.append("<line class=\"hair\" y1=\"").append(Html.number(TOP)).append("\" y2=\"");
        return svg.append(Html.number(height - BOTTOM))
                .append("\" visibility=\"hidden\"/>\n</svg>\n")
                .toString();
    }

    private void axes(StringBuilder svg) {
        for (double tick : up.ticks()) {
            double y = up.place(tick);
            line(svg, LEFT, y, width - RIGHT, y);
            String label = tick >= 1 ? String.format(Locale.ROOT, "%,.0f", tick) : Double.toString(round(tick));
            word(svg, "end", LEFT - 6, y + 3.5, label);
        }
        for (double mark : MARKS) {
            double x = across.place(rarity(mark));
            line(svg, x, height - BOTTOM, x, height - BOTTOM + 4);
            String anchor = mark == MARKS[MARKS.length - 1] ? "end" : "middle";
            word(svg, anchor, "end".equals(anchor) ? width - 2 : x, height - BOTTOM + 20, "p" + trim(mark));
        }
        word(svg, "middle", (LEFT + width - RIGHT) / 2, height - 5, "percentile of the operations");
    }

    private static double round(double tick) {
        return Math.round(tick * 1e6) / 1e6;
    }

    private static void line(StringBuilder svg, double x1, double y1, double x2, double y2) {
        svg.append(String.format(
                Locale.ROOT,
                "<line class=\"grid\" x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"/>%n",
                x1,
                y1,
                x2,
                y2));
    }

    private static void word(StringBuilder svg, String anchor, double x, double y, String text) {
        svg.append(String.format(
                Locale.ROOT, "<text text-anchor=\"%s\" x=\"%.2f\" y=\"%.2f\">%s</text>%n", anchor, x, y, text));
    }

    private void curve(Row row, StringBuilder svg) {
        List<Point> points = points(row);
        String common = "class=\"" + Html.colour(row) + "\" data-path=\"" + Html.label(row) + "\"";
        if (row.latencies().isEmpty()) {
            svg.append("<g ").append(common).append(">\n");
            for (Point point : points) {
                String[] at = point.at(across, up).split(" ", -1);
                svg.append("<circle r=\"4\" cx=\"")
                        .append(at[0])
                        .append("\" cy=\"")
                        .append(at[1]);
                svg.append("\"><title>p").append(trim(point.percentile())).append(": ");
                svg.append(Quantity.micros(point.micros())).append(" µs</title></circle>\n");
            }
            svg.append("</g>\n");
            return;
        }
        List<String> places = points.stream().map(point -> point.at(across, up)).toList();
        List<String> read = points.stream()
                .map(point -> trim(point.percentile()) + ':' + Quantity.micros(point.micros()))
                .toList();
        svg.append("<path ").append(common).append(" data-points=\"").append(String.join(" ", read));
        svg.append("\" d=\"M").append(String.join("L", places)).append("\"/>\n");
    }

    private static List<Point> points(Row row) {
        List<Point> points = new ArrayList<>();
        if (row.latencies().isEmpty()) {
            Figures figures = row.figures();
            points.add(new Point(50, figures.p50Micros()));
            points.add(new Point(99, figures.p99Micros()));
            points.add(new Point(99.9, figures.p999Micros()));
        } else {
            for (double percentile : PERCENTILES) {
                points.add(new Point(percentile, row.latencies().micros(percentile)));
            }
        }
        points.removeIf(point -> !(point.micros() > 0));
        return points;
    }

    /** One operation of how many takes longer than the percentile says. */
    private static double rarity(double percentile) {
        return 100 / (100 - percentile);
    }

    private static String trim(double percentile) {
        String text = String.format(Locale.ROOT, "%.3f", percentile);
        return text.replaceFirst("\\.?0+$", "");
    }
}
