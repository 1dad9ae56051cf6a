// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.tools.attach.VirtualMachine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Accel's agent beside the property, beside itself, beside another agent, and in a program that has begun: all is accelerated and nothing is
 * said, or one line says what is not.
 */
@Timeout(120)
class AgentsIT {
    private static final String AGENT = "-javaagent:" + Child.JAR;
    private static final String SOCKETS = CarriedOnce.said("sockets", false);
    private static final String CHANNELS = CarriedOnce.said("channels", false);
    private static final String KERNELS_CHANNELS = CarriedOnce.said("channels", true);

    /** Without it newer JVMs warn of any agent that comes later. */
    private static final String MAY_ATTACH = "-XX:+EnableDynamicAgentLoading";

    @TempDir
    private Path dir;

    private Path other;

    @BeforeEach
    void makeTheOtherAgent() throws Exception {
        other = TestJar.of(
                dir.resolve("other.jar"),
                Map.of("Premain-Class", OtherAgent.class.getName(), "Can-Retransform-Classes", "true"),
                OtherAgent.class,
                CarriedOnce.class);
    }

    static Stream<Arguments> waysToGiveItTwice() {
        return Child.jdks()
                .flatMap(jdk -> Stream.of(
                        Arguments.of(jdk, List.of(AGENT, Child.PROVIDER)),
                        Arguments.of(
                                jdk,
                                List.of(
                                        AGENT,
                                        Child.PROVIDER,
                                        "-Djava.nio.channels.spi.AsynchronousChannelProvider="
                                                + "io.accel.nio.AccelAsynchronousChannelProvider")),
                        Arguments.of(jdk, List.of(AGENT, AGENT))));
    }

    @ParameterizedTest
    @MethodSource("waysToGiveItTwice")
    void givenTwiceItIsThereOnce(Path jdk, List<String> options) throws Exception {
        List<String> both = new ArrayList<>(options);
        both.addAll(List.of("-cp", Child.JAR + ":" + Child.testClasses()));
        assertThat(run(jdk, both, "sockets", "channels")).containsExactly(SOCKETS, CHANNELS);
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void twoCopiesOfItAreOne(Path jdk) throws Exception {
        Path copy = Files.copy(Child.JAR, dir.resolve("copy.jar"));
        assertThat(run(jdk, program(AGENT, "-javaagent:" + copy), "sockets", "channels"))
                .containsExactly(SOCKETS, CHANNELS);
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void besideAnAgentThatTransformsClasses(Path jdk) throws Exception {
        String transforms = "-javaagent:" + other + "=transforms";
        assertThat(run(jdk, program(transforms, AGENT), "sockets", "channels"))
                .containsExactly("transformed true", SOCKETS, CHANNELS);
        assertThat(run(jdk, program(AGENT, transforms), "sockets", "channels"))
                .containsExactly("transformed true", SOCKETS, CHANNELS);
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void behindAnAgentThatOpensChannelsALineSaysThatItIsTooLate(Path jdk) throws Exception {
        String opens = "-javaagent:" + other + "=opens";
        List<String> said = run(jdk, program(opens, AGENT), "channels");
        assertThat(said).hasSize(2).last().isEqualTo(KERNELS_CHANNELS);
        assertThat(said.get(0))
                .startsWith("accel: this JVM already uses the SelectorProvider sun.nio.ch.")
                .endsWith("before any other agent that opens channels");
        assertThat(run(jdk, program(AGENT, opens), "channels")).containsExactly(CHANNELS);
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void behindAnAgentWithASocketFactoryALineSaysWhatIsLeftOut(Path jdk) throws Exception {
        String factory = "-javaagent:" + other + "=factory";
        assertSaysWhatStays(
                run(jdk, program(factory, AGENT), "channels"),
                "factory set",
                "accel: java.net.Socket and java.net.ServerSocket stay as they are");
        assertThat(run(jdk, program(AGENT, factory), "channels")).containsExactly("factory set", CHANNELS);
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void attachedToAProgramThatIsIdleItServesAll(Path jdk) throws Exception {
        assertThat(attached(jdk, "wait", "sockets", "channels"))
                .containsExactly("ready", "told true", SOCKETS, CHANNELS);
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void attachedToAProgramWithASocketFactoryItSaysWhatIsLeftOut(Path jdk) throws Exception {
        List<String> said = attached(jdk, "factory", "wait", "channels");
        assertThat(said).contains("ready", "told true");
        assertSaysWhatStays(
                said.stream()
                        .filter(line -> !List.of("ready", "told true").contains(line))
                        .toList(),
                "factory set",
                "accel: java.net.Socket and java.net.ServerSocket stay as they are");
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void attachedToAProgramWithAFactoryOfListenersAloneItSaysSo(Path jdk) throws Exception {
        List<String> said = attached(jdk, "server-factory", "wait", "channels");
        assertSaysWhatStays(
                said.stream()
                        .filter(line -> !List.of("ready", "told true").contains(line))
                        .toList(),
                "server-factory set",
                "accel: java.net.ServerSocket stays as it is");
    }

    private static void assertSaysWhatStays(List<String> said, String set, String stays) {
        assertThat(said).hasSize(3).startsWith(set).last().isEqualTo(CHANNELS);
        assertThat(said.get(1))
                .startsWith(stays + ", channels are Accel's all the same")
                .contains("has a socket factory already");
    }

    /** What a program says that is told to go on when it has the agent. */
    private List<String> attached(Path jdk, String... arguments) throws Exception {
        List<String> command = Child.accelerated(jdk, program(MAY_ATTACH), CarriedOnce.class, arguments);
        try (Child child = Child.start(dir, command)) {
            child.awaitOutput("ready");
            VirtualMachine machine = VirtualMachine.attach(Long.toString(child.pid()));
            try {
                machine.loadAgent(Child.JAR.toString());
            } finally {
                machine.detach();
            }
            child.send("");
            assertThat(child.status()).as(child.output()).isZero();
            return child.linesOfProgram();
        }
    }

    private static List<String> program(String... options) {
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of("-cp", Child.testClasses().toString()));
        return all;
    }

    private List<String> run(Path jdk, List<String> options, String... arguments) throws Exception {
        return Child.linesOf(dir, Child.accelerated(jdk, options, CarriedOnce.class, arguments));
    }
}
