package io.accel.samples.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Hears the commands of whoever started this program. */
final class Control {
    private static final BufferedReader COMMANDS =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    private Control() {}

    /** Waits for the command {@code go}; ends the program at any other and at the end of the input. */
    static void awaitGo() throws IOException {
        if (!"go".equals(COMMANDS.readLine())) {
            System.exit(0);
        }
    }

    /** Answers {@code mark} with the usage so far of this process and the calling thread, and ends it at {@code quit}. */
    static void serveInBackground() {
        Meter meter = new Meter(Thread.currentThread());
        Thread listener = new Thread(() -> serve(meter), "bench-control");
        listener.setDaemon(true);
        listener.start();
    }

    private static void serve(Meter meter) {
        try {
            while ("mark".equals(COMMANDS.readLine())) {
                Event.named("mark").with(meter.end()).send();
            }
            System.exit(0);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot hear commands", e);
        }
    }
}
