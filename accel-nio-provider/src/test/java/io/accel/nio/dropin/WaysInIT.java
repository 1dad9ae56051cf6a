package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every way to put Accel under a program, none of which needs another flag or prints a line of its own. */
class WaysInIT {
    private static final List<String> ECHO = List.of("provider io.accel.nio.AccelSelectorProvider", "ready 1 read 7");

    @TempDir
    private Path dir;

    static Stream<Arguments> ways() {
        return Child.jdks()
                .flatMap(jdk -> Stream.of(
                        Arguments.of(
                                jdk,
                                List.of("-cp", Child.JAR + File.pathSeparator + Child.testClasses(), Child.PROVIDER)),
                        Arguments.of(
                                jdk,
                                List.of(
                                        "-javaagent:" + Child.JAR,
                                        "-cp",
                                        Child.testClasses().toString())),
                        Arguments.of(
                                jdk,
                                List.of(
                                        "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
                                        Child.PROVIDER,
                                        "-cp",
                                        Child.JAR + File.pathSeparator + Child.testClasses()))));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void theProgramRunsOnAccel(Path jdk, List<String> options) throws Exception {
        assertThat(echo(jdk, options)).containsExactlyElementsOf(ECHO);
    }

    /** The wildcard address is this host for whoever connects to it, also without IPv6. */
    @ParameterizedTest
    @MethodSource("ways")
    void withoutIpv6(Path jdk, List<String> options) throws Exception {
        List<String> all = new ArrayList<>(options);
        all.add("-Djava.net.preferIPv4Stack=true");
        assertThat(echo(jdk, all, "0.0.0.0")).containsExactlyElementsOf(ECHO);
    }

    /** Whoever is asked for a logger may open channels, and these are Accel's. */
    @ParameterizedTest
    @MethodSource("ways")
    void whereLoggersOpenChannels(Path jdk, List<String> options) throws Exception {
        Path services = Files.createDirectories(dir.resolve("META-INF/services"));
        Files.writeString(services.resolve("java.lang.System$LoggerFinder"), LoggerOverChannels.class.getName());
        List<String> all = new ArrayList<>(options);
        int classPath = all.indexOf("-cp") + 1;
        all.set(classPath, all.get(classPath) + File.pathSeparator + dir);
        all.add("-Daccel.handover.after=connect");
        all.add("-Daccel.log.connections=true");
        assertThat(echo(jdk, all)).containsAll(ECHO).contains("logged for io.accel");
    }

    private List<String> echo(Path jdk, List<String> options, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(jdk.resolve("bin/java").toString()));
        command.addAll(options);
        command.add(EchoOnce.class.getName());
        command.addAll(List.of(arguments));
        try (Child child = Child.start(dir, command)) {
            assertThat(child.status()).as(child.output()).isZero();
            return child.linesOfProgram();
        }
    }
}
