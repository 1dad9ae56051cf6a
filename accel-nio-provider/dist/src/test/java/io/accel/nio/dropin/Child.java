// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.AccelOptions;
import io.accel.testing.ChildJvm;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** A child process and what it has printed, on both streams. Closing it ends it. */
final class Child implements AutoCloseable {
    static final Path JAR = Path.of(System.getProperty("dropin.jar"));
    /** The option that makes a program Accel's. */
    static final String PROVIDER = "-Djava.nio.channels.spi.SelectorProvider=io.accel.nio.AccelSelectorProvider";

    /** With the line of the JDK's logging before it. */
    private static final Pattern START_LINE =
            Pattern.compile("[^\n]* io\\.accel\\.[^\n]*\nINFO: accel: \\S+, profile [^\n]*\n");

    private static final Path NEWER_JDK = Path.of(System.getProperty("newer.jdk", "/nowhere"));

    /** How often a test looks at what a child has printed. */
    private static final Duration LOOKS = Duration.ofMillis(5);

    private final Process process;
    private final Path log;

    private Child(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** The JDK that runs this test, and the newer one if the build was told of it. */
    static Stream<Path> jdks() {
        return Stream.of(Path.of(System.getProperty("java.home")), NEWER_JDK).filter(Files::isDirectory);
    }

    /**
     * The command line of a program with Accel, whose connections leave the kernel at once where they can.
     *
     * @param options for the JVM, the class path among them
     */
    static List<String> accelerated(Path jdk, List<String> options, Class<?> program, String... args) {
        List<String> all = new ArrayList<>(AccelOptions.AT_ONCE);
        all.addAll(options);
        return command(jdk, all, program, args);
    }

    /** The command line of {@link Probe}, with {@code options} for the JVM. */
    static List<String> probe(Path jdk, List<String> options, String... args) {
        List<String> all = new ArrayList<>(options);
        all.addAll(List.of("-cp", testClasses().toString()));
        return command(jdk, all, Probe.class, args);
    }

    private static List<String> command(Path jdk, List<String> options, Class<?> program, String... args) {
        List<String> command = new ArrayList<>(List.of(jdk.resolve("bin/java").toString()));
        command.addAll(options);
        command.add(program.getName());
        command.addAll(List.of(args));
        return command;
    }

    /** The jars of {@link OwnJnr}'s own jnr-ffi, as a part of a class path. */
    static String ownJnr() {
        return System.getProperty("own.jnr") + "/*";
    }

    /** The jars of the test's class path whose paths have {@code part} in them, as a part of a class path. */
    static String libraries(String part) {
        return Stream.of(ChildJvm.classPath().split(File.pathSeparator, -1))
                .filter(each -> each.contains(part))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** The class path of {@link Probe}, without Accel. */
    static Path testClasses() {
        return Path.of(System.getProperty("test.classes"));
    }

    static Child start(Path dir, List<String> command, Map<String, String> environment) throws IOException {
        Path log = Files.createTempFile(dir, "child", ".log");
        ProcessBuilder builder = new ProcessBuilder(ofShortLife(command))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().keySet().removeAll(List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"));
        builder.environment().putAll(environment);
        return new Child(builder.start(), log);
    }

    static Child start(Path dir, List<String> command) throws IOException {
        return start(dir, command, Map.of());
    }

    /** A JVM without the compiler that it would be over before; the command's own options come after this one. */
    private static List<String> ofShortLife(List<String> command) {
        List<String> all = new ArrayList<>(command);
        if (command.get(0).endsWith("/bin/java")) {
            all.add(1, ChildJvm.SHORT_LIFE);
        }
        return all;
    }

    /** The output of a program that ends by itself with status 0, without Accel's line about its start. */
    static List<String> linesOf(Path dir, List<String> command) throws IOException, InterruptedException {
        try (Child child = start(dir, command)) {
            assertThat(child.status()).as(child.output()).isZero();
            return child.linesOfProgram();
        }
    }

    long pid() {
        return process.pid();
    }

    String output() throws IOException {
        return Files.readString(log);
    }

    /** The program's output so far, without Accel's line about its start, which comes if the program lives for a second. */
    List<String> linesOfProgram() throws IOException {
        return START_LINE.matcher(output()).replaceAll("").lines().toList();
    }

    /** Writes a line to its standard input. */
    void send(String line) throws IOException {
        process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    /** Ends its standard input. */
    void closeInput() throws IOException {
        process.getOutputStream().close();
    }

    /** The text after {@code prefix} in the first line that begins with it; waits for that line. */
    String awaitRest(String prefix) throws IOException {
        await(() -> rest(prefix) != null);
        return rest(prefix);
    }

    /** Null as long as there is no whole line with the prefix. */
    private String rest(String prefix) throws IOException {
        String output = output();
        return output.substring(0, output.lastIndexOf('\n') + 1)
                .lines()
                .filter(line -> line.startsWith(prefix))
                .findFirst()
                .map(line -> line.substring(prefix.length()))
                .orElse(null);
    }

    /** Waits until {@code text} has been printed. */
    void awaitOutput(String text) {
        await(() -> output().contains(text));
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await()
                .atMost(30, TimeUnit.SECONDS)
                .pollDelay(Duration.ZERO)
                .pollInterval(LOOKS)
                .until(condition);
    }

    /** Waits for the end and returns the exit status. */
    int status() throws InterruptedException {
        return status(30);
    }

    /** As {@link #status()}, of a child that may take so many seconds. */
    int status(int seconds) throws InterruptedException {
        assertThat(process.waitFor(seconds, TimeUnit.SECONDS))
                .as("the child ends")
                .isTrue();
        return process.exitValue();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().onExit().join();
    }
}
