// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.testing.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The JVM's collectors, its checks of native code, its strictest integrity, and its Flight Recorder: with each of them a program is
 * accelerated, and the JVM says of it no more than it does without Accel.
 */
@Timeout(120)
class JvmSwitchesIT {
    private static final String AGENT = "-javaagent:" + Child.JAR;
    private static final String CLASS_PATH = Child.JAR + ":" + Child.testClasses();

    @TempDir
    private Path dir;

    static Stream<Arguments> switches() {
        return Child.jdks().flatMap(jdk -> Stream.of(
                        List.of("-XX:+UseZGC"),
                        List.of("-XX:+UseShenandoahGC"),
                        List.of("-XX:+UseSerialGC", "-XX:-UseCompressedOops"),
                        List.of("-Xcheck:jni"),
                        strictest(ChildJvm.feature(jdk).orElseThrow()))
                .filter(switches -> !switches.isEmpty())
                .map(switches -> Arguments.of(jdk, switches)));
    }

    /** What a JDK has to close the ways around its integrity; nothing on the first of them. */
    private static List<String> strictest(int feature) {
        List<String> switches = new ArrayList<>();
        if (feature >= 23) {
            switches.add("--sun-misc-unsafe-memory-access=deny");
        }
        if (feature >= 24) {
            switches.add("--illegal-native-access=deny");
        }
        if (feature >= 26) {
            switches.add("--illegal-final-field-mutation=deny");
        }
        return switches;
    }

    @ParameterizedTest
    @MethodSource("switches")
    void acceleratedWithoutAWarning(Path jdk, List<String> switches) throws Exception {
        List<String> jdks;
        try (Child child = Child.start(dir, command(jdk, switches, "-cp", CLASS_PATH))) {
            int status = child.status();
            assumeTrue(status == 0 || !child.output().contains("VM option"), () -> jdk + " does not know " + switches);
            assertThat(status).as(child.output()).isZero();
            jdks = saidByTheJvm(child, true, true);
        }
        assertThat(run(command(jdk, switches, "-cp", CLASS_PATH, Child.PROVIDER), true))
                .isEqualTo(jdks);
        assertThat(run(command(jdk, switches, AGENT, "-cp", Child.testClasses().toString()), false))
                .isEqualTo(jdks);
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void aRecordingHasItsEvents(Path jdk) throws Exception {
        for (boolean byAgent : new boolean[] {false, true}) {
            Path file = dir.resolve("recording" + byAgent + ".jfr");
            List<String> recording = List.of("-XX:StartFlightRecording=filename=" + file);
            List<String> jdks;
            try (Child child = Child.start(dir, command(jdk, recording, "-cp", CLASS_PATH))) {
                assertThat(child.status()).as(child.output()).isZero();
                jdks = saidByTheJvm(child, true, true);
            }
            String[] options = byAgent
                    ? new String[] {AGENT, "-cp", CLASS_PATH}
                    : new String[] {Child.PROVIDER, "-cp", CLASS_PATH};
            assertThat(run(command(jdk, recording, options), !byAgent)).isEqualTo(jdks);
            List<RecordedEvent> connects = RecordingFile.readAllEvents(file).stream()
                    .filter(event -> event.getEventType().getName().equals("io.accel.Connect"))
                    .toList();
            assertThat(connects).as("two ends of each").hasSize(byAgent ? 4 : 2);
            assertThat(connects).allMatch(event -> event.getString("path").equals("shm"));
            Files.delete(file);
        }
    }

    private static List<String> command(Path jdk, List<String> switches, String... options) {
        List<String> all = new ArrayList<>(switches);
        all.addAll(List.of(options));
        return Child.accelerated(jdk, all, CarriedOnce.class, "sockets", "channels");
    }

    /** Runs the program with Accel, and returns what the JVM says. */
    private List<String> run(List<String> command, boolean areSocketsTheKernels) throws Exception {
        try (Child child = Child.start(dir, command)) {
            assertThat(child.status()).as(child.output()).isZero();
            return saidByTheJvm(child, areSocketsTheKernels, false);
        }
    }

    /** Takes away what the program says, which must be this, and numbers, which differ from run to run. */
    private static List<String> saidByTheJvm(Child child, boolean areSocketsTheKernels, boolean areChannelsTheKernels)
            throws Exception {
        List<String> program = List.of(
                CarriedOnce.said("sockets", areSocketsTheKernels), CarriedOnce.said("channels", areChannelsTheKernels));
        List<String> lines = child.linesOfProgram();
        assertThat(lines).containsSubsequence(program);
        return lines.stream()
                .filter(line -> !program.contains(line))
                .map(line -> line.replaceAll("[0-9]+", "#").replaceAll("\\btrue\\b|\\bfalse\\b", "?"))
                .toList();
    }
}
