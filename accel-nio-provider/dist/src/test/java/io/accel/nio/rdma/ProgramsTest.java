// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Programs that know nothing of Accel, in two processes, with every byte over RDMA: a fall-back is their failure. */
@EnabledIfEnvironmentVariable(
        named = "ACCEL_LAB_HOST",
        matches = "A",
        disabledReason = "not in the lab: samples/lab/junit runs this there")
@Timeout(900)
class ProgramsTest {
    private static final String ADDRESS = "10.78.0.1";

    /** One server for all tests, until a test kills it. Used by the tests' one thread. */
    private static Program server;

    private static String port;

    @BeforeEach
    @Timeout(300) // the class's timeout is for its tests, and a guest's JVM may take long
    void serve() throws Exception {
        if (server == null || !server.isAlive()) {
            server = Program.start(NioServer.class, ADDRESS);
            port = server.await("port ");
        }
    }

    /** A running server still has its listener's identifier, and a domain with which librdmacm keeps the device open. */
    @AfterEach
    void nothingIsLeftOfConnections() {
        awaitResources(server.isAlive() ? "cq 1 qp 1 cm_id 1 mr 0" : "pd 1 cq 1 qp 1 cm_id 0 mr 0");
    }

    @AfterAll
    static void endAndLeaveNothing() {
        server.close();
        awaitResources("pd 1 cq 1 qp 1 cm_id 0 mr 0");
    }

    private static void awaitResources(String expected) {
        Awaitility.await().atMost(60, TimeUnit.SECONDS).untilAsserted(() -> assertThat(resources())
                .contains(expected));
    }

    private Program client(Object... arguments) throws Exception {
        List<Object> all = new ArrayList<>(List.of(ADDRESS, port));
        all.addAll(List.of(arguments));
        return Program.start(NioClient.class, all.toArray());
    }

    /** The device's totals; one of each is the kernel's own. */
    private static String resources() throws Exception {
        Process process = new ProcessBuilder("rdma", "resource", "show").start();
        try {
            return new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void roundTripsAndBulkBothWays() throws Exception {
        try (Program ping = client("ping", 64, 500);
                Program bulk = client("bulk", 1, 4_000_000);
                Program second = client("bulk", 2, 4_000_000)) {
            ping.await("ping 64 B");
            bulk.await("bulk 4000000 B: all came back");
            second.await("bulk 4000000 B: all came back");
            ping.awaitSuccess();
            bulk.awaitSuccess();
            second.awaitSuccess();
        }
    }

    @Test
    void whatWasWrittenArrivesThoughTheProcessExitsWithoutClosing() throws Exception {
        for (int bytes : new int[] {1, 100_000, 3_000_001}) {
            try (Program client = client("exit", bytes)) {
                client.awaitSuccess();
                assertThat(server.await("swallowed ")).isEqualTo(String.valueOf(bytes));
            }
        }
    }

    @Test
    void aKilledServerIsNoticedWithinSeconds() throws Exception {
        try (Program client = client("wait")) {
            client.await("waiting");
            Thread.sleep(300); // until it sleeps in its selector
            server.kill();
            client.await("noticed: ");
            client.awaitSuccess();
        }
    }

    @Test
    void aKilledClientIsNoticedWhileItSends() throws Exception {
        try (Program client = client("stream", 65_536, 1_000_000)) {
            client.await("streaming");
            Thread.sleep(200); // into the middle of it
            client.kill();
            server.awaitMatch("(swallowed|.*failed after) [0-9]+.*");
        }
    }

    @Test
    void manyConnectionsComeAndGo() throws Exception {
        try (Program client = client("churn", 10 * NioClient.CHURN_STEP)) {
            // A guest of a busy machine takes minutes for all of them, and none of them may take long.
            for (int step = 1; step <= 10; step++) {
                client.await("churned " + step * NioClient.CHURN_STEP);
            }
            client.awaitSuccess();
        }
    }
}
