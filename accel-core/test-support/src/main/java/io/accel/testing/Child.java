// SPDX-License-Identifier: Apache-2.0
package io.accel.testing;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * A process that the test started: its output, line by line, and its end.
 *
 * <p>Closing it kills it if it still runs, and waits until it is gone. Every wait has a limit, and a wait that fails
 * reports the process's output. Safe for use by several threads.
 */
public final class Child implements AutoCloseable {
    /** So many lines that none is gone before a test looks, however fast the process reports progress. */
    private static final int KEPT_LINES = 5_000;

    /** How many of the latest lines a failure shows. */
    private static final int SHOWN_LINES = 200;

    private static final Duration REAP = Duration.ofSeconds(20);
    /** How many times longer than elsewhere a program may take in a guest; set by {@code launch.patience}. */
    private static final int PATIENCE = Integer.getInteger("launch.patience", 1);

    private static final Set<Process> LIVE = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> LIVE.forEach(Process::destroyForcibly)));
    }

    private final String name;
    private final Process process;
    private final Thread reader;

    // Guarded by this. Lines are numbered from the first one printed, kept or not.
    private final List<String> lines = new ArrayList<>();
    private long dropped;
    private long cursor;
    private boolean outputEnded;

    private Child(String name, Process process) {
        this.name = name;
        this.process = process;
        this.reader = new Thread(this::collect, "output of " + name);
        reader.setDaemon(true);
    }

    /** Starts the command, with its standard error merged into its standard output. */
    public static Child start(String name, ProcessBuilder command) {
        try {
            Process process = command.redirectErrorStream(true).start();
            LIVE.add(process);
            Child child = new Child(name, process);
            child.reader.start();
            return child;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + name + ": " + command.command(), e);
        }
    }

    /** The process's id. */
    public long pid() {
        return process.pid();
    }

    /** Whether it still runs (or is stopped). */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Waits for a line that begins with {@code prefix}, after the last line that was waited for, and returns it. */
    public String awaitLine(String prefix, Duration limit) {
        return awaitLine("a line that begins with '" + prefix + "'", line -> line.startsWith(prefix), limit);
    }

    /** Waits for a line that {@code wanted} accepts, after the last line that was waited for, and returns it. */
    public synchronized String awaitLine(String what, Predicate<String> wanted, Duration usualLimit) {
        Duration limit = usualLimit.multipliedBy(PATIENCE);
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            while (true) {
                cursor = Math.max(cursor, dropped);
                while (cursor < dropped + lines.size()) {
                    String line = lines.get((int) (cursor++ - dropped));
                    if (wanted.test(line)) {
                        return line;
                    }
                }
                long left = deadline - System.nanoTime();
                if (outputEnded || left <= 0) {
                    throw failure((outputEnded ? "ended without " : "did not within " + limit + " print ") + what);
                }
                wait(left / 1_000_000 + 1);
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Waits for a line that begins with {@code prefix} and returns the number that follows it. */
    public long awaitNumber(String prefix, Duration limit) {
        return numberIn(awaitLine(prefix + " ", limit));
    }

    /** The number in the latest line kept that begins with {@code prefix}, if there is one. */
    public synchronized Optional<Long> latestNumber(String prefix) {
        for (int i = lines.size() - 1; i >= 0; i--) {
            if (lines.get(i).startsWith(prefix + " ")) {
                return Optional.of(numberIn(lines.get(i)));
            }
        }
        return Optional.empty();
    }

    private static long numberIn(String line) {
        return Long.parseLong(line.split(" ", 3)[1]);
    }

    /** Writes a line to its standard input. */
    public void send(String line) {
        try {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw failure("does not take '" + line + "': " + e);
        }
    }

    /** Ends its standard input. */
    public void closeInput() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            throw failure("does not take what is left of its input: " + e);
        }
    }

    /** Kills it as {@code kill -9} does, and waits until it is gone and all it printed has been read. */
    public void kill() {
        process.destroyForcibly();
        awaitExit(REAP);
    }

    /** Sends it the signal of this name, such as {@code STOP}, {@code CONT} or {@code TERM}. */
    public void signal(String signal) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid()))
                    .redirectErrorStream(true)
                    .start();
            String said = new String(kill.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!kill.waitFor(10, SECONDS) || kill.exitValue() != 0) {
                throw failure("cannot be sent SIG" + signal + ": " + said);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run kill", e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Waits until it has ended by itself, and returns its exit status. */
    public int awaitExit(Duration usualLimit) {
        Duration limit = usualLimit.multipliedBy(PATIENCE);
        try {
            if (!process.waitFor(limit.toMillis(), MILLISECONDS)) {
                throw failure("did not end within " + limit);
            }
            reader.join(REAP.toMillis());
            LIVE.remove(process);
            return process.exitValue();
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** The latest lines that it printed. */
    public synchronized String output() {
        return latest(lines.size());
    }

    private synchronized String latest(int most) {
        int from = Math.max(0, lines.size() - most);
        long earlier = dropped + from;
        return (earlier > 0 ? "... " + earlier + " earlier lines\n" : "")
                + String.join("\n", lines.subList(from, lines.size()));
    }

    /** Kills it if it still runs, and waits until it is gone. */
    @Override
    public void close() {
        kill();
    }

    @Override
    public String toString() {
        return name + " (pid " + pid() + ")";
    }

    private AssertionError failure(String what) {
        String state = process.isAlive() ? "running" : "ended with status " + process.exitValue();
        return new AssertionError(this + " " + what + "; it is " + state + " and printed:\n" + latest(SHOWN_LINES));
    }

    private AssertionError interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new AssertionError(
                "interrupted while waiting for " + this + ", which printed:\n" + latest(SHOWN_LINES), e);
    }

    private void collect() {
        try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                keep(line);
            }
        } catch (IOException e) {
            keep("(its output broke off: " + e + ")");
        }
        synchronized (this) {
            outputEnded = true;
            notifyAll();
        }
    }

    private synchronized void keep(String line) {
        lines.add(line);
        if (lines.size() > KEPT_LINES) {
            lines.remove(0);
            dropped++;
        }
        notifyAll();
    }
}
