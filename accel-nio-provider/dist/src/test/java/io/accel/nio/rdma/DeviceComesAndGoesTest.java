// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** A device is taken away under a server that runs on: the view of its programs, and the paths of its clients. */
@EnabledIfEnvironmentVariable(
        named = "ACCEL_LAB_HOST",
        matches = "A",
        disabledReason = "not in the lab: samples/lab/junit runs this there")
@Timeout(900)
class DeviceComesAndGoesTest {
    private static final String ADDRESS = "10.79.0.1";
    /** A server whose accept waits for the link would keep its connections waiting. */
    private static final String[] OPTIONS = {
        "-Daccel.fallback=kernel", "-Daccel.log.connections=true", "-Daccel.handover.after=1/1MiB"
    };

    private static final long PATIENCE_NANOS = 60_000_000_000L;
    /** The time until a program no longer runs code for the first time. */
    private static final long WARM_MILLIS = 3_000;

    /**
     * The time beyond a round trip's before, which a busy machine makes longer. Less than any time-out of a device's or of the
     * connection manager's; the time seen is printed.
     */
    private static final double MOST_OVER_REMOVAL_MILLIS = 3_000;

    /** Longer than it takes until the break is noticed and the connection has gone on; it talks until it is told to end. */
    private static final int TALK_MILLIS = 20_000;

    /** A device beside the lab's own, which stays: librdmacm closes a device only while there is another. */
    @BeforeEach
    void makeDevice() throws Exception {
        HostAgent.shell("ip link add y0 type veth peer name y1 && ip addr add " + ADDRESS + "/24 dev y0"
                + " && ip link set y0 up && ip link set y1 up && rdma link add rxe3 type rxe netdev y0");
    }

    @AfterEach
    void removeDevice() throws Exception {
        HostAgent.shell("rdma link delete rxe3 2>/dev/null; ip link del y0");
    }

    private static Program client(String port, Object... arguments) throws Exception {
        return clientOf(ADDRESS, port, arguments);
    }

    private static Program clientOf(String address, String port, Object... arguments) throws Exception {
        List<Object> all = new ArrayList<>(List.of(address, port));
        all.addAll(List.of(arguments));
        return Program.start(List.of(OPTIONS), NioClient.class, all.toArray());
    }

    /** The path of a new connection, which is also checked to work. */
    private static String pathOfANewConnection(String port) throws Exception {
        try (Program client = client(port, "lines")) {
            client.roundTrip();
            String line = client.await("INFO: accel: connected ");
            client.roundTrip();
            client.finish();
            return line.replaceFirst(".* by (\\w+).*", "$1");
        }
    }

    /** As with TCP, whose connections now carry the bytes: nothing is lost. Connections over the other device stay with it. */
    @Test
    void connectionsGoOnAndNewOnesTakeWhateverPathThereIs() throws Exception {
        try (Program server = Program.start(List.of(OPTIONS), NioServer.class, "0.0.0.0")) {
            String port = server.await("port ");
            assertThat(pathOfANewConnection(port)).isEqualTo("rdma");
            server.await("client ended after ");

            try (Program beside = clientOf("10.78.0.1", port, "lines");
                    Program idle = client(port, "lines");
                    Program busy = client(port, "talk", 5, TALK_MILLIS)) {
                beside.roundTrip();
                assertThat(beside.await("INFO: accel: connected ")).contains(" by rdma");
                beside.roundTrip();
                idle.roundTrip();
                assertThat(idle.await("INFO: accel: connected ")).contains(" by rdma");
                idle.roundTrip();
                busy.await("begun");
                assertThat(busy.await("INFO: accel: connected ")).contains(" by rdma");
                Thread.sleep(WARM_MILLIS); // into the middle of it
                double before = busy.longestSoFar();
                HostAgent.shell("rdma link delete rxe3");
                assertThat(busy.await("INFO: accel: moved ")).contains("LINK_LOST");
                double over = busy.longestSoFar();
                System.out.println("the longest round trip over the removal of a device: " + over
                        + " ms, and before it " + before + " ms");
                assertThat(over).as("milliseconds over the removal").isLessThan(before + MOST_OVER_REMOVAL_MILLIS);
                assertThat(pathOfANewConnection(port)).isEqualTo("kernel");
                idle.roundTrip();
                idle.finish();
                busy.finish();
                beside.roundTrip();
                beside.finish();
                assertThat(beside.hasSaid("INFO: accel: moved ")).isFalse();
            }

            HostAgent.shell("rdma link add rxe3 type rxe netdev y0");
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            String path = pathOfANewConnection(port);
            while (!path.equals("rdma") && System.nanoTime() - deadline < 0) {
                path = pathOfANewConnection(port);
            }
            assertThat(path).as("with the same server, once the device is back").isEqualTo("rdma");
        }
    }
}
