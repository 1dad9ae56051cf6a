// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.samples.it.harness.Launch;
import io.accel.samples.it.programs.RemoteCalls;
import io.accel.testing.Child;
import io.accel.testing.ProcFs;
import io.accel.testing.RealProgram;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The JDK's remote method invocation, a program of blocking {@code java.net.Socket}s, which the agent serves. */
@RealProgram(
        name = "JDK's remote method invocation (RMI), on `java.net.Socket`",
        how = "calls, calls back 20 deep, exceptions and large arguments, with the agent on both ends and on one")
@Timeout(120)
class RemoteCallsIT {
    private static final Duration START = Duration.ofSeconds(30);
    private static final Duration ANSWER = Duration.ofSeconds(40);
    private static final Duration MOVE = Duration.ofSeconds(12);

    @Test
    void callsAndCallsBackGoOverTheAgentsSockets() {
        try (Child server =
                agent(Launch.accelerated(RemoteCalls.class, "server")).start("remote object")) {
            List<String> ports = List.of(server.awaitLine("PORTS ", START).split(" ", -1));
            try (Child client = agent(Launch.accelerated(RemoteCalls.class, "client", ports.get(1)))
                    .start("caller")) {
                work(client);
                assertAccelerated(ports.get(2), Launch.isAccel());
            }
            end(server);
        }
    }

    @Test
    void aCallerWithoutTheAgentWorksWithTheSameObject() {
        try (Child server =
                agent(Launch.accelerated(RemoteCalls.class, "server")).start("remote object")) {
            List<String> ports = List.of(server.awaitLine("PORTS ", START).split(" ", -1));
            try (Child client =
                    Launch.plain(RemoteCalls.class, "client", ports.get(1)).start("plain caller")) {
                work(client);
                assertAccelerated(ports.get(2), false);
            }
            end(server);
        }
    }

    private static void work(Child client) {
        ask(client, "BACK 20");
        ask(client, "FAIL so-it-should");
        ask(client, "REVERSE 0");
        ask(client, "REVERSE 1000000");
    }

    /**
     * A caller keeps its connections for 15 seconds, one for each call that was under way at once. They move beside the calls, and have
     * no rings for a moment when they get larger ones.
     */
    private static void assertAccelerated(String port, boolean expected) {
        assertThat(ProcFs.kernelConnections(Integer.parseInt(port))).isPositive();
        await().atMost(MOVE).untilAsserted(() -> assertThat(ProcFs.ringsAt(Integer.parseInt(port)) > 0)
                .as("the process that listens at port %s has rings", port)
                .isEqualTo(expected));
    }

    private static void ask(Child client, String command) {
        client.send(command);
        client.awaitLine("OK " + command, ANSWER);
    }

    private static void end(Child server) {
        server.send("END");
        assertThat(server.awaitExit(ANSWER)).isZero();
    }

    private static Launch agent(Launch launch) {
        return Launch.isAccel() ? launch.option("-javaagent:" + Launch.dropInJar()) : launch;
    }
}
