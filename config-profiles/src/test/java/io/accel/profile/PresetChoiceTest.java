// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PresetChoiceTest {
    private static PresetChoice of(String property, String variable, String options) {
        Properties properties = new Properties();
        if (property != null) {
            properties.setProperty("accel.profile", property);
        }
        Map<String, String> environment = new HashMap<>();
        if (variable != null) {
            environment.put("ACCEL_PROFILE", variable);
        }
        if (options != null) {
            environment.put("ACCEL_OPTIONS", options);
        }
        return PresetChoice.of(properties, environment);
    }

    @Test
    void aProcessThatSaysNothingHasTheDefault() {
        assertThat(of(null, null, null)).hasToString("profile balanced");
        assertThat(of(null, " ", null)).hasToString("profile balanced");
    }

    @ParameterizedTest
    @ValueSource(strings = {"latency", "throughput", "balanced", "low-cpu", "off"})
    void thePropertyOrTheVariableNamesAPreset(String name) {
        for (PresetChoice choice : List.of(
                of(name, null, null),
                of(null, " " + name + " ", null),
                of(name, "latency", null),
                PresetChoice.of(name))) {
            assertThat(choice.name()).isEqualTo(name);
            assertThat(choice.accelerates()).isEqualTo(!name.equals("off"));
            assertThat(choice.decidesUnixStreams()).isFalse();
        }
    }

    @Test
    void whatIsNoPresetHasToBeRead() {
        assertThat(of("balancd", null, null)).isNull();
        assertThat(of("", null, null)).isNull();
        assertThat(of(" off", null, null)).isNull();
        assertThat(of("./my.profile", null, null)).isNull();
        assertThat(of(null, "./my.profile", null)).isNull();
        assertThat(of("balanced", null, "stats=false")).isNull();
        assertThat(of(null, null, "")).isNull();
        assertThatThrownBy(() -> PresetChoice.of("balancd")).isInstanceOf(IllegalArgumentException.class);
    }

    /** What is read later is what would have been read at once. */
    @ParameterizedTest
    @CsvSource({"latency,", "throughput,", "balanced,", "low-cpu,", "off,", "balanced,true", "low-cpu,false"})
    void itIsTheProfileOfTheSystem(String name, String unixStreams) {
        Properties properties = new Properties();
        properties.setProperty("accel.profile", name);
        if (unixStreams != null) {
            properties.setProperty("accel.unix.streams", unixStreams);
        }
        PresetChoice choice = PresetChoice.of(properties, Map.of());
        assertThat(choice.decidesUnixStreams()).isEqualTo(unixStreams != null);
        Profile atOnce = Profile.from(properties, Map.of());
        Profile later = choice.get();
        assertThat(later.name()).isEqualTo(atOnce.name());
        assertThat(values(later)).isEqualTo(values(atOnce));
        assertThat(later.rules().list()).isEmpty();
        assertThat(later.get(Keys.MODE) == Mode.ACCELERATE).isEqualTo(choice.accelerates());
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
        Properties properties = new Properties();
        properties.setProperty("accel.profile", "latency");
        properties.setProperty("accelerate", "1");
        properties.setProperty("accel.unix.streams", "true");
        assertThat(PresetChoice.of(properties, Map.of()).name()).isEqualTo("latency");
        properties.setProperty("accel.stats", "false");
        assertThat(PresetChoice.of(properties, Map.of())).isNull();
        properties.remove("accel.stats");
        properties.setProperty("accel.unix.streams", "maybe");
        assertThat(PresetChoice.of(properties, Map.of())).isNull();
    }
}
