// SPDX-License-Identifier: Apache-2.0
package io.accel.metrics.meters;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The alerts and the dashboard in the samples ask for metrics, labels and values that the page of metrics has. */
class SampleMonitoringTest {
    private static final Path SAMPLES = Path.of("..", "..", "samples");
    private static final Set<String> OF_PROMETHEUS = Set.of("job", "instance");

    private static final Pattern SELECTOR = Pattern.compile("\\b(accel_[a-z_]+)(?:\\{([^}]*)})?");
    private static final Pattern LABEL = Pattern.compile("(\\w+)(=~|!~|!=|=)\"([^\"]*)\"");
    private static final Pattern GROUPING = Pattern.compile("\\b(?:by|on) \\(([^)]*)\\)");
    private static final Pattern SHOWN_BY_ALERT = Pattern.compile("\\$labels\\.(\\w+)");
    private static final Pattern SHOWN_BY_PANEL = Pattern.compile("\\{\\{(\\w+)}}");

    /** The page that is served: the values by label by metric. */
    private static final Map<String, Map<String, Set<String>>> SERVED = new TreeMap<>();

    /** An expression, and the shown part of its result. */
    private record Query(String name, String expression, Set<String> shown) {
        @Override
        public String toString() {
            return name;
        }
    }

    @BeforeAll
    static void readPage() throws IOException {
        PrometheusFamilies families = new PrometheusFamilies();
        AccelMeters.describe(families);
        String page = new String(families.page(null).bytes(), StandardCharsets.UTF_8);
        page.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            Matcher series = SELECTOR.matcher(line);
            assertThat(series.lookingAt()).as(line).isTrue();
            Map<String, Set<String>> labels = SERVED.computeIfAbsent(series.group(1), unused -> new HashMap<>());
            for (Matcher label = labelsOf(series); label.find(); ) {
                labels.computeIfAbsent(label.group(1), unused -> new TreeSet<>())
                        .add(label.group(3));
            }
        });
    }

    @ParameterizedTest
    @MethodSource("alerts")
    void anAlertAsksForWhatThereIs(Query alert) {
        assertThat(problems(alert)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("panels")
    void aPanelAsksForWhatThereIs(Query panel) {
        assertThat(problems(panel)).isEmpty();
    }

    @Test
    void theDashboardShowsMostOfIt() throws IOException {
        Set<String> asked = new TreeSet<>();
        for (Query panel : panels()) {
            for (Matcher selector = SELECTOR.matcher(panel.expression()); selector.find(); ) {
                asked.add(selector.group(1));
            }
        }
        assertThat(asked).hasSizeGreaterThanOrEqualTo(18);
    }

    @Test
    void alertsAreAsPrometheusTakesThem() throws IOException {
        List<Map<?, ?>> rules = rules();
        assertThat(rules).hasSizeGreaterThanOrEqualTo(7).allSatisfy(rule -> {
            assertThat(Set.of("alert", "expr", "for", "labels", "annotations")).containsAll(strings(rule.keySet()));
            assertThat(text(rule, "alert")).matches("Accel[A-Za-z]+");
            assertThat(text(rule, "expr")).isNotBlank();
            if (rule.containsKey("for")) {
                assertThat(text(rule, "for")).matches("[1-9]\\d*[smh]");
            }
            assertThat(text((Map<?, ?>) rule.get("labels"), "severity")).isIn("warning", "info");
            Map<?, ?> annotations = (Map<?, ?>) rule.get("annotations");
            assertThat(strings(annotations.keySet())).containsExactlyInAnyOrder("summary", "description");
            assertThat(text(annotations, "summary")).isNotBlank().hasLineCount(1);
            assertThat(text(annotations, "description")).isNotBlank().hasLineCount(1);
        });
        assertThat(rules).extracting(rule -> text(rule, "alert")).doesNotHaveDuplicates();
    }

    @Test
    void thePageOfDocumentationHasAllAlerts() throws IOException {
        String documentation = Files.readString(Path.of("..", "..", "docs", "METRICS.md"));
        assertThat(rules()).allSatisfy(rule -> assertThat(documentation).contains("| `" + text(rule, "alert") + "` |"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "accel_byte_total",
                "rate(accel_stalls_seconds[5m])",
                "accel_bytes_total{way=\"in\"}",
                "accel_fallbacks_total{actionable=\"yes\"}",
                "accel_wait_sleeps_total{why=~\"idle|vain\"}",
                "sum by (reason) (accel_bytes_total)",
                "sum by (path) (accel_bytes_total",
                "up"
            })
    void aMistakeWouldBeFound(String expression) {
        assertThat(problems(new Query("a mistake", expression, Set.of()))).hasSize(1);
    }

    @Test
    void aLabelThatIsShownAndNotThereWouldBeFound() {
        assertThat(problems(new Query("a mistake", "sum by (path) (accel_bytes_total)", Set.of("direction"))))
                .hasSize(1);
    }

    static List<Query> alerts() throws IOException {
        List<Query> alerts = new ArrayList<>();
        for (Map<?, ?> rule : rules()) {
            String shown = String.valueOf(rule.get("annotations"));
            alerts.add(new Query(text(rule, "alert"), text(rule, "expr"), all(SHOWN_BY_ALERT, shown)));
        }
        return alerts;
    }

    static List<Query> panels() throws IOException {
        List<Query> panels = new ArrayList<>();
        for (Map<?, ?> panel : maps(load("grafana/accel.json").get("panels"))) {
            for (Map<?, ?> target : maps(panel.get("targets"))) {
                String legend = String.valueOf(target.get("legendFormat"));
                panels.add(new Query(text(panel, "title"), text(target, "expr"), all(SHOWN_BY_PANEL, legend)));
            }
        }
        return panels;
    }

    private static List<Map<?, ?>> rules() throws IOException {
        List<Map<?, ?>> rules = new ArrayList<>();
        for (Map<?, ?> group : maps(load("prometheus/accel-alerts.yml").get("groups"))) {
            assertThat(text(group, "name")).isNotBlank();
            rules.addAll(maps(group.get("rules")));
        }
        return rules;
    }

    /** The mistakes in a query, in words. */
    private static List<String> problems(Query query) {
        List<String> problems = new ArrayList<>();
        Set<String> known = new HashSet<>(OF_PROMETHEUS);
        Matcher selector = SELECTOR.matcher(query.expression());
        boolean asks = false;
        while (selector.find()) {
            asks = true;
            Map<String, Set<String>> labels = SERVED.get(selector.group(1));
            if (labels == null) {
                problems.add("no metric " + selector.group(1));
                continue;
            }
            known.addAll(labels.keySet());
            for (Matcher label = labelsOf(selector); label.find(); ) {
                if (!OF_PROMETHEUS.contains(label.group(1)) && !isServed(labels, label)) {
                    problems.add(selector.group(1) + " is never " + label.group());
                }
            }
        }
        if (!asks) {
            problems.add("nothing is asked of Accel");
        }
        if (count(query.expression(), '(') != count(query.expression(), ')')) {
            problems.add("parentheses do not match");
        }
        Set<String> grouped = all(GROUPING, query.expression());
        for (String label : grouped) {
            if (!known.contains(label)) {
                problems.add("nothing has a label " + label);
            }
        }
        Set<String> left = grouped.isEmpty() ? known : grouped;
        for (String label : query.shown()) {
            if (!left.contains(label)) {
                problems.add("the result has no label " + label);
            }
        }
        return problems;
    }

    private static boolean isServed(Map<String, Set<String>> labels, Matcher label) {
        Set<String> values = labels.getOrDefault(label.group(1), Set.of());
        return label.group(2).endsWith("~")
                ? Pattern.compile("\\|").splitAsStream(label.group(3)).allMatch(values::contains)
                : values.contains(label.group(3));
    }

    private static Matcher labelsOf(Matcher selector) {
        return LABEL.matcher(selector.group(2) == null ? "" : selector.group(2));
    }

    private static Set<String> all(Pattern pattern, String text) {
        Set<String> all = new TreeSet<>();
        for (Matcher found = pattern.matcher(text); found.find(); ) {
            all.addAll(List.of(found.group(1).split(", ")));
        }
        return all;
    }

    private static long count(String text, char wanted) {
        return text.chars().filter(each -> each == wanted).count();
    }

    /** JSON is YAML. */
    private static Map<?, ?> load(String file) throws IOException {
        String text = Files.readString(SAMPLES.resolve(file));
        return (Map<?, ?>) new Load(LoadSettings.builder().setLabel(file).build()).loadFromString(text);
    }

    private static List<Map<?, ?>> maps(Object list) {
        List<Map<?, ?>> maps = new ArrayList<>();
        if (list != null) {
            ((List<?>) list).forEach(each -> maps.add((Map<?, ?>) each));
        }
        return maps;
    }

    private static Set<String> strings(Set<?> keys) {
        Set<String> strings = new TreeSet<>();
        keys.forEach(key -> strings.add((String) key));
        return strings;
    }

    private static String text(Map<?, ?> map, String key) {
        return (String) map.get(key);
    }
}
