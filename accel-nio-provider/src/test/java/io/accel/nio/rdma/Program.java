package io.accel.nio.rdma;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A JVM with Accel's provider over RDMA alone, and what it prints. Closing it kills it and waits for its end. */
final class Program implements AutoCloseable {
    static final String PROVIDER = "-Djava.nio.channels.spi.SelectorProvider=io.accel.nio.AccelSelectorProvider";

    private static final long PATIENCE_SECONDS = 60;

    private final Process process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final List<String> seen = new ArrayList<>();

    private Program(Process process) {
        this.process = process;
        Thread reader = new Thread(this::collect, "output of " + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    static Program start(Class<?> main, Object... arguments) throws IOException {
        return start(List.of(), main, arguments);
    }

    /** With options of the JVM that come after, and so win over, those that every program gets. */
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
        List<String> all = new ArrayList<>(List.of(PROVIDER));
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
                "-Daccel.connect.probe-timeout=10s",
                "-Daccel.handshake.timeout=10s"));
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
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (System.nanoTime() - deadline < 0) {
            String line = lines.poll(100, TimeUnit.MILLISECONDS);
            if (line != null) {
                seen.add(line);
                if (line.startsWith(prefix)) {
                    return line.substring(prefix.length()).trim();
                }
            } else if (!process.isAlive()) {
                break;
            }
        }
        throw new AssertionError("no line '" + prefix + "...' among:\n" + String.join("\n", seen));
    }

    void awaitSuccess() throws InterruptedException {
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
            seen.addAll(lines);
            throw new AssertionError("did not end with status 0:\n" + String.join("\n", seen));
        }
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
