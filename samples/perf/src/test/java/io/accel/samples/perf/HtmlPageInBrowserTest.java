// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Looks at the page as a reader does: in a browser, wide and narrow, light and dark. */
@Tag("browser")
@Timeout(180)
class HtmlPageInBrowserTest {
    private static final double READABLE = 4.5;
    private static final double VISIBLE = 3;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({"1360, false", "1360, true", "520, false"})
    void thePageShowsWhatWasMeasured(int width, boolean dark) throws Exception {
        Result result = SampleResult.everyCase();
        Path page = directory.resolve("page.html");
        String html = HtmlPrinter.print(
                result, Map.of("Processors", "4 of <Some & Co>", "System", "Linux"), List.of("A note."));
        Files.writeString(page, html.replace("</body>", "<script type=\"module\">" + probe() + "</script></body>"));
        Chromium chromium = new Chromium(directory);
        JsonObject facts = factsIn(chromium.elementsOf(page, width, dark));

        assertThat(facts.getAsJsonArray("loaded")).as("what else it loaded").isEmpty();
        assertThat(facts.get("scrollWidth").getAsInt())
                .as("wider than its window")
                .isLessThanOrEqualTo(facts.get("width").getAsInt());
        checkCurves(facts, result);
        checkBars(facts, result);
        checkTable(facts, result);
        for (JsonElement word : facts.getAsJsonArray("words")) {
            assertThat(word.getAsJsonObject().get("contrast").getAsDouble())
                    .as(word.toString())
                    .isGreaterThanOrEqualTo(READABLE);
        }
        assertThat(facts.get("tip").getAsString().lines().toList())
                .hasSize(2)
                .first()
                .asString()
                .matches("p9\\d\\.\\d+");
        assertThat(facts.get("tipHidden").getAsBoolean()).isTrue();

        Path png = directory.resolve("page.png");
        chromium.picture(page, png, width, dark);
        int corner = ImageIO.read(png.toFile()).getRGB(2, 2) & 0xff;
        assertThat(corner < 128).as("dark").isEqualTo(dark);
    }

    @ParameterizedTest
    @CsvSource({"1360, FOUR_BY_FOUR", "1360, STREAM_64K", "520, PINGPONG"})
    void oneCaseFillsThePage(int width, BenchCase benchCase) throws Exception {
        Result result = SampleResult.of(benchCase);
        Path page = directory.resolve("one.html");
        String html = HtmlPrinter.print(result, Map.of("Processors", "2"), List.of());
        Files.writeString(page, html.replace("</body>", "<script type=\"module\">" + probe() + "</script></body>"));
        JsonObject facts = factsIn(new Chromium(directory).elementsOf(page, width, false));

        double room = facts.get("mainWidth").getAsDouble();
        List<JsonObject> figures = new ArrayList<>(objects(facts, "charts"));
        figures.addAll(objects(facts, "bars"));
        assertThat(figures).isNotEmpty().allSatisfy(figure -> assertThat(width(figure.getAsJsonObject("frame")))
                .isCloseTo(room, within(2.0)));
        for (JsonObject chart : objects(facts, "charts")) {
            checkLabels(chart);
            JsonObject drawing = chart.getAsJsonObject("drawing");
            assertThat(side(drawing, "bottom") - side(drawing, "top"))
                    .as("height")
                    .isLessThan(600);
        }
        assertThat(facts.get("scrollWidth").getAsInt())
                .isLessThanOrEqualTo(facts.get("width").getAsInt());
    }

    private static void checkCurves(JsonObject facts, Result result) {
        Map<String, List<String>> seen = new LinkedHashMap<>();
        for (JsonObject chart : objects(facts, "charts")) {
            List<String> paths = seen.computeIfAbsent(chart.get("benchCase").getAsString(), name -> new ArrayList<>());
            checkLabels(chart);
            JsonObject drawing = chart.getAsJsonObject("drawing");
            for (JsonObject curve : objects(chart, "curves")) {
                paths.add(curve.get("path").getAsString());
                assertThat(curve.get("length").getAsDouble()).isGreaterThan(100);
                assertThat(curve.get("contrast").getAsDouble()).isGreaterThanOrEqualTo(VISIBLE);
                assertThat(inside(curve.getAsJsonObject("frame"), drawing)).isTrue();
                checkOrder(curve);
            }
            for (JsonObject dot : objects(chart, "dots")) {
                assertThat(inside(dot, drawing)).isTrue();
            }
            if (!chart.getAsJsonArray("dots").isEmpty()) {
                paths.add("dots");
            }
        }
        Map<String, List<String>> expected = new LinkedHashMap<>();
        result.rows().stream().filter(LatencyChart::shows).forEach(row -> expected.computeIfAbsent(
                        row.benchCase(), name -> new ArrayList<>())
                .add(row.latencies().isEmpty() ? "dots" : label(row)));
        assertThat(seen).isEqualTo(expected).hasSizeGreaterThan(4);
    }

    /** To the right and upwards (which on a screen is less), figures and places alike, the first one at the median. */
    private static void checkOrder(JsonObject curve) {
        JsonArray points = curve.getAsJsonArray("points");
        JsonArray places = curve.getAsJsonArray("places");
        assertThat(places).hasSameSizeAs(points).hasSizeGreaterThan(30);
        assertThat(at(points, 0, 0)).isEqualTo(50);
        for (int i = 1; i < points.size(); i++) {
            assertThat(at(points, i, 0)).isGreaterThan(at(points, i - 1, 0));
            assertThat(at(points, i, 1)).isGreaterThanOrEqualTo(at(points, i - 1, 1));
            assertThat(at(places, i, 0)).isGreaterThan(at(places, i - 1, 0));
            assertThat(at(places, i, 1)).isLessThanOrEqualTo(at(places, i - 1, 1));
        }
    }

    private static void checkBars(JsonObject facts, Result result) {
        List<String> seen = new ArrayList<>();
        for (JsonObject panel : objects(facts, "bars")) {
            checkLabels(panel);
            List<JsonObject> bars = objects(panel, "bars");
            double longest = bars.stream()
                    .mapToDouble(bar -> bar.get("value").getAsDouble())
                    .max()
                    .orElseThrow();
            for (JsonObject bar : bars) {
                // Its own figure's ratio, not the worse ratio of the tail that the words name.
                assertThat(bar.get("ratio").getAsString()).isIn("", "30.0x", "1.00x", "1.50x");
                if (bar.get("ratio").getAsString().equals("30.0x")
                        && !bar.get("path").getAsString().equals("rdma, latency")) {
                    assertThat(bar.get("words").getAsString()).contains("slower: p99 2.50x as long");
                }
                seen.add(panel.get("benchCase").getAsString()
                        + ' '
                        + bar.get("path").getAsString());
                double room = width(bar.getAsJsonObject("track"));
                assertThat(width(bar.getAsJsonObject("bar")))
                        .as(bar.toString())
                        .isCloseTo(Math.max(1, room * bar.get("value").getAsDouble() / longest), within(1.5));
                assertThat(bar.get("contrast").getAsDouble()).isGreaterThanOrEqualTo(VISIBLE);
            }
        }
        assertThat(seen)
                .containsExactlyInAnyOrderElementsOf(result.rows().stream()
                        .map(row -> row.benchCase() + ' ' + label(row))
                        .toList());
    }

    private static void checkTable(JsonObject facts, Result result) {
        JsonArray lines = facts.getAsJsonArray("table");
        assertThat(lines).hasSize(result.rows().size() + 1);
        for (int i = 0; i < result.rows().size(); i++) {
            Row row = result.rows().get(i);
            JsonArray line = lines.get(i + 1).getAsJsonArray();
            assertThat(line.get(0).getAsString()).isEqualTo(row.benchCase());
            assertThat(line.get(1).getAsString()).isEqualTo(row.path());
            assertThat(line.get(3).getAsString())
                    .isEqualTo(Quantity.micros(row.figures().p50Micros()));
        }
    }

    private static void checkLabels(JsonObject chart) {
        List<JsonObject> labels = objects(chart, "labels");
        assertThat(labels).hasSizeGreaterThan(3);
        for (int i = 0; i < labels.size(); i++) {
            assertThat(width(labels.get(i))).as(labels.get(i).toString()).isPositive();
            for (int j = 0; j < i; j++) {
                assertThat(overlap(labels.get(i), labels.get(j)))
                        .as(labels.get(i) + " over " + labels.get(j))
                        .isFalse();
            }
        }
    }

    private static boolean overlap(JsonObject a, JsonObject b) {
        double touching = 0.5;
        return side(a, "left") < side(b, "right") - touching
                && side(b, "left") < side(a, "right") - touching
                && side(a, "top") < side(b, "bottom") - touching
                && side(b, "top") < side(a, "bottom") - touching;
    }

    private static boolean inside(JsonObject inner, JsonObject outer) {
        double stroke = 3;
        return side(inner, "left") >= side(outer, "left") - stroke
                && side(inner, "right") <= side(outer, "right") + stroke
                && side(inner, "top") >= side(outer, "top") - stroke
                && side(inner, "bottom") <= side(outer, "bottom") + stroke;
    }

    private static double side(JsonObject box, String side) {
        return box.get(side).getAsDouble();
    }

    private static double width(JsonObject box) {
        return side(box, "right") - side(box, "left");
    }

    private static double at(JsonArray pairs, int index, int member) {
        return pairs.get(index).getAsJsonArray().get(member).getAsDouble();
    }

    private static List<JsonObject> objects(JsonObject facts, String name) {
        return StreamSupport.stream(facts.getAsJsonArray(name).spliterator(), false)
                .map(JsonElement::getAsJsonObject)
                .toList();
    }

    private static String label(Row row) {
        return row.profile().equals("none") ? row.path() : row.path() + ", " + row.profile();
    }

    private static JsonObject factsIn(String elements) {
        Matcher facts = Pattern.compile("<script type=\"application/json\" id=\"facts\">(.*?)</script>", Pattern.DOTALL)
                .matcher(elements);
        assertThat(facts.find()).as("probe.js ran to its end").isTrue();
        return JsonParser.parseString(facts.group(1)).getAsJsonObject();
    }

    private static String probe() throws Exception {
        try (InputStream script = HtmlPageInBrowserTest.class.getResourceAsStream("probe.js")) {
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
