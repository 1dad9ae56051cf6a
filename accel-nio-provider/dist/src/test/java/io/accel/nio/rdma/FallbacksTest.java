// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * Programs on a machine that has a device and cannot use it: they work, over the kernel, and a line says why and what to do. With
 * {@code fallback=fail} they fail, and say the same.
 */
@EnabledIfEnvironmentVariable(
        named = "ACCEL_LAB_HOST",
        matches = "A",
        disabledReason = "not in the lab: samples/lab/junit runs this there")
@Timeout(900)
class FallbacksTest {
    private static final String ADDRESS = "10.78.0.1";
    private static final String KERNEL = "-Daccel.fallback=kernel";
    private static final String LOG = "-Daccel.log.connections=true";
    private static final String CONNECTED = "INFO: accel: connected ";

    @AfterEach
    void openTheDevice() throws Exception {
        HostAgent.shell("chmod 666 /dev/infiniband/*");
    }

    /** The log of a client that runs behind the prefix, with an accelerated server. */
    private static String clientBehind(String... prefix) throws Exception {
        try (Program server = Program.start(List.of(KERNEL), NioServer.class, ADDRESS)) {
            String port = server.await("port ");
            String line;
            try (Program client =
                    Program.startBehind(List.of(prefix), List.of(KERNEL), NioClient.class, ADDRESS, port, "lines")) {
                line = pathOf(client); // it is logged unasked: something can be done about it
            }
            try (Program client =
                    Program.startBehind(List.of(prefix), List.of(), NioClient.class, ADDRESS, port, "ping", 64, 3)) {
                String failure = client.await("Exception in thread \"main\" java.net.ConnectException: ");
                assertThat(failure).startsWith("not accelerated, and fallback=fail: ");
                assertThat(line).contains(failure.replaceFirst(".*fallback=fail: (\\w+).*", "$1"));
            }
            return line;
        }
    }

    /** The client's log message about its connection's path, which Accel looks for while the connection is used. */
    private static String pathOf(Program client) throws Exception {
        client.roundTrip();
        String line = client.await(CONNECTED);
        client.roundTrip();
        client.finish();
        return line;
    }

    @Test
    void tooLittleLockedMemory() throws Exception {
        assertThat(clientBehind("prlimit", "--memlock=65536", "setpriv", "--bounding-set", "-ipc_lock"))
                .contains("by kernel (MEMLOCK: ", "ibv_reg_mr");
    }

    @Test
    void noPermission() throws Exception {
        try (Program server = Program.start(List.of(KERNEL), NioServer.class, ADDRESS)) {
            String port = server.await("port ");
            HostAgent.shell("chmod 000 /dev/infiniband/*");
            List<String> prefix = List.of("setpriv", "--bounding-set", "-dac_override,-dac_read_search");
            try (Program client =
                    Program.startBehind(prefix, List.of(KERNEL, LOG), NioClient.class, ADDRESS, port, "lines")) {
                assertThat(pathOf(client)).contains("by kernel (NO_PERMISSION: ");
            }
        }
    }

    @Test
    void aPeerWithoutAccel() throws Exception {
        try (Program server = Program.start(List.of("-Daccel.profile=off"), NioServer.class, ADDRESS)) {
            String port = server.await("port ");
            try (Program client = Program.start(List.of(KERNEL, LOG), NioClient.class, ADDRESS, port, "lines")) {
                assertThat(pathOf(client)).contains("by kernel (PEER_NOT_ACCELERATED: ");
            }
        }
    }

    /** The stopped process says nothing, while the kernel goes on to take connections for it. */
    @Test
    void aPeerThatIsSilent() throws Exception {
        try (Program server = Program.start(List.of(KERNEL), NioServer.class, ADDRESS)) {
            String port = server.await("port ");
            HostAgent.shell("kill -STOP " + server.pid());
            List<String> options = List.of(KERNEL, "-Daccel.connect.probe-timeout=1s");
            try (Program client = Program.start(options, NioClient.class, ADDRESS, port, "lines")) {
                assertThat(client.await(CONNECTED)).contains("by kernel (TIMEOUT: ", "connect.probe-timeout");
                HostAgent.shell("kill -CONT " + server.pid());
                client.roundTrip();
                client.finish();
            }
        }
    }

    @Test
    void anotherDeviceThanTheProfileWants() throws Exception {
        assertThat(pathWith("-Daccel.rdma.device=mlx5_0")).contains("by kernel (NO_DEVICE: ", "rdma.device=mlx5_0");
        assertThat(pathWith("-Daccel.rdma.device=mlx5_0,rxe0")).endsWith("by rdma");
    }

    private static String pathWith(String option) throws Exception {
        try (Program server = Program.start(List.of(KERNEL), NioServer.class, ADDRESS)) {
            List<Object> arguments = new ArrayList<>(List.of(ADDRESS, server.await("port "), "lines"));
            try (Program client = Program.start(List.of(KERNEL, LOG, option), NioClient.class, arguments.toArray())) {
                return pathOf(client);
            }
        }
    }
}
