// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The cases in which java.net.DatagramSocket is Accel's, and those in which it is the JDK's. It behaves the same either way. */
class DatagramSocketsIT {
    private static final String AGENT = "-javaagent:" + Child.JAR;

    @TempDir
    private Path dir;

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void withTheAgentTheyAreAccelerated(Path jdk) throws Exception {
        assertThat(run(jdk, List.of(AGENT), "wait")).isEqualTo(expected(jdk, false));
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void twoAgentsAreAsOne(Path jdk) throws Exception {
        assertThat(run(jdk, List.of(AGENT, AGENT), "wait")).isEqualTo(expected(jdk, false));
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void anArgumentLeavesThemToTheJdk(Path jdk) throws Exception {
        assertThat(run(jdk, List.of(AGENT + "=sockets=false"))).isEqualTo(expected(jdk, true));
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void inProfileOffTheyAreTheJdks(Path jdk) throws Exception {
        assertThat(run(jdk, List.of(AGENT + "=profile=off"))).isEqualTo(expected(jdk, true));
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void aRuleLeavesThemToTheKernel(Path jdk) throws Exception {
        assertThat(run(jdk, List.of(AGENT, "-Daccel.rule.1=kernel * *:*"))).isEqualTo(expected(jdk, true));
    }

    /** Its output without Accel, except for the path of the datagrams. */
    private List<String> expected(Path jdk, boolean kernels) throws Exception {
        List<String> lines = new ArrayList<>(run(jdk, List.of()));
        assertThat(lines).hasSize(5).contains("kernel's true");
        lines.set(1, "kernel's " + kernels);
        return lines;
    }

    private List<String> run(Path jdk, List<String> options, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(jdk.resolve("bin/java").toString()));
        // The JVM does not verify its own classes otherwise.
        command.addAll(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal"));
        command.addAll(options);
        command.addAll(List.of("-cp", Child.testClasses().toString(), DatagramsOnce.class.getName()));
        command.addAll(List.of(arguments));
        return Child.linesOf(dir, command);
    }
}
