// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JavaOptionsTest {
    @Test
    void whatTheVariableHeldComesLastSoThatItWins() {
        JavaOptions options = new JavaOptions(Path.of("/opt/accel.jar"));
        options.profile("latency");
        assertThat(options.addedTo("-Xmx1g -Daccel.profile=off"))
                .isEqualTo("-javaagent:/opt/accel.jar --enable-native-access=ALL-UNNAMED -Daccel.profile=latency"
                        + " -Xmx1g -Daccel.profile=off");
    }

    @Test
    void anUnsetVariableIsAsAnEmptyOne() {
        JavaOptions options = new JavaOptions(Path.of("/opt/accel.jar"));
        assertThat(options.addedTo(null))
                .isEqualTo(options.addedTo(""))
                .isEqualTo("-javaagent:/opt/accel.jar --enable-native-access=ALL-UNNAMED");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '~',
            value = {
                "/opt/accel.jar;/opt/accel.jar",
                "/my opt/accel.jar;\"/my opt/accel.jar\"",
                "/it's/accel.jar;\"/it's/accel.jar\"",
                "/a\"b/accel.jar;\"/a\"'\"b/accel.jar'",
                "/a\"b's c;\"/a\"'\"b'\"'s c\"",
            })
    void quotesAreTheLaunchers(String option, String quoted) {
        assertThat(JavaOptions.quote(option)).isEqualTo(quoted);
    }

    @Test
    void aPathThatTheJvmWouldSplitIsRefused() {
        assertThatThrownBy(() -> new JavaOptions(Path.of("/opt/v=1/accel.jar")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("/opt/v=1/accel.jar")
                .hasMessageContaining("no '='");
    }
}
