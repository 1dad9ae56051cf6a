// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** The agent's arguments and {@code ACCEL_OPTIONS}: whatever they are, they make a profile or a mistake that can be reported. */
class OptionsFuzzTest {
    private static final int LONGEST = 200;

    @FuzzTest
    void line(byte[] bytes) {
        String line = new String(bytes, StandardCharsets.UTF_8);
        Map<String, String> settings;
        try {
            settings = OptionLine.parse(line);
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageContaining("'");
            return;
        }
        if (bytes.length > LONGEST || !Presets.NAMES.contains(settings.getOrDefault("profile", "off"))) {
            return; // the machine's own files must not be tried
        }
        assertThat(OptionLine.parse(joined(settings))).isEqualTo(settings);
        Properties properties = new Properties();
        settings.forEach((key, value) -> properties.setProperty("accel." + key, value));
        // Two ways to say the same, apart from where it was said.
        assertThat(outcome(new Properties(), Map.of("ACCEL_OPTIONS", line), "ACCEL_OPTIONS: "))
                .isEqualTo(outcome(properties, Map.of(), "-Daccel."));
    }

    private static String joined(Map<String, String> settings) {
        StringBuilder line = new StringBuilder();
        settings.forEach((key, value) ->
                line.append(line.isEmpty() ? "" : ",").append(key).append('=').append(value));
        return line.toString();
    }

    private static List<String> outcome(Properties properties, Map<String, String> environment, String asker) {
        List<String> outcome = new ArrayList<>();
        try {
            for (Setting<?> setting : Profile.from(properties, environment).settings()) {
                outcome.add(setting.key() + "=" + setting.text() + " " + place(setting.origin(), asker));
            }
        } catch (ProfileException e) {
            assertThat(e.problems()).isNotEmpty();
            for (Problem problem : e.problems()) {
                outcome.add(place(problem.origin(), asker) + " " + problem.message());
            }
        }
        return outcome;
    }

    private static String place(Origin origin, String asker) {
        String place = origin.toString();
        return place.startsWith(asker) ? place.substring(asker.length()) : place;
    }
}
