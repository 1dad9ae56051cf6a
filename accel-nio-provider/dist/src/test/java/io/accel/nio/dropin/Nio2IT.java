// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.AccelOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The cases in which asynchronous channels are Accel's, and those in which they are the JDK's. */
class Nio2IT {
    private static final String AGENT = "-javaagent:" + Child.JAR;
    private static final String PROVIDER =
            "-Djava.nio.channels.spi.AsynchronousChannelProvider=io.accel.nio.AccelAsynchronousChannelProvider";

    @TempDir
    private Path dir;

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void withTheAgentTheyAreAccelerated(Path jdk) throws Exception {
        assertThat(run(jdk, List.of(AGENT))).containsExactly("provider io.accel.nio", "read 7", "kernel's false");
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void withThePropertyTheyAreAccelerated(Path jdk) throws Exception {
        assertThat(run(jdk, List.of(PROVIDER))).containsExactly("provider io.accel.nio", "read 7", "kernel's false");
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void withTheOtherPropertyAloneTheyAreTheJdks(Path jdk) throws Exception {
        assertThat(run(jdk, List.of(Child.PROVIDER))).containsExactly("provider sun.nio.ch", "read 7", "kernel's true");
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void inProfileOffTheyAreTheJdks(Path jdk) throws Exception {
        assertThat(run(jdk, List.of(AGENT + "=profile=off")))
                .containsExactly("provider sun.nio.ch", "read 7", "kernel's true");
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void aRuleLeavesAConnectionToTheKernel(Path jdk) throws Exception {
        assertThat(run(jdk, List.of(AGENT, "-Daccel.rule.1=kernel client *:*")))
                .containsExactly("provider io.accel.nio", "read 7", "kernel's true");
    }

    private List<String> run(Path jdk, List<String> options) throws Exception {
        List<String> command = new ArrayList<>(List.of(jdk.resolve("bin/java").toString()));
        command.addAll(AccelOptions.AT_ONCE);
        command.addAll(options);
        command.addAll(List.of("-cp", Child.JAR + ":" + Child.testClasses(), Nio2Once.class.getName()));
        return Child.linesOf(dir, command);
    }
}
