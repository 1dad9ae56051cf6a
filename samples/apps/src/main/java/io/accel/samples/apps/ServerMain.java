// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.samples.bench.Control;
import io.accel.samples.bench.Event;
import java.io.IOException;
import java.time.Duration;

/** Runs the {@code main} of a server that blocks, and says when it listens. */
public final class ServerMain {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private ServerMain() {}

    /** The work of a server until it is stopped. */
    @FunctionalInterface
    public interface Body {
        void run() throws Exception;
    }

    /** Says that the server is ready at a port, and answers the measuring process; this process ends when its input does. */
    public static void serve(int port) throws IOException, InterruptedException {
        Control.serveAllInBackground();
        Event.named("ready").with("port", port).send();
        Thread.currentThread().join(); // some servers have daemons only
    }

    /** Runs a server in a thread of its own, and serves when it listens on its port. The process ends if the server fails. */
    public static void run(String name, int port, Body server) throws IOException, InterruptedException {
        Thread thread = new Thread(
                () -> {
                    try {
                        server.run();
                    } catch (Exception e) {
                        e.printStackTrace();
                        System.exit(1);
                    }
                },
                name);
        thread.start();
        Ports.awaitListener(port, PATIENCE);
        serve(port);
    }
}
