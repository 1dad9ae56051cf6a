// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * A thousand connections of one process to another, begun at the same moment, all of which move to the device: what that does to a
 * connection that was there before, what they take, and that they give it back when nobody uses them.
 */
@EnabledIfEnvironmentVariable(
        named = "ACCEL_LAB_HOST",
        matches = "A",
        disabledReason = "not in the lab: samples/lab/junit runs this there")
@Timeout(600)
class ConnectStormTest {
    private static final String ADDRESS = "10.78.0.1";
    private static final int CONNECTIONS = 1000;
    private static final int ACTIVE = 100;
    private static final int ACTIVE_MILLIS = 5_000;

    /** Connections that wait for their turn in the storm must not count as idle. */
    private static final Duration IDLE = Duration.ofSeconds(10);

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final List<String> OPTIONS = List.of(
            "-Daccel.fallback=kernel",
            // With `connect` a server's accept would wait for the link, and the clients would come one after the other.
            "-Daccel.handover.after=1/1MiB",
            "-Daccel.handover.idle=" + IDLE.toSeconds() + "s");

    /** Two processes share the guest's one processor with the device, which is software; the time seen is printed. */
    private static final double MOST_MILLIS = 3_000;

    private static long pinnedBytes(Program program) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + program.pid() + "/status")).stream()
                        .filter(line -> line.startsWith("VmPin:"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                        .findFirst()
                        .orElseThrow()
                * 1024;
    }

    private static int descriptors(Program program) {
        String[] open = new java.io.File("/proc/" + program.pid() + "/fd").list();
        return open == null ? 0 : open.length;
    }

    private static int queuePairs() throws Exception {
        return Integer.parseInt(HostAgent.shell("rdma resource show")
                .replaceAll("(?s).*rxe0:.* qp (\\d+) .*", "$1")
                .trim());
    }

    @Test
    void aThousandConnectAtOnceAndGiveTheirMemoryBack() throws Exception {
        System.out.println(
                HostAgent.shell("ibv_devinfo -v | grep -E '(max_(qp|cq|mr|pd|cqe|qp_wr|srq|mw)|num_comp_vectors):'"));
        try (Program server = Program.start(OPTIONS, NioServer.class, ADDRESS)) {
            String port = server.await("port ");
            int before = queuePairs();
            try (Program witness = Program.start(OPTIONS, NioClient.class, ADDRESS, port, "talk", 5, 1)) {
                witness.await("begun");
                await().atMost(PATIENCE).until(() -> queuePairs() == before + 2);
                double quiet = witness.longestSoFar();
                int queuePairs = queuePairs();
                int descriptorsBefore = descriptors(server);
                try (Program many =
                        Program.start(OPTIONS, ManyClients.class, ADDRESS, port, CONNECTIONS, ACTIVE, ACTIVE_MILLIS)) {
                    System.out.println("connected: " + many.await("connected: "));
                    double connecting = witness.longestSoFar();
                    System.out.println("moved: " + many.await("moved: "));
                    double moving = witness.longestSoFar();
                    long pinned = pinnedBytes(server);
                    System.out.printf(
                            "the server has pinned %,d bytes, %,d queue pairs of both ends and %d descriptors beside the sockets%n",
                            pinned, queuePairs() - queuePairs, descriptors(server) - descriptorsBefore - CONNECTIONS);
                    System.out.println("active: " + many.await("active: "));
                    System.out.printf(
                            "the longest round trip of another connection: %.1f ms before, %.1f while %d connected, %.1f while they moved, %.1f while %d of them were active%n",
                            quiet, connecting, CONNECTIONS, moving, witness.longestSoFar(), ACTIVE);
                    assertThat(Math.max(connecting, moving)).isLessThan(quiet + MOST_MILLIS);
                    await().atMost(PATIENCE)
                            .pollInterval(Duration.ofMillis(200))
                            .until(() -> queuePairs() == queuePairs);
                    long left = pinnedBytes(server);
                    System.out.printf("idle, the server has pinned %,d bytes%n", left);
                    assertThat(left).isLessThan(pinned / CONNECTIONS * 2);
                    many.finish();
                }
                witness.finish();
            }
        }
    }
}
