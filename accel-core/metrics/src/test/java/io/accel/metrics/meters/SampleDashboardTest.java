// SPDX-License-Identifier: Apache-2.0
package io.accel.metrics.meters;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * The dashboard has everything that Grafana needs to show it: each panel has a number and a place of its own, and refers only to
 * defined names.
 */
class SampleDashboardTest {
    private static final int COLUMNS = 24;
    /** With {@code $} alone, or in braces. */
    private static final Pattern VARIABLE = Pattern.compile("\\$(?:\\{(\\w+)}|(\\w+))");
    /** Grafana's own begin so. */
    private static final String BUILT_IN = "__";

    private static Map<?, ?> dashboard;

    @BeforeAll
    static void load() throws IOException {
        String text = Files.readString(Path.of("..", "..", "samples", "grafana", "accel.json"));
        dashboard = (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(text); // JSON is YAML
    }

    private static List<Map<String, Object>> panels() {
        return maps(dashboard.get("panels"));
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> maps(Object list) {
        return (List<Map<String, Object>>) list;
    }

    @Test
    void eachPanelHasANumberATitleAndAKind() {
        assertThat(panels())
                .extracting(panel -> panel.get("id"))
                .doesNotHaveDuplicates()
                .doesNotContainNull();
        assertThat(panels())
                .extracting(panel -> panel.get("title"))
                .doesNotHaveDuplicates()
                .doesNotContainNull();
        assertThat(panels()).extracting(panel -> panel.get("type")).containsOnly("timeseries");
        assertThat(dashboard.get("uid")).isEqualTo("accel");
        assertThat((int) dashboard.get("schemaVersion")).isGreaterThanOrEqualTo(36);
    }

    @Test
    void noPanelLiesOverAnother() {
        Set<List<Integer>> taken = new HashSet<>();
        for (Map<String, Object> panel : panels()) {
            Map<?, ?> place = (Map<?, ?>) panel.get("gridPos");
            int x = (int) place.get("x");
            int y = (int) place.get("y");
            assertThat(x + (int) place.get("w")).as("%s", panel.get("title")).isBetween(1, COLUMNS);
            for (int column = x; column < x + (int) place.get("w"); column++) {
                for (int row = y; row < y + (int) place.get("h"); row++) {
                    assertThat(taken.add(List.of(column, row)))
                            .as("%s at %d, %d", panel.get("title"), column, row)
                            .isTrue();
                }
            }
        }
    }

    @Test
    void eachQueryHasANameAndADataSource() {
        for (Map<String, Object> panel : panels()) {
            List<Map<String, Object>> targets = maps(panel.get("targets"));
            assertThat(targets).as("%s", panel.get("title")).isNotEmpty();
            assertThat(targets)
                    .extracting(target -> target.get("refId"))
                    .doesNotHaveDuplicates()
                    .doesNotContainNull();
            assertThat(targets)
                    .extracting(target -> target.get("datasource"))
                    .containsOnly(Map.of("type", "prometheus", "uid", "${datasource}"));
        }
    }

    @Test
    void eachVariableIsDefined() {
        Set<Object> defined = new HashSet<>();
        for (Map<String, Object> variable : maps(((Map<?, ?>) dashboard.get("templating")).get("list"))) {
            defined.add(variable.get("name"));
        }
        int used = 0;
        for (Matcher variable = VARIABLE.matcher(dashboard.toString()); variable.find(); used++) {
            String name = variable.group(1) != null ? variable.group(1) : variable.group(2);
            assertThat(name.startsWith(BUILT_IN) || defined.contains(name))
                    .as(name)
                    .isTrue();
        }
        assertThat(used).isGreaterThan(panels().size());
    }
}
