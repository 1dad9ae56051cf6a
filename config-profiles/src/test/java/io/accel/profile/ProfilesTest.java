// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ProfilesTest {
    static List<String> names() {
        return Profiles.names();
    }

    @ParameterizedTest
    @MethodSource("names")
    void everyPresetLoadsAndIsDescribed(String name) {
        assertThat(Profile.load(name, Map.of()).name()).isEqualTo(name);
        assertThat(Profiles.description(name)).endsWith(".").hasSizeGreaterThan(20);
    }

    @Test
    void presetsDiffer() {
        Set<List<String>> values = new HashSet<>();
        for (String name : Profiles.names()) {
            values.add(Profile.load(name, Map.of()).settings().stream()
                    .map(Setting::text)
                    .toList());
        }
        assertThat(values).hasSameSizeAs(Profiles.names());
    }

    @Test
    void balancedIsTheDefaults() {
        assertThat(Profiles.defaultName()).isEqualTo("balanced");
        for (Setting<?> setting : Profile.load("balanced", Map.of()).settings()) {
            assertThat((Object) setting.value())
                    .as(setting.toString())
                    .isEqualTo(setting.key().defaultValue());
        }
    }

    @Test
    void presetsDoWhatTheyAreFor() {
        Profile latency = Profile.load("latency", Map.of());
        Profile throughput = Profile.load("throughput", Map.of());
        Profile lowCpu = Profile.load("low-cpu", Map.of());
        assertThat(latency.get(Keys.POLL_SPIN)).isEqualTo(1_000_000_000L);
        assertThat(latency.get(Keys.POLL_KERNEL_INTERVAL)).isEqualTo(1000);
        assertThat(throughput.get(Keys.RING_SIZE)).isGreaterThan(latency.get(Keys.RING_SIZE));
        assertThat(lowCpu.get(Keys.POLL_SPIN)).isZero();
        assertThat(lowCpu.get(Keys.RING_SIZE)).isEqualTo(128 << 10);
        assertThat(Profile.load("off", Map.of()).get(Keys.MODE)).isEqualTo(Mode.OFF);
    }

    @Test
    void describesNoUnknownPreset() {
        assertThatThrownBy(() -> Profiles.description("lowcpu"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no preset 'lowcpu'; did you mean 'low-cpu'?");
    }
}
