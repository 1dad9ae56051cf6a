// SPDX-License-Identifier: Apache-2.0
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
    private static final String READ = "ready 1 read 7";
    private static final List<String> ECHO = List.of("provider io.accel.nio.AccelSelectorProvider", READ);
    private static final List<String> PLAIN_ECHO = List.of("provider sun.nio.ch.EPollSelectorProvider", READ);

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

    /** The options that run it on the JDK's provider. */
    private static List<String> plain() {
        return new ArrayList<>(List.of("-cp", Child.testClasses().toString()));
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void withoutAnyOfThemItRunsOnTheJdk(Path jdk) throws Exception {
        assertThat(echo(jdk, plain())).containsExactlyElementsOf(PLAIN_ECHO);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void theProgramRunsOnAccel(Path jdk, List<String> options) throws Exception {
        assertThat(echo(jdk, options)).containsExactlyElementsOf(ECHO);
    }

    /** A program that connects to the wildcard address reaches this host, also without IPv6. */
    @ParameterizedTest
    @MethodSource("ways")
    void withoutIpv6(Path jdk, List<String> options) throws Exception {
        List<String> plain = plain();
        List<String> all = new ArrayList<>(options);
        for (List<String> each : List.of(plain, all)) {
            each.add("-Djava.net.preferIPv4Stack=true");
        }
        assertThat(echo(jdk, plain, "0.0.0.0")).containsExactlyElementsOf(PLAIN_ECHO);
        assertThat(echo(jdk, all, "0.0.0.0")).containsExactlyElementsOf(ECHO);
    }

    /** A back end that is asked for a logger may open channels, and these are Accel's. */
    @ParameterizedTest
    @MethodSource("ways")
    void whereLoggersOpenChannels(Path jdk, List<String> options) throws Exception {
        Path services = Files.createDirectories(dir.resolve("META-INF/services"));
        Files.writeString(services.resolve("java.lang.System$LoggerFinder"), LoggerOverChannels.class.getName());
        List<String> plain = plain();
        List<String> all = new ArrayList<>(options);
        for (List<String> each : List.of(plain, all)) {
            int classPath = each.indexOf("-cp") + 1;
            each.set(classPath, each.get(classPath) + File.pathSeparator + dir);
            each.add("-Decho.logs=true");
        }
        assertThat(echo(jdk, plain)).containsAll(PLAIN_ECHO).contains("logged for echo");
        all.add("-Daccel.handover.after=connect");
        all.add("-Daccel.log.connections=true");
        assertThat(echo(jdk, all)).containsAll(ECHO).contains("logged for echo", "logged for io.accel");
    }

    /** It gets the connections that it asked for, and they go through the kernel. */
    @ParameterizedTest
    @MethodSource("ways")
    void aProgramThatNamesItsProviderIsNotAccelerated(Path jdk, List<String> options) throws Exception {
        List<String> plain = plain();
        List<String> all = new ArrayList<>(options);
        for (List<String> each : List.of(plain, all)) {
            each.add("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");
        }
        all.add("-Daccel.handover.after=connect");
        List<String> expected = List.of("channel sun.nio.ch.SocketChannelImpl", "read 7", "kernel's true");
        assertThat(run(jdk, plain, NamesItsProvider.class)).containsExactlyElementsOf(expected);
        assertThat(run(jdk, all, NamesItsProvider.class)).containsExactlyElementsOf(expected);
    }

    /** The jar is where a web application has it: the JDK does not look there, and says so if it was told to. */
    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void aProviderOfAnotherClassLoaderIsNotFound(Path jdk) throws Exception {
        assertThat(run(jdk, plain(), ProviderOfAnotherLoader.class, Child.JAR.toString()))
                .containsExactly("the loader has it true", "provider sun.nio.ch.EPollSelectorProvider");
        List<String> told = plain();
        told.add(Child.PROVIDER);
        assertThat(run(jdk, told, ProviderOfAnotherLoader.class, Child.JAR.toString()))
                .containsExactly("the loader has it true", "not found");
    }

    private List<String> echo(Path jdk, List<String> options, String... arguments) throws Exception {
        return run(jdk, options, EchoOnce.class, arguments);
    }

    private List<String> run(Path jdk, List<String> options, Class<?> program, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(jdk.resolve("bin/java").toString()));
        command.addAll(options);
        command.add(program.getName());
        command.addAll(List.of(arguments));
        return Child.linesOf(dir, command);
    }
}
