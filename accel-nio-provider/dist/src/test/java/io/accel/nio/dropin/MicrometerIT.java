// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.observe.BuildInfo;
import io.accel.profile.Profile;
import io.accel.testing.AccelOptions;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The examples of docs/METRICS.md, compiled against the finished jar and the program's own Micrometer, in several places. */
@Timeout(120)
class MicrometerIT {
    private static final Pattern EXAMPLES = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final String JAR = Child.JAR.toString();

    @TempDir
    private Path dir;

    private Path program;
    private Path launcher;

    @BeforeEach
    void compile() throws Exception {
        List<String> examples = EXAMPLES.matcher(Files.readString(Path.of("..", "..", "docs", "METRICS.md")))
                .results()
                .map(each -> each.group(1))
                .toList();
        assertThat(examples).hasSize(2);
        program = compile(
                "Program",
                """
                import io.micrometer.core.instrument.MeterRegistry;
                import io.micrometer.core.instrument.binder.MeterBinder;
                import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
                import java.net.InetAddress;
                import java.net.InetSocketAddress;
                import java.nio.ByteBuffer;
                import java.nio.channels.ServerSocketChannel;
                import java.nio.channels.SocketChannel;

                public final class Program {
                    public static void main(String[] arguments) throws Exception {
                        MeterRegistry registry = new SimpleMeterRegistry();
                        %s
                        MeterRegistry springs = new SimpleMeterRegistry();
                        new Program().accelMetrics().bindTo(springs);
                        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
                        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(any);
                                SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                                SocketChannel server = listener.accept()) {
                            client.write(ByteBuffer.allocate(7));
                            for (int got = 0; got < 7;) {
                                got += server.read(ByteBuffer.allocate(7));
                            }
                            say(registry);
                            say(springs);
                        }
                    }

                    /** The accepted end may get its path, for which its bytes count, only after they have come. */
                    private static void say(MeterRegistry registry) {
                        var bytes = registry.get("accel.bytes").tags("path", "shm", "direction", "in").functionCounter();
                        long start = System.nanoTime();
                        while (bytes.count() == 0 && System.nanoTime() - start < 10_000_000_000L) {
                            Thread.onSpinWait();
                        }
                        System.out.println("meters " + bytes.count()
                                + " " + registry.get("accel.build.info").gauge().getId().getTag("version"));
                    }

                    %s
                }
                """.formatted(examples.get(0), examples.get(1).replace("@Bean", "")),
                JAR + File.pathSeparator + micrometer());
        launcher = compile("Launcher", """
                public final class Launcher {
                    public static void main(String[] nested) throws Exception {
                        java.net.URL[] urls = new java.net.URL[nested.length];
                        for (int i = 0; i < urls.length; i++) {
                            urls[i] = java.nio.file.Path.of(nested[i]).toUri().toURL();
                        }
                        ClassLoader loader = new java.net.URLClassLoader(urls, Launcher.class.getClassLoader());
                        Thread.currentThread().setContextClassLoader(loader);
                        loader.loadClass("Program").getMethod("main", String[].class).invoke(null, (Object) new String[0]);
                    }
                }
                """, "");
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void withThePropertyAloneAndAccelFirst(Path jdk) throws Exception {
        assertBound(jdk, List.of(Child.PROVIDER, "-cp", path(JAR, micrometer(), program.toString()), "Program"));
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void withThePropertyAloneAndMicrometerFirst(Path jdk) throws Exception {
        assertBound(jdk, List.of(Child.PROVIDER, "-cp", path(program.toString(), micrometer(), JAR), "Program"));
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void withTheAgent(Path jdk) throws Exception {
        assertBound(jdk, List.of("-javaagent:" + JAR, "-cp", path(program.toString(), micrometer()), "Program"));
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void withTheAgentAndThePageOfTheJarsOwn(Path jdk) throws Exception {
        assertBound(
                jdk,
                List.of(
                        "-javaagent:" + JAR + "=metrics=prometheus:0",
                        "-cp",
                        path(program.toString(), micrometer()),
                        "Program"));
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void withTheAgentAndMicrometerInAnApplicationsJars(Path jdk) throws Exception {
        assertBound(jdk, nested(List.of("-javaagent:" + JAR, "-cp", launcher.toString()), List.of()));
    }

    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void withThePropertyAloneAndMicrometerInAnApplicationsJars(Path jdk) throws Exception {
        assertBound(jdk, nested(List.of(Child.PROVIDER, "-cp", path(JAR, launcher.toString())), List.of()));
    }

    /** Its copy of Accel's library is not loaded, as the application's loader asks its parent first. */
    @ParameterizedTest
    @MethodSource("io.accel.nio.dropin.Child#jdks")
    void withTheAgentAndAccelsLibraryInAnApplicationsJars(Path jdk) throws Exception {
        assertBound(
                jdk,
                nested(
                        List.of("-javaagent:" + JAR, "-cp", launcher.toString()),
                        List.of(placeOf(BuildInfo.class), placeOf(Profile.class))));
    }

    @Test
    void theJarHasNoMicrometer() throws Exception {
        try (var jar = new java.util.jar.JarFile(Child.JAR.toFile())) {
            assertThat(jar.stream().map(Object::toString)).noneMatch(name -> name.contains("micrometer/"));
        }
    }

    private void assertBound(Path jdk, List<String> arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(jdk.resolve("bin/java").toString()));
        command.addAll(AccelOptions.atOnceIn(Files.createTempDirectory(dir, "shm")));
        command.addAll(arguments);
        try (Child child = Child.start(dir, command)) {
            int status = child.status();
            assertThat(child.output().lines().filter(line -> line.startsWith("meters ")))
                    .as(child.output())
                    .hasSize(2)
                    .allMatch(line -> line.matches("meters 7\\.0 \\d.*"));
            assertThat(status).isZero();
        }
    }

    private List<String> nested(List<String> options, List<String> more) throws Exception {
        List<String> arguments = new ArrayList<>(options);
        arguments.add("Launcher");
        arguments.add(program.toString());
        arguments.addAll(List.of(micrometer().split(File.pathSeparator)));
        arguments.addAll(more);
        return arguments;
    }

    /** The classes of a source. */
    private Path compile(String name, String source, String classPath) throws Exception {
        Path file = dir.resolve(name + ".java");
        Files.writeString(file, source);
        Path classes = Files.createDirectory(dir.resolve(name));
        int status = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-cp", classPath, "-d", classes.toString(), file.toString());
        assertThat(status).as(source).isZero();
        return classes;
    }

    /** The jars of Micrometer and its dependencies, as a part of a class path. */
    private static String micrometer() {
        String all = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        Matcher wanted = Pattern.compile("(micrometer|HdrHistogram|LatencyUtils|jspecify)-[^/]*\\.jar$")
                .matcher("");
        return Stream.of(all.split(File.pathSeparator))
                .filter(entry -> wanted.reset(entry).find())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String path(String... parts) {
        return String.join(File.pathSeparator, parts);
    }

    private static String placeOf(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI())
                .toString();
    }
}
