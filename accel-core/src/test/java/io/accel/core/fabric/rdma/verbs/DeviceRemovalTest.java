// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.core.Shell;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Takes the device away under a connection and brings it back, which only the lab lets one do. */
@EnabledIfEnvironmentVariable(
        named = "ACCEL_LAB_HOST",
        matches = "A",
        disabledReason = "not in the lab: samples/lab/junit runs this there")
@Timeout(90)
class DeviceRemovalTest {
    private interface Step {
        void run(Set<CmId> identifiers) throws Exception;
    }

    @Test
    void aRemovedDeviceIsReportedAndOneThatComesBackWorks() throws Exception {
        InetAddress address = InetAddress.getByName("10.78.0.1");
        String network = Shell.run("rdma link show rxe0/1").replaceFirst("(?s).*netdev (\\S+).*", "$1");
        // Another device, without which librdmacm would hold on to the removed one.
        Shell.run("ip link add w0 type veth peer name w1 && ip addr add 10.79.0.1/24 dev w0"
                + " && ip link set w0 up && ip link set w1 up && rdma link add rxe1 type rxe netdev w0");
        try (CmEventChannel server = CmEventChannel.open();
                CmEventChannel client = CmEventChannel.open()) {
            Process[] removal = new Process[1];
            try {
                connectAndWrite(server, client, address, identifiers -> {
                    removal[0] = new ProcessBuilder("rdma", "link", "delete", "rxe0")
                            .inheritIO()
                            .start();
                    Set<CmId> told = new HashSet<>();
                    Awaitility.await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> {
                        collectRemovals(server, told);
                        collectRemovals(client, told);
                        assertThat(told).isEqualTo(identifiers);
                    });
                });
                Set<String> left = new HashSet<>();
                assertThat(Verbs.releaseRemovedDevices(
                                context -> left.add(context.device().name())))
                        .isTrue();
                assertThat(left).contains("rxe1").doesNotContain("rxe0");
                assertThat(removal[0].waitFor(20, TimeUnit.SECONDS))
                        .as("rdma link delete ended")
                        .isTrue();
            } finally {
                removal[0].destroyForcibly().waitFor(5, TimeUnit.SECONDS);
            }
            assertThat(Device.list()).extracting(Device::name).contains("rxe1").doesNotContain("rxe0");
            try (CmId id = client.createId()) {
                assertThatThrownBy(() -> id.bind(new InetSocketAddress(address, 0)))
                        .isInstanceOfSatisfying(
                                VerbsException.class, e -> assertThat(e.errno()).isEqualTo(19));
            }

            Shell.run("rdma link add rxe0 type rxe netdev " + network);
            Awaitility.await().atMost(20, TimeUnit.SECONDS).until(() -> Shell.run("rdma link show rxe0/1")
                    .contains("ACTIVE"));
            connectAndWrite(server, client, address, identifiers -> {});
        }
    }

    private static void collectRemovals(CmEventChannel channel, Set<CmId> told) throws VerbsException {
        for (CmEvent event = channel.nextEvent(); event != null; event = channel.nextEvent()) {
            if (event.type() == CmEventType.DEVICE_REMOVAL) {
                told.add(event.id());
            }
        }
    }

    private static void connectAndWrite(CmEventChannel server, CmEventChannel client, InetAddress address, Step then)
            throws Exception {
        try (CmId listener = server.createId()) {
            listener.bind(new InetSocketAddress(address, 0));
            listener.listen(1);
            try (Connection connecting = Connection.connect(client, listener.localAddress());
                    Connection accepted = Connection.accept(server)) {
                connecting.established(client);
                accepted.established(server);
                connecting.publish(0, 1, 5, SendFlags.SIGNALED);
                assertThat(accepted.awaitImmediate(Connection.inbox())).isEqualTo(5);
                then.run(Set.of(listener, connecting.id, accepted.id));
            }
        }
    }
}
