// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The frame of a client that is measured from the start of its JVM on. The server's JVM starts at the same time, so the client learns
 * the server's port by a command. Arguments: {@code began_ms}, the time at which the two were started, by the machine's clock, and
 * {@code moments_ms}, the moments after it at which operations are to be counted.
 *
 * <p>Until the result is sent this class, like the programs that use it, does without lambdas, concatenated strings and whatever else would load
 * classes: the work of a program that begins should be its sockets'. Used by the main thread.
 */
public final class YoungStart {
    private static final String MOMENTS = "moments_ms";

    private final InetSocketAddress server;
    private final long[] moments;
    private final List<FirstSeconds> counters = new ArrayList<>();

    private YoungStart(InetSocketAddress server, long[] moments) {
        this.server = server;
        this.moments = moments;
    }

    /** Whether a program with these arguments is measured from the start of its JVM on. */
    public static boolean isAskedBy(Parameters parameters) {
        return parameters.has(MOMENTS);
    }

    /** Waits until the server is there, unless its {@code port} is known; ends the program at the input's end. */
    public static YoungStart await(Parameters parameters) throws IOException {
        long now = System.nanoTime();
        long age = System.currentTimeMillis() - Long.parseLong(parameters.text("began_ms"));
        String[] after = parameters.text(MOMENTS).split(",", -1);
        long[] moments = new long[after.length];
        for (int i = 0; i < after.length; i++) {
            moments[i] = now + TimeUnit.MILLISECONDS.toNanos(Long.parseLong(after[i]) - age);
        }
        return new YoungStart(
                parameters.serverAt(parameters.has("port") ? parameters.number("port") : Control.awaitPort()), moments);
    }

    public InetSocketAddress server() {
        return server;
    }

    /** A counter for one more thread. */
    public FirstSeconds newCounter() {
        FirstSeconds counter = new FirstSeconds(moments);
        counters.add(counter);
        return counter;
    }

    /** Says how many operations all threads together had done by each moment, and waits for the program's end; all of them have ended. */
    public void report() throws IOException {
        StringBuilder done = new StringBuilder();
        for (int moment = 0; moment < moments.length; moment++) {
            long sum = 0;
            for (FirstSeconds counter : counters) {
                sum += counter.before(moment);
            }
            done.append(moment == 0 ? "" : ",").append(sum);
        }
        Event.named("result")
                .with("done", done)
                .with("provider", SelectorProvider.provider().getClass().getName())
                .send();
        Control.awaitEnd();
    }
}
