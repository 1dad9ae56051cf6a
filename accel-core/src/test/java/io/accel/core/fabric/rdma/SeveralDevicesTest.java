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
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** A host with several devices, one of which is taken away: a device's links are its own. */
@EnabledIfEnvironmentVariable(
        named = "ACCEL_LAB_HOST",
        matches = ".+",
        disabledReason = "not in the lab: samples/lab/junit runs this there")
@Timeout(180)
class SeveralDevicesTest {
    private static final String FIRST = "10.82.0.1";
    private static final String SECOND = "10.83.0.1";

    /** They stay: this process has them open, and the guest goes soon. */
    @BeforeEach
    void makeDevices() throws Exception {
        Shell.run("ip link add u0 type veth peer name u1 && ip addr add " + FIRST + "/24 dev u0"
                + " && ip link add u2 type veth peer name u3 && ip addr add " + SECOND + "/24 dev u2"
                + " && for i in 0 1 2 3; do ip link set u$i up; done"
                + " && rdma link add rxe5 type rxe netdev u0 && rdma link add rxe6 type rxe netdev u2");
        awaitActive("rxe5");
        awaitActive("rxe6");
    }

    private static void awaitActive(String device) {
        Awaitility.await().atMost(20, TimeUnit.SECONDS).until(() -> Shell.run("rdma link show " + device + "/1")
                .contains("ACTIVE"));
    }

    private static String deviceOf(Link link) {
        return ((RdmaLink) link).endpoint().context().device().name();
    }

    private static boolean isBroken(Link link) {
        return (link.peerState() & Link.BROKEN) != 0 && link.peerGone();
    }

    private static void assertWorks(RdmaEnds.Pair pair) throws IOException {
        StreamSender sender = new StreamSender(pair.client(), 1);
        StreamReceiver receiver = new StreamReceiver(pair.server());
        assertThat(sender.write(ByteBuffer.allocate(100))).isEqualTo(100);
        ByteBuffer in = ByteBuffer.allocate(100);
        Awaitility.await().atMost(20, TimeUnit.SECONDS).until(() -> receiver.read(in) < 0 || !in.hasRemaining());
        assertThat(in.hasRemaining()).isFalse();
        assertThat(isBroken(pair.client()) || isBroken(pair.server())).isFalse();
    }

    @Test
    void eachHasTheLinksOfItsAddressesAndTakesNoOthersWithIt() throws Exception {
        InetAddress first = InetAddress.getByName(FIRST);
        InetAddress second = InetAddress.getByName(SECOND);
        try (RdmaEnds own = new RdmaEnds(32, first);
                RdmaEnds all = new RdmaEnds(32, InetAddress.getByName("0.0.0.0"))) {
            RdmaEnds.Pair leaving = own.connect();
            RdmaEnds.Pair alsoLeaving = all.connectAt(first);
            RdmaEnds.Pair staying = all.connectAt(second);
            RdmaEnds.Pair alsoStaying = all.connectAt(InetAddress.getByName("10.78.0.1"));
            assertThat(deviceOf(leaving.client())).isEqualTo("rxe5").isEqualTo(deviceOf(leaving.server()));
            assertThat(deviceOf(alsoLeaving.client())).isEqualTo("rxe5").isEqualTo(deviceOf(alsoLeaving.server()));
            assertThat(deviceOf(staying.client())).isEqualTo("rxe6").isEqualTo(deviceOf(staying.server()));
            assertThat(deviceOf(alsoStaying.client())).isEqualTo("rxe0").isEqualTo(deviceOf(alsoStaying.server()));

            // It ends when the process has let go of the device, though there are links on others.
            RdmaDevice.remove("rxe5"); // though there are links on others
            for (RdmaEnds.Pair pair : new RdmaEnds.Pair[] {leaving, alsoLeaving}) {
                Awaitility.await()
                        .atMost(20, TimeUnit.SECONDS)
                        .until(() -> isBroken(pair.client()) && isBroken(pair.server()));
                pair.free();
            }
            assertWorks(staying);
            assertWorks(alsoStaying);
            assertThatThrownBy(() -> all.beginAt(first))
                    .isInstanceOfSatisfying(
                            FallbackException.class, e -> assertThat(e.reason()).isEqualTo(FallbackReason.NO_DEVICE));
            RdmaEnds.Pair another = all.connectAt(second);
            assertWorks(another);

            Shell.run("rdma link add rxe5 type rxe netdev u0");
            for (RdmaEnds ends : new RdmaEnds[] {own, all}) { // the first listens there again, the other everywhere
                Awaitility.await()
                        .atMost(60, TimeUnit.SECONDS)
                        .ignoreExceptions()
                        .untilAsserted(() -> {
                            RdmaEnds.Pair again = ends.connectAt(first);
                            assertThat(deviceOf(again.client())).isEqualTo("rxe5");
                            again.free();
                        });
            }
            assertWorks(staying);
            assertWorks(alsoStaying);
            staying.free();
            alsoStaying.free();
            another.free();
        }
    }
}
