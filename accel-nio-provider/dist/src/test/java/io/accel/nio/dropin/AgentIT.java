// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.VirtualMachine;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AgentIT {
    private static final String AGENT = "-javaagent:" + Child.JAR;
    private static final String OURS = "java.nio.channels.spi.SelectorProvider = io.accel.nio.AccelSelectorProvider";

    private static final String ASYNCHRONOUS = "java.nio.channels.spi.AsynchronousChannelProvider = ";

    @TempDir
    private Path dir;

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void theAgentSetsAllThatAProgramNeeds(Path jdk) throws Exception {
        try (Child child =
                Child.start(dir, Child.probe(jdk, List.of(AGENT + "=profile=latency,poll.spin=50us"), "one"))) {
            assertThat(child.status()).isZero();
            assertThat(child.output().lines())
                    .containsExactly(
                            "args [one]",
                            OURS,
                            ASYNCHRONOUS + "io.accel.nio.AccelAsynchronousChannelProvider",
                            "accel.profile = latency",
                            "accel.poll.spin = 50us",
                            "probe.option = null",
                            "sun.nio.ch exported false");
        }
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void twiceIsAsOnce(Path jdk) throws Exception {
        try (Child child = Child.start(dir, Child.probe(jdk, List.of(AGENT, AGENT + "=profile=latency"), "one"))) {
            assertThat(child.status()).isZero();
            assertThat(child.output()).contains(OURS, "accel.profile = latency").doesNotContain("accel:");
        }
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void theCommandLineWinsOverTheAgentsArguments(Path jdk) throws Exception {
        try (Child child =
                Child.start(dir, Child.probe(jdk, List.of(AGENT + "=profile=latency", "-Daccel.profile=low-cpu")))) {
            assertThat(child.status()).isZero();
            assertThat(child.output()).contains("accel.profile = low-cpu");
        }
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void anotherProviderOnTheCommandLineStaysAndIsSaid(Path jdk) throws Exception {
        List<String> options = List.of(AGENT, "-Djava.nio.channels.spi.SelectorProvider=com.example.Other");
        try (Child child = Child.start(dir, Child.probe(jdk, options))) {
            assertThat(child.status()).isZero();
            assertThat(child.output())
                    .contains("SelectorProvider = com.example.Other")
                    .contains("accel: -Djava.nio.channels.spi.SelectorProvider=com.example.Other is set,"
                            + " so this JVM does not use Accel");
        }
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void anotherProviderOfAsynchronousChannelsStays(Path jdk) throws Exception {
        List<String> options = List.of(AGENT, "-Djava.nio.channels.spi.AsynchronousChannelProvider=com.example.Other");
        try (Child child = Child.start(dir, Child.probe(jdk, options))) {
            assertThat(child.status()).isZero();
            assertThat(child.output())
                    .contains(OURS, ASYNCHRONOUS + "com.example.Other")
                    .doesNotContain("accel:");
        }
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void aMistakeEndsTheProgramBeforeItBegins(Path jdk) throws Exception {
        Map<String, String> mistakes = Map.of(
                "latency", "such as profile=latency",
                "profile=latncy", "did you mean 'latency'?",
                "profile=latency,,x", "profile=latency,,x: no such preset",
                "poll.spni=5us", "did you mean 'poll.spin'?",
                "metrics=promethius", "'promethius' is neither");
        for (Map.Entry<String, String> mistake : mistakes.entrySet()) {
            try (Child child = Child.start(dir, Child.probe(jdk, List.of(AGENT + "=" + mistake.getKey())))) {
                assertThat(child.status()).as(child.output()).isEqualTo(2);
                assertThat(child.output().lines())
                        .as("what is wrong, and what to do")
                        .hasSize(2)
                        .allMatch(line -> line.startsWith("accel: "));
                assertThat(child.output()).contains(mistake.getValue());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void aMistakeMayCostTheAccelerationAlone(Path jdk) throws Exception {
        for (String options :
                List.of("profile=latncy,on-error=off", "profile=latncy, on-error = off", "x,on-error=off")) {
            try (Child child = Child.start(dir, Child.probe(jdk, List.of(AGENT + "=" + options), "provider"))) {
                assertThat(child.status()).as(child.output()).isZero();
                assertThat(child.output())
                        .contains("accel: the program runs without Accel", "provider sun.nio.ch.")
                        .doesNotContain("Exception", "Error");
            }
        }
    }

    /** This holds also for connections: no class that the start has given up is missed later. */
    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void whatRunsWithoutAccelForAMistakeConnects(Path jdk) throws Exception {
        for (Class<?> program : List.of(EchoUntilTold.class, SocketsOnce.class, Nio2Once.class)) {
            List<String> command = List.of(
                    jdk.resolve("bin/java").toString(),
                    AGENT + "=poll.spni=5us,on-error=off",
                    "-cp",
                    Child.testClasses().toString(),
                    program.getName());
            try (Child child = Child.start(dir, command)) {
                child.closeInput();
                assertThat(child.status()).as(child.output()).isZero();
                assertThat(child.output())
                        .contains("accel: the program runs without Accel")
                        .doesNotContain("Exception", "Error");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void aSettingMayBeAList(Path jdk) throws Exception {
        List<String> command = List.of(
                jdk.resolve("bin/java").toString(),
                AGENT + "=metrics=prometheus:127.0.0.1:0,jmx,profile=latency",
                "-cp",
                Child.testClasses().toString(),
                EchoUntilTold.class.getName());
        try (Child child = Child.start(dir, command)) {
            child.awaitOutput("metrics are at http://127.0.0.1:");
            child.awaitOutput("metrics are in JMX as io.accel:type=Accel");
            child.awaitOutput(", profile latency, ");
            child.closeInput();
            assertThat(child.status()).as(child.output()).isZero();
            assertThat(child.output()).doesNotContain("Exception", "Error");
        }
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void theEnvironmentSaysWhatTheCommandLineDoesNot(Path jdk) throws Exception {
        Map<String, String> environment = Map.of("ACCEL_PROFILE", "latncy", "ACCEL_OPTIONS", "on-error=off");
        try (Child child = Child.start(dir, Child.probe(jdk, List.of(AGENT)), environment)) {
            assertThat(child.status()).as(child.output()).isZero();
            assertThat(child.output())
                    .contains("accel: ACCEL_PROFILE=latncy: no such preset", "did you mean 'latency'?")
                    .doesNotContain("Exception", "Error");
        }
        try (Child child = Child.start(dir, Child.probe(jdk, List.of(AGENT + "=profile=low-cpu")), environment)) {
            assertThat(child.status()).as(child.output()).isZero();
            assertThat(child.output()).contains(OURS).doesNotContain("accel: ");
        }
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void attachedTooLateItSaysSo(Path jdk) throws Exception {
        try (Child child = Child.start(dir, Child.probe(jdk, List.of(), "provider", "ask", "sleep"))) {
            child.awaitOutput("pid ");
            VirtualMachine machine = VirtualMachine.attach(Long.toString(child.pid()));
            try {
                assertThatThrownBy(() -> machine.loadAgent(Child.JAR.toString()))
                        .isInstanceOf(AgentInitializationException.class);
            } finally {
                machine.detach();
            }
            child.awaitOutput("this JVM already uses the SelectorProvider sun.nio.ch.");
            child.awaitOutput("Start the program with -javaagent:accel.jar");
            assertExportedToNobody(child);
        }
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void attachedBeforeTheFirstChannelItIsInTime(Path jdk) throws Exception {
        try (Child child = Child.start(dir, Child.probe(jdk, List.of(), "ask", "sleep"))) {
            child.awaitOutput("pid ");
            VirtualMachine machine = VirtualMachine.attach(Long.toString(child.pid()));
            try {
                machine.loadAgent(Child.JAR.toString(), "profile=latency");
                assertThat(machine.getSystemProperties())
                        .containsEntry("java.nio.channels.spi.SelectorProvider", "io.accel.nio.AccelSelectorProvider")
                        .containsEntry("accel.profile", "latency");
            } finally {
                machine.detach();
            }
            assertExportedToNobody(child);
        }
    }

    /** The manifest's Add-Exports are for {@code java -jar}, and an agent that is attached must not do as they say. */
    private static void assertExportedToNobody(Child child) throws Exception {
        child.send("and now?");
        assertThat(child.awaitRest("asked: ")).isEqualTo("sun.nio.ch exported false");
    }
}
