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
        return TimeUnit.MILLISECONDS.toNanos(Long.parseLong(await("go ", "MILLIS")));
    }

    /** Waits for the command {@code port NUMBER} and returns it; ends the program at the input's end. */
    public static int awaitPort() throws IOException {
        return Integer.parseInt(await("port ", "NUMBER"));
    }

    /** Waits for the input's end, and ends the program. */
    static void awaitEnd() throws IOException {
        String command = COMMANDS.readLine();
        if (command != null) {
            throw new IOException("expected nothing more, not '" + command + "'");
        }
        System.exit(0);
    }

    private static String await(String name, String argument) throws IOException {
        String command = COMMANDS.readLine();
        if (command == null) {
            System.exit(0);
            throw new AssertionError("the program has ended");
        }
        if (!command.startsWith(name)) {
            throw new IOException("expected '" + name + argument + "', not '" + command + "'");
        }
        return command.substring(name.length());
    }

    /**
     * Answers {@code mark} with the usage so far of this process and the calling thread, and {@code heap} with the bytes of its
     * heap in use; ends the process at the input's end.
     */
    static void serveInBackground() {
        serveInBackground(new Thread[] {Thread.currentThread()});
    }

    /**
     * Like {@link #serveInBackground()}, with other threads' usage.
     *
     * @param program the threads that do the program's work
     */
    public static void serveInBackground(Thread... program) {
        start(new Service(program));
    }

    /** Like {@link #serveInBackground()}, with the usage of all threads. */
    public static void serveAllInBackground() {
        start(new Service(null));
    }

    private static void start(Service service) {
        Thread listener = new Thread(service, "bench-control");
        listener.setDaemon(true);
        listener.start();
    }

    /** Bytes of the heap that are in use, after a collection. */
    static long heapInUse() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /** The answers to commands. It makes its meter when it is first asked, since that loads a hundred classes. */
    private static final class Service implements Runnable {
        /** Null for all threads. */
        private final Thread[] program;

        private Meter meter;

        Service(Thread[] program) {
            this.program = program;
        }

        @Override
        public void run() {
            try {
                for (String command = COMMANDS.readLine(); command != null; command = COMMANDS.readLine()) {
                    switch (command) {
                        case "mark" -> Event.named("mark").with(usage()).send();
                        case "heap" ->
                            Event.named("heap").with("heap", heapInUse()).send();
                        default -> throw new IOException("expected 'mark' or 'heap', not '" + command + "'");
                    }
                }
                System.exit(0);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot hear commands", e);
            }
        }

        private Usage usage() throws IOException {
            if (meter == null) {
                meter = program == null ? Meter.ofAllThreads() : new Meter(program);
            }
            return meter.end();
        }
    }
}
