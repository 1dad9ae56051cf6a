// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class OptionLineTest {
    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "  "})
    void nothingGivenSetsNothing(String line) {
        assertThat(OptionLine.parse(line)).isEmpty();
    }

    @Test
    void settingsInTheirOrder() {
        assertThat(OptionLine.parse("profile=latency, poll.spin = 50us,rule.1=kernel server *:22"))
                .containsExactly(
                        entry("profile", "latency"), entry("poll.spin", "50us"), entry("rule.1", "kernel server *:22"));
    }

    @Test
    void aValueMayContainAnEqualsSignOrBeEmpty() {
        assertThat(OptionLine.parse("profile=/tmp/a=b,shm.dir="))
                .containsExactly(entry("profile", "/tmp/a=b"), entry("shm.dir", ""));
    }

    @Test
    void aValueMayBeAList() {
        assertThat(OptionLine.parse("fabric.order=shm,rdma,metrics=prometheus:[::1]:9464,jmx"))
                .containsExactly(entry("fabric.order", "shm,rdma"), entry("metrics", "prometheus:[::1]:9464,jmx"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"latency", "=latency", "latency,poll.spin=50us", ",profile=latency"})
    void anythingElseIsRefusedWithAnExample(String line) {
        assertThatThrownBy(() -> OptionLine.parse(line))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected KEY=VALUE,... such as profile=latency");
    }

    @Test
    void aKeyGivenTwiceIsRefused() {
        assertThatThrownBy(() -> OptionLine.parse("profile=latency,profile=off"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'profile' is there twice");
    }
}
