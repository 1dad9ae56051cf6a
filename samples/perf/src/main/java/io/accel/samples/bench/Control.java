// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Reads the commands of the process that started this program. */
public final class Control {
    private static final BufferedReader COMMANDS =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    private Control() {}

    /** Waits for the command {@code go MILLIS} and returns its nanoseconds; ends the program at the input's end. */
    public static long awaitGo() throws IOException {
        String command = COMMANDS.readLine();
        if (command == null) {
            System.exit(0);
            throw new AssertionError("the program has ended");
        }
        if (!command.startsWith("go ")) {
            throw new IOException("expected 'go MILLIS', not '" + command + "'");
        }
        return TimeUnit.MILLISECONDS.toNanos(Long.parseLong(command.substring("go ".length())));
    }

    /**
     * Answers {@code mark} with the usage so far of this process and the calling thread, and {@code heap} with the bytes of its
     * heap in use; ends the process at the input's end.
     */
    static void serveInBackground() throws IOException {
        serveInBackground(new Thread[] {Thread.currentThread()});
    }

    /**
     * Like {@link #serveInBackground()}, with other threads' usage.
     *
     * @param program the threads that do the program's work
     */
    public static void serveInBackground(Thread... program) throws IOException {
        serveInBackground(new Meter(program));
    }

    /** Like {@link #serveInBackground()}, with the usage of a meter's threads. */
    public static void serveInBackground(Meter meter) {
        Thread listener = new Thread(() -> serve(meter), "bench-control");
        listener.setDaemon(true);
        listener.start();
    }

    /** Bytes of the heap that are in use, after a collection. */
    static long heapInUse() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static void serve(Meter meter) {
        try {
            for (String command = COMMANDS.readLine(); command != null; command = COMMANDS.readLine()) {
                switch (command) {
                    case "mark" -> Event.named("mark").with(meter.end()).send();
                    case "heap" -> Event.named("heap").with("heap", heapInUse()).send();
                    default -> throw new IOException("expected 'mark' or 'heap', not '" + command + "'");
                }
            }
            System.exit(0);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot hear commands", e);
        }
    }
}
