// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.RealProgram;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A web application, whose class loader asks its parent last, and that brings a second copy of the jar. It is the first in its JVM that
 * opens a channel. When it is gone Tomcat looks for threads and thread locals that it has left behind, and finds none.
 */
@RealProgram(
        name = "Apache Tomcat, a web application in it",
        artifact = "org.apache.tomcat.embed:tomcat-embed-core",
        how =
                "channels and sockets of the application, which has a copy of the jar of its own, with the agent and with the property")
@Timeout(120)
class WebApplicationIT {
    /** What Tomcat needs for that look. */
    private static final List<String> OPEN = Stream.of(
                    "java.base/java.io",
                    "java.base/java.lang",
                    "java.base/java.util",
                    "java.base/java.util.concurrent",
                    "java.rmi/sun.rmi.transport")
            .map(each -> "--add-opens=" + each + "=ALL-UNNAMED")
            .toList();

    @TempDir
    private Path dir;

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void aWebApplicationIsAcceleratedAndLeavesNothing(Path jdk) throws Exception {
        Path home = Files.createTempDirectory(dir, "tomcat");
        Path inf = home.resolve("app/WEB-INF");
        TestJar.copy(inf.resolve("classes"), CarriedInWebApplication.class, CarriedOnce.class);
        Files.copy(Child.JAR, Files.createDirectory(inf.resolve("lib")).resolve("accel.jar"));

        assertThat(run(jdk, home, List.of(), "")).containsExactlyElementsOf(expected(true, true));
        assertThat(run(jdk, home, List.of(Child.PROVIDER), Child.JAR.toString()))
                .containsExactlyElementsOf(expected(true, false));
        assertThat(run(jdk, home, List.of("-javaagent:" + Child.JAR), ""))
                .containsExactlyElementsOf(expected(false, false));
    }

    private static List<String> expected(boolean areSocketsTheKernels, boolean areChannelsTheKernels) {
        return List.of(
                "loader org.apache.catalina.loader.ParallelWebappClassLoader",
                CarriedOnce.said("sockets", areSocketsTheKernels),
                CarriedOnce.said("channels", areChannelsTheKernels),
                "stopped");
    }

    /** What it says, without what Tomcat and Accel note in the log. */
    private List<String> run(Path jdk, Path home, List<String> options, String more) throws Exception {
        Path host = TestJar.of(Files.createTempDirectory(dir, "host").resolve("host.jar"), Map.of(), WebServer.class);
        String classPath =
                String.join(File.pathSeparator, host.toString(), Child.libraries("/org/apache/tomcat/"), more);
        List<String> all = new ArrayList<>(options);
        all.addAll(OPEN);
        all.addAll(List.of("-cp", classPath));
        List<String> command =
                Child.accelerated(jdk, all, WebServer.class, home.toString(), CarriedInWebApplication.class.getName());
        try (Child child = Child.start(dir, command)) {
            assertThat(child.status()).as(child.output()).isZero();
            return child.output()
                    .lines()
                    .filter(line -> !line.startsWith("INFO: ") && !line.matches("\\w+ \\d+, \\d+ .* [AP]M .*"))
                    .toList();
        }
    }
}
