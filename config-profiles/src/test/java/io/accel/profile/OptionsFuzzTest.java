package io.accel.profile;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;

/** The agent's arguments and {@code ACCEL_OPTIONS}: whatever they are, they make a profile or a mistake that can be told. */
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
            return; // the machine's own files are nothing to try
        }
        assertThat(OptionLine.parse(joined(settings))).isEqualTo(settings);
        Properties properties = new Properties();
        settings.forEach((key, value) -> properties.setProperty("accel." + key, value));
        String byProperties = outcome(properties, Map.of());
        String byVariable = outcome(new Properties(), Map.of("ACCEL_OPTIONS", line));
        // Two ways to say the same, apart from the names of where it was said.
        assertThat(byVariable.replace("ACCEL_OPTIONS: ", "-Daccel.")).isEqualTo(byProperties);
    }

    private static String joined(Map<String, String> settings) {
        StringBuilder line = new StringBuilder();
        settings.forEach((key, value) ->
                line.append(line.isEmpty() ? "" : ",").append(key).append('=').append(value));
        return line.toString();
    }

    private static String outcome(Properties properties, Map<String, String> environment) {
        try {
            return Profile.from(properties, environment).settings().toString();
        } catch (ProfileException e) {
            assertThat(e.problems()).isNotEmpty();
            return e.getMessage();
        }
    }
}
