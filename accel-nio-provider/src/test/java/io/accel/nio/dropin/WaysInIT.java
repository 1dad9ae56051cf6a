package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every way to put Accel under a program, none of which needs another flag or prints a line of its own. */
class WaysInIT {
    private static final String PROPERTY =
            "-Djava.nio.channels.spi.SelectorProvider=io.accel.nio.AccelSelectorProvider";

    @TempDir
    private Path dir;

    static Stream<Arguments> ways() {
        return Child.jdks()
                .flatMap(jdk -> Stream.of(
                        Arguments.of(
                                jdk, List.of("-cp", Child.JAR + File.pathSeparator + Child.testClasses(), PROPERTY)),
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
                                        PROPERTY,
                                        "-cp",
                                        Child.JAR + File.pathSeparator + Child.testClasses()))));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void theProgramRunsOnAccel(Path jdk, List<String> options) throws Exception {
        List<String> command = Stream.of(
                        List.of(jdk.resolve("bin/java").toString()), options, List.of(EchoOnce.class.getName()))
                .flatMap(List::stream)
                .toList();
        try (Child child = Child.start(dir, command)) {
            assertThat(child.status()).as(child.output()).isZero();
            assertThat(child.output().lines())
                    .containsExactly("provider io.accel.nio.AccelSelectorProvider", "ready 1 read 7");
        }
    }
}
