// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RunIT {
    private static final Path JDK = Path.of(System.getProperty("java.home"));

    @TempDir
    private Path dir;

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void theCommandsJvmHasAccel(Path jdk) throws Exception {
        List<String> command =
                run(Child.JAR, List.of("--profile", "latency"), Child.probe(jdk, List.of(), "a b", "@c"));
        try (Child child = Child.start(dir, command, Map.of("JDK_JAVA_OPTIONS", "-Dprobe.option=kept"))) {
            assertThat(child.status()).isZero();
            assertThat(child.output())
                    .contains("args [a b, @c]")
                    .contains("SelectorProvider = io.accel.nio.AccelSelectorProvider")
                    .contains("AsynchronousChannelProvider = io.accel.nio.AccelAsynchronousChannelProvider")
                    .contains("accel.profile = latency")
                    .contains("probe.option = kept")
                    .contains("sun.nio.ch exported false")
                    .doesNotContain("WARNING");
        }
    }

    @Test
    void theJarAndTheProfileMayLieAnywhere() throws Exception {
        Path odd = Files.createDirectory(dir.resolve("it's an \"odd\" place"));
        Path jar = Files.copy(Child.JAR, odd.resolve("accel 1.jar"));
        Path profile = Files.writeString(odd.resolve("my profile.properties"), "include=low-cpu\n");
        List<String> command = run(jar, List.of("--profile", profile.toString()), Child.probe(JDK, List.of()));
        try (Child child = Child.start(dir, command)) {
            assertThat(child.status()).as(child.output()).isZero();
            assertThat(child.output()).contains("accel.profile = " + profile);
        }
    }

    @Test
    void theCommandsOwnOptionsWin() throws Exception {
        List<String> inner = Child.probe(JDK, List.of("-Daccel.profile=off"));
        try (Child child = Child.start(dir, run(Child.JAR, List.of("--profile=latency"), inner))) {
            assertThat(child.status()).isZero();
            assertThat(child.output()).contains("accel.profile = off");
        }
    }

    @ParameterizedTest
    @CsvSource({"exit 0, 0", "exit 42, 42", "kill -9 $$, 137"})
    void theStatusIsTheCommands(String script, int status) throws Exception {
        try (Child child = Child.start(dir, run(Child.JAR, List.of(), List.of("sh", "-c", script)))) {
            assertThat(child.status()).isEqualTo(status);
            assertThat(child.output()).isEmpty();
        }
    }

    @Test
    void anUnusableProfileStartsNothing() throws Exception {
        List<String> command = run(Child.JAR, List.of("--profile", "latncy"), List.of("echo", "started"));
        try (Child child = Child.start(dir, command)) {
            assertThat(child.status()).isEqualTo(2);
            assertThat(child.output()).contains("latncy", "latency").doesNotContain("started", "\tat ");
        }
    }

    @ParameterizedTest
    @CsvSource({"TERM, 143", "INT, 130", "HUP, 129"})
    void signalsReachTheCommandWhoseEndIsOurs(String signal, int status) throws Exception {
        // A JVM keeps ignoring a signal that was ignored at its start, as after nohup or in the background of a
        // script.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=" + signal));
        command.addAll(run(Child.JAR, List.of(), Child.probe(JDK, List.of(), "sleep")));
        try (Child child = Child.start(dir, command)) {
            child.awaitOutput("pid ");
            Process kill = new ProcessBuilder("sh", "-c", "kill -s " + signal + " " + child.pid()).start();
            assertThat(kill.waitFor(10, TimeUnit.SECONDS)).isTrue();

            assertThat(child.status()).isEqualTo(status);
            assertThat(child.output()).contains("asked to end");
            String pid = child.output()
                    .lines()
                    .filter(line -> line.startsWith("pid "))
                    .findFirst()
                    .orElseThrow();
            assertThat(ProcessHandle.of(Long.parseLong(pid.substring(4)))).isEmpty();
        }
    }

    private static List<String> run(Path jar, List<String> options, List<String> command) {
        List<String> all = new ArrayList<>(List.of(JDK.resolve("bin/java").toString(), "-jar", jar.toString(), "run"));
        all.addAll(options);
        all.add("--");
        all.addAll(command);
        return all;
    }
}
