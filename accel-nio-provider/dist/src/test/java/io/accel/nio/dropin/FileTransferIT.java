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

/**
 * Under the agent a file goes to a channel with few system calls: with {@code sendfile} through the kernel, and otherwise into
 * the ring.
 */
class FileTransferIT {
    private static final String KERNEL = "-Daccel.rule.1=kernel * *:*";
    private static final String LINK = "-Daccel.handover.after=connect";

    /** The JVM does not verify its own classes otherwise. */
    private static final List<String> VERIFYING =
            List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal");

    @TempDir
    private Path dir;

    static Stream<Arguments> paths() {
        return Child.jdks()
                .flatMap(jdk -> Stream.of(
                        Arguments.of(jdk, List.of(), true, false),
                        Arguments.of(jdk, List.of("-javaagent:" + Child.JAR, KERNEL), true, false),
                        Arguments.of(jdk, List.of("-javaagent:" + Child.JAR, LINK), true, true),
                        Arguments.of(jdk, byProperty(KERNEL), false, false),
                        Arguments.of(jdk, byProperty(LINK), false, true)));
    }

    private static List<String> byProperty(String option) {
        return List.of(Child.PROVIDER, option);
    }

    @ParameterizedTest
    @MethodSource("paths")
    void filesGoByFewCallsWhereTheAgentIs(Path jdk, List<String> options, boolean isByFew, boolean leaves)
            throws Exception {
        try (Child child = Child.start(dir, command(jdk, options, List.of()))) {
            assertThat(child.status()).as(child.output()).isZero();
            assertThat(child.linesOfProgram())
                    .as(child.output())
                    .containsSubsequence("whole true", "by few calls " + isByFew, "left the kernel " + leaves)
                    // The program may close just when a larger ring is asked for; the log then says that none came.
                    .noneMatch(line -> line.contains("WARNING") || line.contains("Exception"));
        }
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void alsoWhereTheAgentComesToARunningProgram(Path jdk) throws Exception {
        try (Child child = Child.start(dir, command(jdk, List.of(), List.of("wait")))) {
            child.awaitOutput("ready");
            VirtualMachine machine = VirtualMachine.attach(Long.toString(child.pid()));
            try {
                machine.loadAgent(Child.JAR.toString(), "handover.after=connect");
            } finally {
                machine.detach();
            }
            child.send("go");
            assertThat(child.status()).as(child.output()).isZero();
            assertThat(child.linesOfProgram())
                    .contains("whole true", "by few calls true", "left the kernel true")
                    .noneMatch(line -> line.startsWith("accel: "));
        }
    }

    /** Without the agent the JDK does not ask the channel about transfers that it cannot make: docs/LIMITS.md. */
    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void eachTransferSaysWhatItSaysWithoutAccel(Path jdk) throws Exception {
        List<String> jdks = outcomes(jdk, List.of());
        assertThat(jdks).hasSizeGreaterThan(80);
        for (String path : List.of(KERNEL, LINK)) {
            assertThat(outcomes(jdk, List.of("-javaagent:" + Child.JAR, path))).isEqualTo(jdks);
            assertThat(outcomes(jdk, byProperty(path)))
                    .hasSameSizeAs(jdks)
                    .filteredOn(line -> !jdks.contains(line))
                    .isNotEmpty()
                    .allMatch(line -> line.matches("said (NEW|OUTPUT_SHUT) (blocking )?send.*"));
        }
    }

    private List<String> outcomes(Path jdk, List<String> options) throws Exception {
        List<String> command = new ArrayList<>(List.of(jdk.resolve("bin/java").toString()));
        command.addAll(AccelOptions.PATIENT);
        command.addAll(options);
        command.addAll(List.of("-cp", Child.JAR + ":" + Child.testClasses(), TransferOutcomes.class.getName()));
        try (Child child = Child.start(dir, command)) {
            assertThat(child.status()).as(child.output()).isZero();
            return child.linesOfProgram().stream()
                    .filter(line -> line.startsWith("said "))
                    .toList();
        }
    }

    private static List<String> command(Path jdk, List<String> options, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(jdk.resolve("bin/java").toString()));
        command.addAll(VERIFYING);
        command.addAll(AccelOptions.PATIENT);
        command.addAll(options);
        command.addAll(List.of("-cp", Child.JAR + ":" + Child.testClasses(), SendFile.class.getName()));
        command.addAll(arguments);
        return command;
    }
}
