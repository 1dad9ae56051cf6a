// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;

/**
 * Opens {@code connections} connections to a {@link SelectorEchoServer}, uses each for a while, and then waits in
 * {@code select} for messages that never come. Arguments: {@code port}, {@code connections}, {@code size}.
 */
public final class IdleConnections {
    private static final int TRIPS_EACH = 50;
    /** How long to use them before the kernel's bytes are counted: they begin with the kernel, and move while they are used. */
    private static final long WHILE_NANOS = 1_000_000_000;

    private IdleConnections() {}

    public static void main(String[] args) throws IOException {
        Parameters parameters = Parameters.parse(args);
        int size = parameters.number("size");
        int connections = parameters.number("connections");
        Control.serveInBackground();
        Meter meter = new Meter(Thread.currentThread());
        try (Selector selector = Selector.open()) {
            SelectorPingPong client = new SelectorPingPong(selector, size);
            client.open(parameters.server(), connections);
            long end = System.nanoTime() + WHILE_NANOS;
            while (System.nanoTime() < end) {
                client.useEach(TRIPS_EACH);
            }
            Usage before = meter.begin();
            client.useEach(TRIPS_EACH);
            Usage used = meter.end().since(before);
            Event.named("idle")
                    .with("moved", 2L * size * connections * TRIPS_EACH)
                    .with("kernel_bytes", used.kernelBytes())
                    .with("provider", SelectorProvider.provider().getClass().getName())
                    .send();
            while (true) {
                if (selector.select() > 0) {
                    throw new IOException("a connection that nobody uses became ready: " + selector.selectedKeys());
                }
            }
        }
    }
}
