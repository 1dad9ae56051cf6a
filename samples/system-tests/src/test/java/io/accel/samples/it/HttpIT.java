// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.harness.PathEvidence;
import io.accel.samples.it.programs.HttpExercise;
import io.accel.samples.it.programs.HttpServing;
import io.accel.testing.Child;
import io.accel.testing.RealProgram;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The JDK's own {@code HttpServer} and {@code HttpClient} in two JVMs: bodies of all sizes, checked to the byte. */
@RealProgram(
        name = "JDK's `HttpServer` and `java.net.http.HttpClient`",
        how = "requests in turn and at the same time, and large bodies both ways")
class HttpIT {
    private static final Duration START = Duration.ofSeconds(20);
    private static final Duration ANSWER = Duration.ofSeconds(40);

    private Child server;
    private Child client;
    private int port;

    @BeforeEach
    void start() {
        server = Launch.accelerated(HttpServing.class).start("HTTP server");
        port = (int) server.awaitNumber("PORT", START);
        client = Launch.accelerated(HttpExercise.class, "port=" + port).start("HTTP client");
    }

    @AfterEach
    void stop() {
        if (client != null) {
            client.close();
        }
        server.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 64 << 10, 1 << 20, 64 << 20})
    void bodiesArriveWholeInBothDirections(long bytes) {
        ask("PUT " + bytes);
        ask("GET " + bytes);
    }

    @Test
    void oneConnectionIsKeptForRequestsInTurn() {
        for (int i = 0; i < 50; i++) {
            ask("PUT " + i * 100);
            ask("GET " + i * 100);
        }
        ask("CONNECTIONS 1");
        PathEvidence.assertAccelerated(port, 1);
    }

    @Test
    void requestsAtTheSameTimeDoNotMix() {
        ask("MANY 16 300000");
        ask("MANY 16 1000");
    }

    private void ask(String command) {
        client.send(command);
        client.awaitLine("OK " + command, ANSWER);
    }
}
