// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PresetChoiceTest {
    @Test
    void aProcessThatSaysNothingHasTheDefault() {
        assertThat(PresetChoice.of(null, null, null)).hasToString("profile balanced");
        assertThat(PresetChoice.of(null, " ", null)).hasToString("profile balanced");
    }

    @ParameterizedTest
    @ValueSource(strings = {"latency", "throughput", "balanced", "low-cpu", "off"})
    void thePropertyOrTheVariableNamesAPreset(String name) {
        for (PresetChoice choice : List.of(
                PresetChoice.of(name, null, null),
                PresetChoice.of(null, " " + name + " ", null),
                PresetChoice.of(name, "latency", null))) {
            assertThat(choice.name()).isEqualTo(name);
            assertThat(choice.accelerates()).isEqualTo(!name.equals("off"));
        }
    }

    @Test
    void whatIsNoPresetHasToBeRead() {
        assertThat(PresetChoice.of("balancd", null, null)).isNull();
        assertThat(PresetChoice.of("", null, null)).isNull();
        assertThat(PresetChoice.of(" off", null, null)).isNull();
        assertThat(PresetChoice.of("./my.profile", null, null)).isNull();
        assertThat(PresetChoice.of(null, "./my.profile", null)).isNull();
        assertThat(PresetChoice.of("balanced", null, "stats=false")).isNull();
        assertThat(PresetChoice.of(null, null, "")).isNull();
    }

    /** What is read later is what would have been read at once. */
    @ParameterizedTest
    @ValueSource(strings = {"latency", "throughput", "balanced", "low-cpu", "off"})
    void itIsTheProfileOfTheSystem(String name) {
        Properties properties = new Properties();
        properties.setProperty("accel.profile", name);
        Profile atOnce = Profile.from(properties, Map.of());
        Profile later = PresetChoice.of(name, null, null).get();
        assertThat(later.name()).isEqualTo(atOnce.name());
        assertThat(values(later)).isEqualTo(values(atOnce));
        assertThat(later.rules().list()).isEmpty();
        assertThat(later.get(Keys.MODE) == Mode.ACCELERATE)
                .isEqualTo(PresetChoice.of(name, null, null).accelerates());
    }

    private static Map<String, String> values(Profile profile) {
        Map<String, String> values = new HashMap<>();
        for (Setting<?> setting : profile.settings()) {
            values.put(setting.key().toString(), setting.value() + " " + setting.origin());
        }
        return values;
    }

    @Test
    void aFurtherPropertyHasToBeRead() {
        assertThat(PresetChoice.of(System.getProperties(), Map.of())).isNotNull();
        Properties properties = new Properties();
        properties.setProperty("accel.profile", "latency");
        assertThat(PresetChoice.of(properties, Map.of()).name()).isEqualTo("latency");
        properties.setProperty("accelerate", "1");
        assertThat(PresetChoice.of(properties, Map.of()).name()).isEqualTo("latency");
        properties.setProperty("accel.stats", "false");
        assertThat(PresetChoice.of(properties, Map.of())).isNull();
    }
}
