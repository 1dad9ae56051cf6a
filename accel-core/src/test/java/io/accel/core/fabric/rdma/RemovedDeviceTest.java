// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.FallbackReason;
import io.accel.core.Shell;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.rdma.verbs.RdmaDevice;
import io.accel.core.stream.StreamReceiver;
import io.accel.core.stream.StreamSender;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The device is taken away under open connections and a listener, and comes back: only the lab lets one do that. */
@EnabledIfEnvironmentVariable(
        named = "ACCEL_LAB_HOST",
        matches = "A",
        disabledReason = "not in the lab: samples/lab/junit runs this there")
@Timeout(180)
class RemovedDeviceTest {
    @Test
    void linksBreakAndTheListenerComesBack() throws Exception {
        String network = Shell.run("rdma link show rxe0/1").replaceFirst("(?s).*netdev (\\S+).*", "$1");
        // librdmacm lets go of a device only while there is another, which stays: the guest goes soon.
        Shell.run("ip link add x0 type veth peer name x1 && ip addr add 10.80.0.1/24 dev x0"
                + " && ip link set x0 up && ip link set x1 up && rdma link add rxe2 type rxe netdev x0");
        try (RdmaEnds ends = new RdmaEnds(32, InetAddress.getByName("10.78.0.1"))) {
            RdmaEnds.Pair pair = ends.connect();
            StreamSender sender = new StreamSender(pair.client(), 1);
            StreamReceiver receiver = new StreamReceiver(pair.server());
            sender.write(ByteBuffer.wrap(new byte[10]));
            Awaitility.await().atMost(20, TimeUnit.SECONDS).until(receiver::available, n -> n == 10);

            RdmaDevice.remove("rxe0"); // the program keeps both ends open, and still it goes
            assertThat(receiver.read(ByteBuffer.allocate(100))).isEqualTo(10);
            for (Link end : List.of(pair.client(), pair.server())) {
                Awaitility.await()
                        .atMost(20, TimeUnit.SECONDS)
                        .until(() -> (end.peerState() & Link.BROKEN) != 0 && end.peerGone());
            }
            assertThat(receiver.read(ByteBuffer.allocate(100)))
                    .as("before it is decided")
                    .isZero();
            assertThat(sender.write(ByteBuffer.allocate(1))).isEqualTo(1);
            pair.server().decide(Link.RST);
            pair.client().decide(Link.RST);
            assertThatThrownBy(() -> receiver.read(ByteBuffer.allocate(100))).hasMessage("Connection reset");
            assertThatThrownBy(() -> sender.write(ByteBuffer.allocate(1))).hasMessage("Connection reset by peer");
            pair.free();
            assertThatThrownBy(ends::begin).isInstanceOfSatisfying(FallbackException.class, e -> assertThat(e.reason())
                    .isEqualTo(FallbackReason.NO_DEVICE));

            Shell.run("rdma link add rxe0 type rxe netdev " + network);
            Awaitility.await().atMost(60, TimeUnit.SECONDS).ignoreExceptions().until(() -> {
                RdmaEnds.Pair again = ends.connect();
                again.free();
                return true;
            });
        }
    }
}
