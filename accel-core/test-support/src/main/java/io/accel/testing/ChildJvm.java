// SPDX-License-Identifier: Apache-2.0
package io.accel.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Runs a class of a test in a JVM of its own, for decisions that a JVM makes once, or faults that end it. The JVM has the class
 * path of the test, but no environment variable with options for JVMs. It is gone when {@link #run} returns, and so are its
 * output files.
 *
 * <p>One thread makes it, sets the differences, and runs or starts it.
 */
public final class ChildJvm {
    /**
     * The option of a JVM that lives for seconds. The best code comes too late for it, and compiling that takes a third of its processor
     * time.
     */
    public static final String SHORT_LIFE = "-XX:TieredStopAtLevel=1";

    private static final long LIMIT_SECONDS = 50;

    private final String name;
    /** The end of the command, without the program's arguments. */
    private final List<String> program;

    private final List<String> prefix = new ArrayList<>();
    private final List<String> options = new ArrayList<>();
    private Path jdk = Path.of(System.getProperty("java.home"));

    /**
     * How it ended.
     *
     * @param status its exit status
     * @param output what it printed, on both streams
     */
    public record Ended(int status, String output) {
        /** The output of a process on both streams; the process must have ended with status 0. */
        public String orderly() {
            if (status != 0) {
                throw new AssertionError("the child ended with status " + status + " and said:\n" + output);
            }
            return output;
        }
    }

    /**
     * A JVM like the test's own.
     *
     * @param main has the main method
     */
    public ChildJvm(Class<?> main) {
        // Surefire's own class path is one jar that names the rest.
        this(main.getName(), List.of("-cp", classPath(), main.getName()));
    }

    private ChildJvm(String name, List<String> program) {
        this.name = name;
        this.program = program;
    }

    /**
     * A JVM with a module path, and no class path.
     *
     * @param modulePath has the program's module, and all that it requires
     * @param main the module, a slash, and the class with the main method
     * @return the JVM
     */
    public static ChildJvm ofModule(String modulePath, String main) {
        return new ChildJvm(main, List.of("--module-path", modulePath, "--module", main));
    }

    /** Returns the class path of the test. */
    public static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    /**
     * Reads the feature release of a JDK, such as 17, from the file with which JDKs name their release.
     *
     * @param jdk the JDK's directory
     * @return the number, or nothing if the directory names none
     * @throws UncheckedIOException if the file is there, and cannot be read
     */
    public static OptionalInt feature(Path jdk) {
        Path release = jdk.resolve("release");
        if (!Files.exists(release)) {
            return OptionalInt.empty();
        }
        try (Stream<String> lines = Files.lines(release)) {
            return lines.filter(line -> line.startsWith("JAVA_VERSION="))
                    .map(line -> line.replaceAll("^[^\"]*\"([0-9]+).*$", "$1"))
                    .mapToInt(Integer::parseInt)
                    .findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Makes it run on another JDK.
     *
     * @param home the JDK's directory
     * @return this
     */
    public ChildJvm on(Path home) {
        jdk = home;
        return this;
    }

    /**
     * Makes another command run the JVM's command.
     *
     * @param command with its arguments
     * @return this
     */
    public ChildJvm behind(String... command) {
        prefix.addAll(List.of(command));
        return this;
    }

    /**
     * Gives the JVM options.
     *
     * @param more of them
     * @return this
     */
    public ChildJvm with(String... more) {
        return with(List.of(more));
    }

    /**
     * Gives the JVM options.
     *
     * @param more of them
     * @return this
     */
    public ChildJvm with(List<String> more) {
        options.addAll(more);
        return this;
    }

    /**
     * Runs it.
     *
     * @param arguments of the main method
     * @return how it ended
     * @throws IOException if it cannot be started
     * @throws InterruptedException if the test has to end
     * @throws AssertionError if it has not ended after {@value #LIMIT_SECONDS} s, with its output
     */
    public Ended run(String... arguments) throws IOException, InterruptedException {
        Path output = Files.createTempFile("accel-child", ".out");
        try {
            Process process = builder(arguments)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            try {
                process.getOutputStream().close();
                if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                    throw new AssertionError(name + " has not ended, and said:\n" + Files.readString(output));
                }
                return new Ended(process.exitValue(), Files.readString(output));
            } finally {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly().waitFor();
            }
        } finally {
            Files.delete(output);
        }
    }

    /**
     * Starts it, for a test that talks with it. Closing what this returns ends it.
     *
     * @param arguments of the main method
     * @return the process
     */
    public Child start(String... arguments) {
        return Child.start(name, builder(arguments));
    }

    private ProcessBuilder builder(String... arguments) {
        ProcessBuilder builder = new ProcessBuilder(command(arguments));
        builder.environment().keySet().removeAll(List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"));
        return builder;
    }

    private List<String> command(String... arguments) {
        List<String> command = new ArrayList<>(prefix);
        command.add(jdk.resolve("bin").resolve("java").toString());
        command.addAll(options);
        command.addAll(program);
        command.addAll(List.of(arguments));
        return command;
    }
}
