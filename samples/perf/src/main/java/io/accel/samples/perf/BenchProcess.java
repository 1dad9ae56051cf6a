// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * One program that talks to its starter in lines, such as a bench program, in a JVM of its own. It is gone when {@link #close}
 * returns, unless the kernel does not let it end, and also when this JVM ends before. Used by one thread at a time.
 */
public final class BenchProcess implements AutoCloseable {
    private static final Duration START_PATIENCE = Duration.ofSeconds(30);
    private static final Duration QUIT_PATIENCE = Duration.ofSeconds(2);
    /** The kernel may take its time to free what a killed process had of a device. */
    private static final Duration KILL_PATIENCE = Duration.ofSeconds(60);

    private static final int STDERR_LINES = 60;
    private static final String END_OF_OUTPUT = "";

    private final String name;
    private final Process process;
    /** Whether this has killed it. Any thread. */
    private volatile boolean destroyed;

    private final BlockingQueue<String> output = new LinkedBlockingQueue<>();
    private final TailBuffer errors = new TailBuffer(STDERR_LINES);
    private final Thread errorReader;
    /** The host on which it really runs; null for this host. */
    private final FarHost far;

    /** Set before anybody but the starter has this object. */
    private long pid;

    /**
     * Starts it on this host.
     *
     * @param name what errors call it
     */
    public BenchProcess(String name, List<String> command) throws IOException {
        this(name, command, null);
    }

    private BenchProcess(String name, List<String> command, FarHost far) throws IOException {
        this.name = name;
        this.far = far;
        ProcessBuilder builder = new ProcessBuilder(command);
        // Options from the environment could accelerate the end that must not be accelerated.
        builder.environment().remove("JDK_JAVA_OPTIONS");
        process = builder.start();
        pid = process.pid();
        Reaper.watch(process);
        readInBackground("stdout", process.inputReader(StandardCharsets.UTF_8), output::add, END_OF_OUTPUT);
        errorReader = readInBackground("stderr", process.errorReader(StandardCharsets.UTF_8), errors::add, null);
    }

    /** Starts it on another host. It ends when its input does. */
    static BenchProcess on(FarHost host, String name, List<String> command) throws IOException, InterruptedException {
        BenchProcess started = new BenchProcess(name, host.shell(), host);
        try {
            started.send(FarHost.become(command));
            started.pid =
                    Long.parseLong(started.await("started", START_PATIENCE).get("pid"));
            return started;
        } catch (IOException | InterruptedException | RuntimeException e) {
            started.close();
            throw e;
        }
    }

    /** The process's id, on the host where it runs. */
    public long pid() {
        return pid;
    }

    /** Whether it has not ended, as far as this process knows. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Begins to measure its usage. */
    ProcessTimes times() throws IOException, InterruptedException {
        return far == null ? new ProcessTimes(pid) : new ProcessTimes(far, pid);
    }

    /** Its usage since its start; it is a process of this host. */
    ProcessTimes.Used lifetime() throws IOException {
        return ProcessTimes.lifetime(pid);
    }

    /** Sends a line. */
    public void send(String command) throws IOException {
        try {
            process.outputWriter(StandardCharsets.UTF_8)
                    .append(command)
                    .append('\n')
                    .flush();
        } catch (IOException e) {
            throw failure("ended before it could be told to " + command, e);
        }
    }

    /** Waits for the program to report {@code event} and returns its fields. */
    public Map<String, String> await(String event, Duration patience) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            String line = output.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (line == null) {
                throw failure("did not report '" + event + "' within " + patience.toSeconds() + " s", null);
            }
            if (line.equals(END_OF_OUTPUT)) {
                process.waitFor(QUIT_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
                throw failure("ended without reporting '" + event + "'", null);
            }
            if (line.equals(event) || line.startsWith(event + ' ')) {
                return fields(line);
            }
            errors.add(line); // not ours, so it may explain a failure
        }
    }

    private static Map<String, String> fields(String line) {
        Map<String, String> fields = new HashMap<>();
        for (String field : line.split(" ", -1)) {
            int equals = field.indexOf('=');
            if (equals > 0) {
                fields.put(field.substring(0, equals), field.substring(equals + 1));
            }
        }
        return fields;
    }

    /** The last lines that the program wrote for people. */
    public String complaints() {
        return errors.toString();
    }

    private IOException failure(String what, IOException cause) throws IOException {
        try {
            if (!process.isAlive()) {
                errorReader.join(QUIT_PATIENCE.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        String exit = process.isAlive() ? "" : " (exit status " + process.exitValue() + ")";
        String said = complaints();
        return new IOException(name + " " + what + exit + (said.isEmpty() ? "" : "; it said:\n" + said), cause);
    }

    /** Begins to kill it: its pipes are closed under their readers, even before it is gone. */
    private Process destroy() {
        destroyed = true;
        return process.destroyForcibly();
    }

    /**
     * Kills it as {@code kill -9} does, and waits until it is gone.
     *
     * @throws IOException if it cannot be killed, or is not gone within a minute
     */
    public void kill() throws IOException, InterruptedException {
        if (far != null) {
            far.kill(pid); // the process here is only the way to it
        }
        if (!isGone(destroy())) {
            throw failure("is not gone " + KILL_PATIENCE.toSeconds() + " s after it was killed", null);
        }
    }

    private static boolean isGone(Process killed) throws InterruptedException {
        return killed.waitFor(KILL_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Asks the program to end, makes it end if it does not soon, and waits until it has, for a minute at most. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
        } catch (IOException alreadyGone) {
            errors.add(alreadyGone.toString());
        }
        try {
            if (!process.waitFor(QUIT_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                boolean unused = isGone(destroy());
            }
        } catch (InterruptedException e) {
            Process unused = destroy();
            Thread.currentThread().interrupt();
        }
        Reaper.release(process);
    }

    private interface LineSink {
        void add(String line);
    }

    private Thread readInBackground(String stream, BufferedReader reader, LineSink sink, String atEnd) {
        Thread thread = new Thread(
                () -> {
                    try (reader) {
                        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                            sink.add(line);
                        }
                    } catch (IOException closed) {
                        if (!destroyed && process.isAlive()) {
                            throw new UncheckedIOException(closed);
                        }
                    } finally {
                        if (atEnd != null) {
                            sink.add(atEnd);
                        }
                    }
                },
                name + " " + stream);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
