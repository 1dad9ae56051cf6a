// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.ChildJvm;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The drop-in jar calls native code by itself, beside a program with another version of the same libraries, on any machine:
 * RDMA's classes are loaded, call the C library, and list the devices.
 */
class OwnJnrIT {
    private static final Path JDK = Path.of(System.getProperty("java.home"));
    /** The output of the classes on any machine, if they work. */
    private static final String ACCEL =
            "accel (has a device|.*(no RDMA device|libibverbs|librdmacm|infiniband).*) accel\\.jar";

    private static final String OWN = "own true jnr-ffi-[0-9.]+\\.jar";

    @TempDir
    private Path dir;

    static Stream<Arguments> orders() {
        return Child.jdks()
                .flatMap(jdk -> Stream.of(
                        Arguments.of(jdk, List.of("accel"), List.of(ACCEL)),
                        Arguments.of(jdk, List.of("own", "accel", "own"), List.of(OWN, ACCEL, OWN)),
                        Arguments.of(jdk, List.of("accel", "own", "accel"), List.of(ACCEL, OWN, ACCEL))));
    }

    @ParameterizedTest
    @MethodSource("orders")
    void bothVersionsWorkAndNoFileIsLeft(Path jdk, List<String> order, List<String> lines) throws Exception {
        List<String> out = run(jdk, Child.ownJnr(), List.of("-Djava.io.tmpdir=" + dir), order);
        List<String> expected = new ArrayList<>(lines);
        expected.addAll(List.of("left \\[\\]", "open true"));
        assertThat(out).hasSameSizeAs(expected);
        for (int i = 0; i < expected.size(); i++) {
            assertThat(out.get(i)).matches(expected.get(i));
        }
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void aProgramWithoutNativeCodeNeedsNoJarMore(Path jdk) throws Exception {
        assertThat(run(jdk, "", List.of("-Djava.io.tmpdir=" + dir), List.of("accel")))
                .first()
                .asString()
                .matches(ACCEL);
    }

    @Test
    void withoutADirectoryForTemporaryFilesAnotherIsTaken() throws Exception {
        Path missing = dir.resolve("missing");
        Child child = start(JDK, "", List.of("-Djava.io.tmpdir=" + missing, "-Duser.dir=" + dir), List.of("accel"));
        try (child) {
            assertThat(child.status()).isNotZero(); // the program itself lists that directory
            assertThat(child.output().lines()).first().asString().matches(ACCEL);
        }
        assertThat(Files.exists(missing)).isFalse();
        try (Stream<Path> left = Files.list(dir)) {
            assertThat(left).noneMatch(file -> file.getFileName().toString().endsWith(".so"));
        }
    }

    @Test
    void whereNativeCodeCannotBeLoadedThatIsSaidWithTheRemedy() throws Exception {
        Path missing = dir.resolve("missing");
        List<String> options = List.of("-Djava.io.tmpdir=" + missing, "-Duser.dir=" + missing);
        try (Child child = start(JDK, "", options, List.of("accel", "accel"))) {
            assertThat(child.status()).isNotZero();
            assertThat(child.output().lines().filter(line -> line.startsWith("accel")))
                    .hasSize(2)
                    .allMatch(line -> line.contains("FallbackException") && line.contains("-Djava.io.tmpdir"));
        }
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void aJvmThatDeniesNativeAccessFallsBack(Path jdk) throws Exception {
        if (ChildJvm.feature(jdk).orElseThrow() < 24) {
            return; // it denies nothing
        }
        List<String> options = List.of("-Djava.io.tmpdir=" + dir, "--illegal-native-access=deny");
        assertThat(run(jdk, "", options, List.of("accel")))
                .first()
                .asString()
                .contains("FallbackException", "--enable-native-access=ALL-UNNAMED");
        List<String> allowed = new ArrayList<>(options);
        allowed.add("--enable-native-access=ALL-UNNAMED");
        assertThat(run(jdk, "", allowed, List.of("accel"))).first().asString().matches(ACCEL);
    }

    /** Its output, without the JVM's warnings and Accel's line about its start. */
    private List<String> run(Path jdk, String libraries, List<String> options, List<String> what) throws Exception {
        try (Child child = start(jdk, libraries, options, what)) {
            assertThat(child.status()).as(child.output()).isZero();
            return child.linesOfProgram().stream()
                    .filter(line -> !line.startsWith("WARNING: ") && !line.isEmpty())
                    .toList();
        }
    }

    private Child start(Path jdk, String libraries, List<String> options, List<String> what) throws Exception {
        List<String> command = new ArrayList<>(List.of(jdk.resolve("bin/java").toString()));
        command.addAll(options);
        command.add(Child.PROVIDER);
        command.add("-cp");
        command.add(String.join(
                File.pathSeparator, Child.JAR.toString(), Child.testClasses().toString(), libraries));
        command.add(OwnJnr.class.getName());
        command.addAll(what);
        return Child.start(dir, command, Map.of("XDG_RUNTIME_DIR", ""));
    }
}
