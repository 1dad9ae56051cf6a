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

/** The cases in which java.net.Socket is Accel's, and those in which it is the JDK's. */
class SocketsIT {
    private static final String AGENT = "-javaagent:" + Child.JAR;

    @TempDir
    private Path dir;

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void withTheAgentTheyAreAccelerated(Path jdk) throws Exception {
        assertThat(run(jdk, List.of(AGENT))).containsExactly("read 7", "kernel's false");
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void anArgumentLeavesThemToTheJdk(Path jdk) throws Exception {
        assertThat(run(jdk, List.of(AGENT + "=sockets=false"), "factory"))
                .as("and the factory to the program")
                .containsExactly("factory set", "read 7", "kernel's true");
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void inProfileOffTheyAreTheJdks(Path jdk) throws Exception {
        assertThat(run(jdk, List.of(AGENT + "=profile=off"))).containsExactly("read 7", "kernel's true");
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void withoutTheAgentTheyAreTheJdks(Path jdk) throws Exception {
        assertThat(run(jdk, List.of(Child.PROVIDER))).containsExactly("read 7", "kernel's true");
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void aRuleLeavesAConnectionToTheKernel(Path jdk) throws Exception {
        assertThat(run(jdk, List.of(AGENT, "-Daccel.rule.1=kernel client *:*")))
                .containsExactly("read 7", "kernel's true");
    }

    /** No factory is no reason to give up the sockets, as on the JDK. */
    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void aProgramThatSetsNoFactoryIsAccelerated(Path jdk) throws Exception {
        assertThat(run(jdk, List.of(AGENT), "factory")).containsExactly("factory set", "read 7", "kernel's false");
    }

    private List<String> run(Path jdk, List<String> options, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(jdk.resolve("bin/java").toString()));
        command.addAll(AccelOptions.AT_ONCE);
        command.addAll(options);
        command.addAll(List.of("-cp", Child.JAR + ":" + Child.testClasses(), SocketsOnce.class.getName()));
        command.addAll(List.of(arguments));
        return Child.linesOf(dir, command);
    }
}
