// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.ChildJvm;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Nothing but the drop-in jar and a program: every byte goes over RDMA, on each JDK of the machine, and on both ways to put
 * the jar under the program. The jar is the build's, {@code mvn package} makes it.
 */
@EnabledIfEnvironmentVariable(
        named = "ACCEL_LAB_HOST",
        matches = "A",
        disabledReason = "not in the lab: samples/lab/junit runs this there")
@Timeout(900)
class DropInJarTest {
    private static final String ADDRESS = "10.78.0.1";
    private static final Path JAR =
            Path.of("..", "target", "accel.jar").toAbsolutePath().normalize();
    private static final Path PROGRAMS = Path.of("target", "test-classes").toAbsolutePath();

    /**
     * The directory in which the programs unpack the libraries that they load; the machine's own directory has other processes'
     * files, too.
     */
    @TempDir
    Path unpacked;

    static Stream<Arguments> ways() throws IOException {
        String both = JAR + File.pathSeparator + PROGRAMS;
        return jdks().flatMap(jdk -> Stream.of(
                Arguments.of(jdk, both, List.of(Program.PROVIDER)),
                Arguments.of(jdk, PROGRAMS.toString(), List.of("-javaagent:" + JAR))));
    }

    /** This test's own JDK, and the newest of the machine. */
    private static Stream<Path> jdks() throws IOException {
        Path own = Path.of(System.getProperty("java.home")).toRealPath();
        Path newest = own;
        try (Stream<Path> all = Files.list(Path.of("/usr/lib/jvm"))) {
            for (Path jdk : all.filter(each -> Files.isExecutable(each.resolve("bin/java")))
                    .toList()) {
                newest = ChildJvm.feature(jdk).orElse(0)
                                > ChildJvm.feature(newest).orElse(0)
                        ? jdk
                        : newest;
            }
        }
        return Stream.of(own, newest).distinct();
    }

    @BeforeEach
    void theJarIsThere() {
        assertThat(JAR).as("mvn package makes it").isRegularFile();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void theJarAloneCarriesAProgramOverRdma(Path jdk, String classPath, List<String> way) throws Exception {
        List<String> options = new ArrayList<>(way);
        options.add("-Djava.io.tmpdir=" + unpacked);
        try (Program server = Program.start(jdk, classPath, options, NioServer.class, ADDRESS)) {
            String port = server.await("port ");
            try (Program ping =
                            Program.start(jdk, classPath, options, NioClient.class, ADDRESS, port, "ping", 64, 200);
                    Program bulk = Program.start(
                            jdk, classPath, options, NioClient.class, ADDRESS, port, "bulk", 1, 2_000_000)) {
                ping.await("ping 64 B");
                bulk.await("bulk 2000000 B: all came back");
                ping.awaitSuccess();
                bulk.awaitSuccess();
            }
        }
        try (Stream<Path> left = Files.list(unpacked)) {
            assertThat(left).noneMatch(file -> file.getFileName().toString().startsWith("accel-jffi-"));
        }
    }
}
