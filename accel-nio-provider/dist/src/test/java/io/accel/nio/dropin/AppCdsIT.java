// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.ChildJvm;
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
import org.junit.jupiter.params.provider.MethodSource;

/** A program with an archive of its classes, and of Accel's: AppCDS, and on newer JDKs an AOT cache (JEP 483, JEP 514). */
@Timeout(120)
class AppCdsIT {
    /** The first JDK that makes an AOT cache in one run of the program. */
    private static final int FIRST_CACHING = 25;

    @TempDir
    private Path dir;

    private String classPath;
    private Path archive;

    @BeforeEach
    void makeTheProgramAJar() throws Exception {
        // The JVM archives no classes of directories.
        Path program = TestJar.of(dir.resolve("program.jar"), Map.of(), CarriedOnce.class);
        classPath = Child.JAR + ":" + program;
        archive = dir.resolve("program.jsa");
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void theClassesComeFromTheArchive(Path jdk) throws Exception {
        List<String> byProperty = List.of(CarriedOnce.said("sockets", true), CarriedOnce.said("channels", false));
        assertThat(run(jdk, "-XX:ArchiveClassesAtExit=" + archive, Child.PROVIDER))
                .as("all but what the JVM says of classes of its own that it leaves out")
                .filteredOn(line -> !line.contains("[cds] Skipping jdk/"))
                .containsExactlyElementsOf(byProperty);

        Path loaded = dir.resolve("loaded.log");
        String use = "-XX:SharedArchiveFile=" + archive;
        assertThat(run(jdk, use, Child.PROVIDER, "-Xlog:class+load:file=" + loaded))
                .containsExactlyElementsOf(byProperty);
        assertThat(Files.readAllLines(loaded))
                .filteredOn(line -> line.contains(" io.accel.nio.AccelSelectorProvider "))
                .singleElement()
                .asString()
                .contains("source: shared objects file (top)");

        Path idle = TestJar.of(
                dir.resolve("idle.jar"), Map.of("Premain-Class", OtherAgent.class.getName()), OtherAgent.class);
        List<String> ofAnyAgent =
                withoutTimes(run(jdk, use, Child.PROVIDER, "-javaagent:" + idle + "=idle"), byProperty);
        List<String> byAgent = List.of(CarriedOnce.said("sockets", false), CarriedOnce.said("channels", false));
        List<String> said = run(jdk, use, "-javaagent:" + Child.JAR);
        assertThat(said).containsAll(byAgent);
        assertThat(withoutTimes(said, byAgent)).as("no more than of any agent").isEqualTo(ofAnyAgent);
    }

    /** The JDKs that make a cache in one run of the program. */
    static Stream<Path> cachingJdks() {
        return Child.jdks().filter(jdk -> ChildJvm.feature(jdk).orElse(0) >= FIRST_CACHING);
    }

    @ParameterizedTest
    @MethodSource("cachingJdks")
    void theClassesComeFromTheAotCache(Path jdk) throws Exception {
        List<String> made = run(jdk, "-XX:AOTCacheOutput=" + archive, Child.PROVIDER);
        assertThat(archive).as(String.join("\n", made)).isNotEmptyFile();
        Path loaded = dir.resolve("loaded.log");
        assertThat(run(
                        jdk,
                        "-XX:AOTCache=" + archive,
                        "-XX:AOTMode=on",
                        Child.PROVIDER,
                        "-Xlog:class+load:file=" + loaded))
                .containsExactly(CarriedOnce.said("sockets", true), CarriedOnce.said("channels", false));
        assertThat(Files.readAllLines(loaded))
                .filteredOn(line -> line.contains(" io.accel.core.socket.StreamSocket "))
                .singleElement()
                .asString()
                .contains("source: shared objects file");
    }

    /** What the JVM says, beside what the program does. */
    private static List<String> withoutTimes(List<String> said, List<String> programs) {
        return said.stream()
                .filter(line -> !programs.contains(line))
                .map(line -> line.replaceFirst("^\\[[0-9.]+s]", ""))
                .toList();
    }

    private List<String> run(Path jdk, String... options) throws Exception {
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of("-cp", classPath));
        return Child.linesOf(dir, Child.accelerated(jdk, all, CarriedOnce.class, "sockets", "channels"));
    }
}
