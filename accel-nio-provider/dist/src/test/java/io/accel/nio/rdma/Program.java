// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.rdma;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/** A JVM with Accel's provider over RDMA alone, and its output. Closing it kills it and waits for its end. */
final class Program implements AutoCloseable {
    static final String PROVIDER = "-Djava.nio.channels.spi.SelectorProvider=io.accel.nio.AccelSelectorProvider";

    /** The time that a program may take for its task, on a machine where a JVM starts at once. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /**
     * The time that a JVM with a connection over RDMA takes until its first word: a second on a machine of its own, and many
     * seconds in a guest of a busy machine. Everything else takes longer by the same factor, so patience is a multiple of the
     * slowest start so far. Written by the threads that wait for a first line, read by all.
     */
    private static final AtomicLong SLOWEST_START_NANOS = new AtomicLong(TimeUnit.SECONDS.toNanos(30));

    private static final int PATIENCE_IN_STARTS = 4;

    /** The JVM of the tests names the archive of classes that the lab made; its children have the same jars. */
    private static final List<String> ARCHIVE = ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(option -> option.startsWith("-XX:SharedArchiveFile="))
            .toList();

    private final long startedNanos = System.nanoTime();
    private final Process process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final List<String> seen = new ArrayList<>();
    private final List<String> passedOver = new ArrayList<>();
    private final Thread reader;

    private Program(Process process) {
        this.process = process;
        reader = new Thread(this::collect, "output of " + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    static Program start(Class<?> main, Object... arguments) throws IOException {
        return start(List.of(), main, arguments);
    }

    /** With options of the JVM that come after the options of every program, and so override them. */
    static Program start(List<String> options, Class<?> main, Object... arguments) throws IOException {
        return startBehind(List.of(), options, main, arguments);
    }

    /** On a JDK and a class path of its own, and with the provider only if the options name it. */
    static Program start(Path jdk, String classPath, List<String> options, Class<?> main, Object... arguments)
            throws IOException {
        return run(List.of(), jdk, classPath, options, main, arguments);
    }

    /** With a command before the JVM's, such as one that takes rights away from it. */
    static Program startBehind(List<String> prefix, List<String> options, Class<?> main, Object... arguments)
            throws IOException {
        List<String> all = new ArrayList<>(ARCHIVE);
        all.add(PROVIDER);
        all.addAll(options);
        Path jdk = Path.of(System.getProperty("java.home"));
        return run(prefix, jdk, System.getProperty("java.class.path"), all, main, arguments);
    }

    private static Program run(
            List<String> prefix, Path jdk, String classPath, List<String> options, Class<?> main, Object... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(
                jdk.resolve("bin/java").toString(),
                "-cp",
                classPath,
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", // as samples/lab/junit says
                "-Daccel.fabric.order=rdma",
                "-Daccel.fallback=fail",
                "-Daccel.handover.after=connect",
                // A guest of a busy machine loads classes for long in the middle of a JVM's first handshake.
                "-Daccel.connect.probe-timeout=60s",
                "-Daccel.handshake.timeout=60s"));
        command.addAll(options);
        command.add(main.getName());
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        return new Program(new ProcessBuilder(command).redirectErrorStream(true).start());
    }

    private void collect() {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            lines.add("output broke off: " + e);
        }
    }

    /** Waits for a line that begins so, and returns the rest of it. */
    String await(String prefix) throws InterruptedException {
        return awaitLine(line -> line.startsWith(prefix), "'" + prefix + "...'")
                .substring(prefix.length())
                .trim();
    }

    /** Waits for a line that matches the regular expression from end to end, and returns it. */
    String awaitMatch(String pattern) throws InterruptedException {
        return awaitLine(line -> line.matches(pattern), "like '" + pattern + "'");
    }

    /** Whether it has printed a line that begins so, among those that nobody has waited for. After its end these are all. */
    boolean hasSaid(String prefix) throws InterruptedException {
        if (!process.isAlive()) {
            reader.join();
        }
        takeLines();
        return passedOver.stream().anyMatch(line -> line.startsWith(prefix));
    }

    /** Also among the lines that came while another was waited for. */
    private String awaitLine(Predicate<String> wanted, String name) throws InterruptedException {
        long start = System.nanoTime();
        while (true) {
            boolean ended = !process.isAlive() && !reader.isAlive(); // before the last look
            takeLines();
            for (int i = 0; i < passedOver.size(); i++) {
                if (wanted.test(passedOver.get(i))) {
                    return passedOver.remove(i);
                }
            }
            if (ended) {
                throw new AssertionError("no line " + name + " before its end with status " + process.exitValue()
                        + ", among:\n" + String.join("\n", seen));
            }
            if (System.nanoTime() - start > patienceNanos()) {
                throw new AssertionError(
                        "no line " + name + " " + withinPatience() + ", among:\n" + String.join("\n", seen));
            }
            take(lines.poll(20, TimeUnit.MILLISECONDS));
        }
    }

    private void takeLines() {
        for (String line = lines.poll(); line != null; line = lines.poll()) {
            take(line);
        }
    }

    private void take(String line) {
        if (line != null) {
            if (seen.isEmpty()) {
                SLOWEST_START_NANOS.accumulateAndGet(System.nanoTime() - startedNanos, Math::max);
            }
            seen.add(line);
            passedOver.add(line);
        }
    }

    /** Makes a {@code NioClient ADDRESS PORT lines} do a round trip, and waits for it. */
    void roundTrip() throws IOException, InterruptedException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        await("echoed");
    }

    /** The longest round trip of a {@code NioClient ADDRESS PORT talk} since it was last asked, or begun, in milliseconds. */
    double longestSoFar() throws IOException, InterruptedException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        return Double.parseDouble(await("so far: ").replace(" ms", ""));
    }

    /** Tells a {@link GroupNode} something. */
    void tell(char what) throws IOException {
        process.getOutputStream().write(what);
        process.getOutputStream().flush();
    }

    /** Ends its standard input, which ends a program that waits for that, and waits for the program's end. */
    void finish() throws IOException, InterruptedException {
        process.getOutputStream().close();
        awaitSuccess();
    }

    void awaitSuccess() throws InterruptedException {
        if (!process.waitFor(patienceNanos(), TimeUnit.NANOSECONDS)) {
            takeLines();
            throw new AssertionError("did not end " + withinPatience() + ":\n" + String.join("\n", seen));
        }
        if (process.exitValue() != 0) {
            takeLines();
            throw new AssertionError("ended with status " + process.exitValue() + ":\n" + String.join("\n", seen));
        }
    }

    private static long patienceNanos() {
        return Math.max(PATIENCE.toNanos(), PATIENCE_IN_STARTS * SLOWEST_START_NANOS.get());
    }

    private static String withinPatience() {
        return "within " + TimeUnit.NANOSECONDS.toSeconds(patienceNanos()) + " s, where the slowest start took "
                + TimeUnit.NANOSECONDS.toSeconds(SLOWEST_START_NANOS.get()) + " s";
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                throw new AssertionError("process " + process.pid() + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
