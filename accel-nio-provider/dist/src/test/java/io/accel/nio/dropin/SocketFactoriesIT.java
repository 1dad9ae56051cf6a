// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.AccelOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Accel's socket factories take no program's place: a program that sets its own sees the same with the agent as on the plain JDK. */
@Timeout(120)
class SocketFactoriesIT {
    @TempDir
    private Path dir;

    static Stream<Arguments> programs() {
        return Child.jdks()
                .flatMap(jdk -> Stream.of("none", "sockets", "listeners").map(which -> Arguments.of(jdk, which)));
    }

    @ParameterizedTest
    @MethodSource("programs")
    void aProgramsFactoriesHaveTheirPlace(Path jdk, String which) throws Exception {
        List<String> expected = run(jdk, List.of(), which);
        assertThat(expected).contains("read 7", "accepted 9").anyMatch(line -> line.endsWith(" set"));
        List<String> options = new ArrayList<>(AccelOptions.AT_ONCE);
        options.add("-javaagent:" + Child.JAR);
        assertThat(run(jdk, options, which)).isEqualTo(expected);
    }

    /** There is such a choice in JDK 17 alone. */
    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void aProgramMayHaveTheOldSockets(Path jdk) throws Exception {
        String old = "-Djdk.net.usePlainSocketImpl";
        List<String> expected = run(jdk, List.of(old), "none");
        List<String> said = run(jdk, List.of(old, "-javaagent:" + Child.JAR), "none");
        assertThat(said.stream().filter(line -> !line.startsWith("accel: "))).isEqualTo(expected);
        boolean isOld = jdk.equals(Path.of(System.getProperty("java.home")))
                && Runtime.version().feature() < 18;
        assertThat(said.stream().filter(line -> line.contains("usePlainSocketImpl")))
                .hasSize(isOld ? 1 : 0);
    }

    private List<String> run(Path jdk, List<String> options, String which) throws Exception {
        List<String> command = new ArrayList<>(List.of(jdk.resolve("bin/java").toString()));
        command.addAll(options);
        command.addAll(List.of("-cp", Child.testClasses().toString(), OwnSocketFactories.class.getName(), which));
        return Child.linesOf(dir, command);
    }
}
