// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Run-time images with the fewest modules that the jar works with; docs/TROUBLESHOOTING.md names them. */
@Timeout(180)
class JlinkIT {
    private static final int JLINK_SECONDS = 120;

    /** With the property; these are all that the jar cannot do without. */
    private static final String LEAST = "java.base,jdk.net,jdk.unsupported";

    private static final List<String> BY_PROPERTY =
            List.of(Child.PROVIDER, "-cp", Child.JAR + ":" + Child.testClasses());
    private static final List<String> BY_AGENT =
            List.of("-javaagent:" + Child.JAR, "-cp", Child.testClasses().toString());

    @TempDir
    private Path dir;

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void theProperty(Path jdk) throws Exception {
        assertThat(run(image(jdk, LEAST), BY_PROPERTY, "channels"))
                .containsExactly(CarriedOnce.said("channels", false));
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void theAgent(Path jdk) throws Exception {
        assertThat(run(image(jdk, LEAST + ",java.instrument"), BY_AGENT, "sockets", "channels"))
                .containsExactly(CarriedOnce.said("sockets", false), CarriedOnce.said("channels", false));
    }

    /** A JVM that may see these modules alone is as an image that has no others. */
    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void withoutOneOfThemALineSaysWhichAndTheProgramGoesOn(Path jdk) throws Exception {
        List<String> withoutNet = new ArrayList<>(BY_AGENT);
        withoutNet.add(0, "--limit-modules=java.base,java.instrument,jdk.unsupported");
        assertThat(said(run(jdk, withoutNet, "channels")))
                .containsExactly("the module jdk.net", CarriedOnce.said("channels", true));
        List<String> withoutUnsupported = new ArrayList<>(BY_AGENT);
        withoutUnsupported.add(0, "--limit-modules=java.base,java.instrument,jdk.net");
        assertThat(said(run(jdk, withoutUnsupported, "sockets", "channels")))
                .containsExactly(
                        "the module jdk.unsupported",
                        CarriedOnce.said("sockets", true),
                        CarriedOnce.said("channels", true));
    }

    /** Of a line of Accel's the module that it names; without the line before it, of the JDK's logging. */
    private static List<String> said(List<String> lines) {
        return lines.stream()
                .filter(line -> !line.matches(".* io\\.accel.*"))
                .map(line -> line.replaceAll("^(WARNING: )?accel: .*(the module [a-z.]*[a-z]).*", "$2"))
                .toList();
    }

    private Path image(Path jdk, String modules) throws Exception {
        Path image = dir.resolve("image");
        List<String> command =
                List.of(jdk.resolve("bin/jlink").toString(), "--add-modules", modules, "--output", image.toString());
        try (Child jlink = Child.start(dir, command)) {
            assertThat(jlink.status(JLINK_SECONDS)).as(jlink.output()).isZero();
        }
        return image;
    }

    private List<String> run(Path java, List<String> options, String... arguments) throws Exception {
        return Child.linesOf(dir, Child.accelerated(java, options, CarriedOnce.class, arguments));
    }
}
