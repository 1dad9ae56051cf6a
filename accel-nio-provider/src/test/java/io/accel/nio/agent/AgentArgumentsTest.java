package io.accel.nio.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class AgentArgumentsTest {
    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "  "})
    void nothingGivenSetsNothing(String arguments) {
        assertThat(AgentArguments.parse(arguments)).isEmpty();
    }

    @Test
    void settingsBecomeSystemPropertiesInOrder() {
        assertThat(AgentArguments.parse("profile=latency, poll.spin = 50us,rule.1=kernel server *:22"))
                .containsExactly(
                        entry("accel.profile", "latency"),
                        entry("accel.poll.spin", "50us"),
                        entry("accel.rule.1", "kernel server *:22"));
    }

    @Test
    void aValueMayContainAnEqualsSignOrBeEmpty() {
        assertThat(AgentArguments.parse("profile=/tmp/a=b,shm.dir="))
                .containsExactly(entry("accel.profile", "/tmp/a=b"), entry("accel.shm.dir", ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"latency", "profile=latency,", "=latency", "profile=latency,poll.spin"})
    void anythingElseIsRefusedWithAnExample(String arguments) {
        assertThatThrownBy(() -> AgentArguments.parse(arguments))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + arguments + "'")
                .hasMessageContaining("expected key=value, such as -javaagent:accel.jar=profile=latency");
    }

    @Test
    void aKeyGivenTwiceIsRefused() {
        assertThatThrownBy(() -> AgentArguments.parse("profile=latency,profile=off"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'profile' twice");
    }
}
