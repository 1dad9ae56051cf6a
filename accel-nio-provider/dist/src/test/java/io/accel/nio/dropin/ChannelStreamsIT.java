// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.tools.attach.VirtualMachine;
import io.accel.testing.AccelOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The streams of both directions of a channel, under the agent, are as independent as those of the JDK's own channels. */
class ChannelStreamsIT {
    private static final String AGENT = "-javaagent:" + Child.JAR;

    /** The JVM does not verify its own classes otherwise. */
    private static final List<String> VERIFYING =
            List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal");

    @TempDir
    private Path dir;

    static Stream<Arguments> paths() {
        return Child.jdks()
                .flatMap(jdk -> Stream.of(
                        Arguments.of(jdk, "-Daccel.handover.after=connect", true),
                        Arguments.of(jdk, "-Daccel.rule.1=kernel * *:*", false)));
    }

    @ParameterizedTest
    @MethodSource("paths")
    void aWaitingReaderKeepsAWriterWaitingWhereTheJdksOwnDoes(Path jdk, String option, boolean leaves)
            throws Exception {
        List<String> ofTheJdk = run(jdk, List.of());
        boolean isFree = ofTheJdk.contains("the JDK lets them true");
        assertThat(ofTheJdk)
                .containsExactly(
                        "the JDK lets them " + isFree,
                        "read " + isFree,
                        "read all " + isFree,
                        "transfer to file " + isFree,
                        "in the file xyz",
                        "by a Unix-domain socket " + isFree,
                        "in the wrong mode refused",
                        "left the kernel false");
        List<String> expected = new ArrayList<>(ofTheJdk.subList(0, ofTheJdk.size() - 1));
        expected.add("left the kernel " + leaves);
        assertThat(run(jdk, List.of(AGENT, option))).isEqualTo(expected);
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void alsoWhereTheAgentComesToARunningProgram(Path jdk) throws Exception {
        try (Child child = Child.start(dir, command(jdk, List.of(), "wait"))) {
            child.awaitOutput("ready");
            VirtualMachine machine = VirtualMachine.attach(Long.toString(child.pid()));
            try {
                machine.loadAgent(Child.JAR.toString());
            } finally {
                machine.detach();
            }
            child.send("go");
            assertThat(child.status()).as(child.output()).isZero();
            List<String> lines = child.linesOfProgram();
            boolean isFree = lines.contains("the JDK lets them true");
            assertThat(lines)
                    .contains(
                            "read " + isFree,
                            "read all " + isFree,
                            "transfer to file " + isFree,
                            "by a Unix-domain socket " + isFree)
                    .noneMatch(line -> line.startsWith("accel: "));
        }
    }

    private List<String> run(Path jdk, List<String> options) throws Exception {
        return Child.linesOf(dir, command(jdk, options));
    }

    private static List<String> command(Path jdk, List<String> options, String... arguments) {
        List<String> command = new ArrayList<>(List.of(jdk.resolve("bin/java").toString()));
        command.addAll(VERIFYING);
        command.addAll(AccelOptions.PATIENT);
        command.addAll(options);
        command.addAll(List.of("-cp", Child.testClasses().toString(), BothWays.class.getName()));
        command.addAll(List.of(arguments));
        return command;
    }
}
