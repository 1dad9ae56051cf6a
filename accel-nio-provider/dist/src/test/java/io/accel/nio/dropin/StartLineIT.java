// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The log line about Accel's start, once in each process, with a logging back end that nobody has configured. */
@Timeout(60)
class StartLineIT {
    private static final Pattern LINE = Pattern.compile("INFO: accel: \\d\\S*, profile .*");

    @TempDir
    private Path dir;

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void ofAProviderByProperty(Path jdk) throws Exception {
        assertThat(said(jdk, Child.PROVIDER, "-Daccel.shm.dir=" + dir))
                .contains(", profile balanced, shared memory in " + dir + ", ");
    }

    /** Its sockets and channels belong to one and the same Accel. */
    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void ofTheAgent(Path jdk) throws Exception {
        assertThat(said(jdk, "-javaagent:" + Child.JAR + "=profile=latency", "-Daccel.fabric.order=shm"))
                .endsWith(", profile latency, shared memory in /dev/shm, no RDMA (fabric.order)");
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void ofAProfileThatIsOff(Path jdk) throws Exception {
        assertThat(said(jdk, Child.PROVIDER, "-Daccel.profile=off")).endsWith(", profile off, nothing is accelerated");
    }

    /** A directory that anybody can write, on a tmpfs: only the sticky bit is missing. */
    @Test
    void whatIsWrongWithTheDirectoryIsSaidBehindIt() throws Exception {
        Path open = Files.createTempDirectory(Path.of("/dev/shm"), "accel-start-line-");
        try {
            Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
            String said = output(
                    "WARNING: accel: ",
                    Path.of(System.getProperty("java.home")),
                    Child.PROVIDER,
                    "-Daccel.shm.dir=" + open);
            assertThat(said.lines().filter(line -> line.startsWith("WARNING: ")))
                    .as(said)
                    .singleElement()
                    .asString()
                    .startsWith("WARNING: accel: " + open + " (shm.dir) can be written by everybody")
                    .endsWith("chmod +t " + open);
        } finally {
            Files.delete(open);
        }
    }

    /** The JVM itself says it in the cause of a cause, and later not at all. */
    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void aMistakeIsTheFirstThatIsSaid(Path jdk) throws Exception {
        List<String> command = List.of(
                jdk.resolve("bin/java").toString(),
                Child.PROVIDER,
                "-Daccel.ring.sise=1",
                "-cp",
                Child.JAR + ":" + Child.testClasses(),
                EchoUntilTold.class.getName());
        try (Child child = Child.start(dir, command)) {
            assertThat(child.status()).isNotZero();
            assertThat(child.output().lines().filter(line -> line.startsWith("accel: ")))
                    .as(child.output())
                    .containsExactly("accel: -Daccel.ring.sise: unknown key 'ring.sise'; did you mean 'ring.size'?");
            assertThat(child.output()).startsWith("accel: ");
        }
    }

    private String said(Path jdk, String... options) throws Exception {
        String all = output("INFO: accel: ", jdk, options);
        List<String> lines = all.lines().filter(LINE.asMatchPredicate()).toList();
        assertThat(lines).as(all).hasSize(1);
        return lines.get(0);
    }

    /** What the program prints, which it does until it has printed that. */
    private String output(String until, Path jdk, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(jdk.resolve("bin/java").toString()));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", Child.JAR + ":" + Child.testClasses(), EchoUntilTold.class.getName()));
        try (Child child = Child.start(dir, command)) {
            child.awaitOutput("PORT ");
            child.awaitOutput(until);
            child.closeInput();
            child.status();
            return child.output();
        }
    }
}
