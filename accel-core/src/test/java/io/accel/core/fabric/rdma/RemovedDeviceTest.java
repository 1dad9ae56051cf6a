// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.FallbackReason;
import io.accel.core.Shell;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.rdma.verbs.KernelResources;
import io.accel.core.fabric.rdma.verbs.RdmaDevice;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.stream.StreamReceiver;
import io.accel.core.stream.StreamSender;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The device is taken away, whatever this process has there, and comes back: only the lab lets one do that. */
@EnabledIfEnvironmentVariable(
        named = "ACCEL_LAB_HOST",
        matches = "A",
        disabledReason = "not in the lab: samples/lab/junit runs this there")
@Timeout(180)
class RemovedDeviceTest {
    private static final String OTHER = "10.80.0.1";

    private static String network;

    /** librdmacm lets go of a device only while there is another, which stays: the guest goes soon. */
    @BeforeAll
    static void addAnother() throws Exception {
        network = Shell.run("rdma link show rxe0/1").replaceFirst("(?s).*netdev (\\S+).*", "$1");
        Shell.run("ip link add x0 type veth peer name x1 && ip addr add " + OTHER + "/24 dev x0"
                + " && ip link set x0 up && ip link set x1 up && rdma link add rxe2 type rxe netdev x0");
    }

    @AfterEach
    void addDeviceAgain() throws Exception {
        if (!Shell.run("rdma link").contains("rxe0/")) {
            addDevice();
        }
    }

    private static void addDevice() throws Exception {
        Shell.run("rdma link add rxe0 type rxe netdev " + network);
        Awaitility.await().atMost(30, TimeUnit.SECONDS).until(() -> Shell.run("rdma link show rxe0/1")
                .contains("state ACTIVE"));
    }

    private static RdmaEnds ends() throws Exception {
        return new RdmaEnds(32, InetAddress.getByName("10.78.0.1"));
    }

    private static void awaitNothingLeft() {
        Awaitility.await()
                .atMost(30, TimeUnit.SECONDS)
                .until(KernelResources::ofThisProcess, left -> !left.contains("rxe0"));
    }

    @Test
    void linksBreakAndTheListenerComesBack() throws Exception {
        try (RdmaEnds ends = ends()) {
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

            addDevice();
            Awaitility.await().atMost(60, TimeUnit.SECONDS).ignoreExceptions().until(() -> {
                RdmaEnds.Pair again = ends.connect();
                again.free();
                return true;
            });
        }
    }

    /** Nothing of this process's is on the device, so nobody tells it. */
    @Test
    void aDeviceThatNobodyUsesAnyMoreGoes() throws Exception {
        try (RdmaEnds ends = ends()) {
            ends.connect().free();
        }
        awaitNothingLeft();
        RdmaDevice.remove("rxe0");
    }

    @Test
    void aDeviceGoesThoughLinksOnAnotherStay() throws Exception {
        try (RdmaEnds others = new RdmaEnds(32, InetAddress.getByName(OTHER));
                RdmaEnds ends = ends()) {
            RdmaEnds.Pair bystander = others.connect();
            RdmaEnds.Pair pair = ends.connect();
            RdmaDevice.remove("rxe0");
            new StreamSender(bystander.client(), 1).write(ByteBuffer.wrap(new byte[10]));
            StreamReceiver receiver = new StreamReceiver(bystander.server());
            Awaitility.await().atMost(20, TimeUnit.SECONDS).until(receiver::available, n -> n == 10);
            pair.free();
            bystander.free();
        }
    }

    /** A selector keeps the descriptor of a channel that was closed until it selects again. */
    @Test
    void aDeviceGoesThoughASelectorWatchesALinkAndIsNotUsed() throws Exception {
        try (Selector idle = JdkAccess.kernelProvider().openSelector();
                RdmaEnds ends = ends()) {
            RdmaEnds.Pair pair = ends.connect();
            for (Link end : List.of(pair.client(), pair.server())) {
                end.doorbell().register(idle, SelectionKey.OP_READ);
            }
            assertThat(idle.selectNow()).isNotNegative();
            RdmaDevice.remove("rxe0");
            assertThat(idle.keys()).isNotEmpty();
            assertThat(idle.selectNow()).isZero();
            assertThat(idle.keys()).isEmpty();
            pair.free();
        }
    }

    /** The kernel does not tell the listener, whose program has not accepted the client's connection. */
    @Test
    void aDeviceGoesThoughAClientWaitsForTheProgram() throws Exception {
        try (RdmaEnds ends = ends()) {
            ends.accepts = false;
            Connecting connecting = ends.begin();
            Awaitility.await().atMost(20, TimeUnit.SECONDS).until(() -> {
                assertThat(connecting.advance()).isNull();
                return ends.waiting.get() == 1;
            });
            connecting.abort();
            RdmaDevice.remove("rxe0");
            assertThat(ends.waiting).hasValue(0);
        }
    }

    /** The handshake, with a host that does not answer, hears for itself that the device goes, as soon as it is looked after. */
    @Test
    void aDeviceGoesInTheMidstOfAHandshake() throws Exception {
        InetSocketAddress nobody = new InetSocketAddress("10.78.0.99", 4711);
        Connecting connecting = new RdmaFabric(RdmaEnds.config(32, false))
                .connect(nobody, from -> new InetSocketAddress(from, 50_000), RdmaEnds.RING);
        Process removal = RdmaDevice.beginRemoval("rxe0");
        try {
            assertThatThrownBy(() -> RdmaEnds.answer(connecting)).isInstanceOf(FallbackException.class);
        } finally {
            RdmaDevice.assertRemoved(removal);
        }
    }
}
