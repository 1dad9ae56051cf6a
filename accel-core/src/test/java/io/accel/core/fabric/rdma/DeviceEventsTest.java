// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.Shell;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.rdma.verbs.AsyncEventType;
import io.accel.core.fabric.rdma.verbs.DeviceReports;
import io.accel.core.stream.StreamReceiver;
import io.accel.core.stream.StreamSender;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What becomes of links whose device reports something. The devices give up on nothing themselves here, and peers are not asked for a
 * sign of life: a link that breaks has been broken for what was reported.
 */
@EnabledIfEnvironmentVariable(
        named = "ACCEL_LAB_HOST",
        matches = ".+",
        disabledReason = "not in the lab: samples/lab/junit runs this there")
@Timeout(120)
class DeviceEventsTest {
    private static final String ADDRESS = "10.81.0.1";
    private static final String MAKE = "ip link add z0 type veth peer name z1 && ip addr add " + ADDRESS
            + "/24 dev z0 && ip link set z0 up && ip link set z1 up && rdma link add rxe4 type rxe netdev z0";
    /** The kernel tells the device a moment after; until then what is sent is lost, and sent again in a minute. */
    private static final String UNTIL_ACTIVE = " && for i in $(seq 200); do rdma link show rxe4/1"
            + " | grep -q 'state ACTIVE' && exit; sleep 0.1; done; rdma link show rxe4/1; exit 1";

    private static final String PLUG_IN = "ip link set z1 up" + UNTIL_ACTIVE;

    private static final AtomicBoolean HAS_WAY = new AtomicBoolean();
    private static final AtomicInteger ASKED = new AtomicInteger();

    private static DeviceReports reports;
    private static CmService service;

    private RdmaEnds ends;
    /** On another device. */
    private RdmaEnds others;

    private RdmaEnds.Pair bystander;

    @BeforeAll
    static void interpose() throws Exception {
        Shell.run(MAKE + UNTIL_ACTIVE);
        reports = new DeviceReports();
        service = CmService.start(address -> {
            ASKED.incrementAndGet();
            return HAS_WAY.get();
        });
    }

    @AfterAll
    static void stop() {
        reports.close(); // and the device stays: this process has it open, and the guest goes soon
    }

    @BeforeEach
    void connect() throws Exception {
        HAS_WAY.set(false);
        ends = new RdmaEnds(new RdmaFabric(RdmaEnds.patient(), () -> service), InetAddress.getByName(ADDRESS));
        others = new RdmaEnds(new RdmaFabric(RdmaEnds.patient(), () -> service), InetAddress.getByName("10.78.0.1"));
        bystander = others.connect();
    }

    @AfterEach
    void bystanderIsAsItWas() throws Exception {
        reports.instead(null);
        Shell.run(PLUG_IN);
        assertWorks(bystander);
        bystander.free();
        others.close();
        ends.close();
    }

    private static void assertWorks(RdmaEnds.Pair pair) {
        StreamSender sender = new StreamSender(pair.client(), 1);
        StreamReceiver receiver = new StreamReceiver(pair.server());
        soon(() -> assertThat(sender.write(ByteBuffer.allocate(100))).isEqualTo(100));
        ByteBuffer in = ByteBuffer.allocate(100);
        soon(() -> assertThat(receiver.read(in) < 0 || !in.hasRemaining()).isTrue());
        assertThat(in.hasRemaining()).isFalse();
    }

    /** Sooner than a device sends again, or gives up; the connection manager sends again after some four seconds. */
    private static void soon(ThrowingRunnable assertion) {
        Awaitility.await().atMost(30, TimeUnit.SECONDS).untilAsserted(assertion);
    }

    private static boolean isBroken(Link link) {
        return (link.peerState() & Link.BROKEN) != 0 && link.peerGone();
    }

    private static void assertBroken(RdmaEnds.Pair pair) {
        soon(() -> assertThat(isBroken(pair.client())).isTrue());
        soon(() -> assertThat(isBroken(pair.server())).isTrue());
    }

    /** What is flushed first is what the connection's way back to the kernel waits for; the peer's word comes after that. */
    @Test
    void aFailedDeviceBreaksItsLinksAndTellsBeforeItTakesLeave() throws Exception {
        RdmaEnds.Pair first = ends.connect();
        RdmaEnds.Pair second = ends.connect();
        for (Link end : new Link[] {first.client(), first.server(), second.client(), second.server()}) {
            end.whenBroken(() -> reports.calls().add("told"));
        }
        reports.instead(AsyncEventType.DEVICE_FATAL);
        reports.calls().clear();
        Shell.run("ip link set z1 down");
        assertBroken(first);
        assertBroken(second);
        soon(() -> assertThat(reports.calls()).contains("rdma_disconnect"));
        List<String> calls = List.copyOf(reports.calls()); // those of the other links still come
        assertThat(calls.subList(0, calls.indexOf("rdma_disconnect")))
                .filteredOn(call -> call.equals("ibv_modify_qp") || call.equals("told"))
                .startsWith("ibv_modify_qp", "told", "ibv_modify_qp", "told")
                .hasSize(8);
        first.free();
        second.free();
    }

    @ParameterizedTest
    @EnumSource(names = {"QP_FATAL", "QP_REQ_ERR", "QP_ACCESS_ERR"})
    void aFailedQueuePairBreaksItsOwnLink(AsyncEventType type) throws Exception {
        RdmaEnds.Pair other = ends.connect();
        RdmaEnds.Pair pair = ends.connect();
        reports.instead(type);
        Shell.run("ip link set z1 down");
        soon(() ->
                assertThat(isBroken(pair.client()) || isBroken(pair.server())).isTrue());
        Shell.run(PLUG_IN); // by which the connection manager tells the peer
        assertBroken(pair);
        assertWorks(other);
        pair.free();
        other.free();
    }

    @Test
    void aFailedCompletionQueueBreaksAllLinksThatMayHaveIt() throws Exception {
        RdmaEnds.Pair first = ends.connect();
        RdmaEnds.Pair second = ends.connect();
        reports.instead(AsyncEventType.CQ_ERR);
        Shell.run("ip link set z1 down");
        assertBroken(first);
        assertBroken(second);
        first.free();
        second.free();
    }

    @Test
    void whatNobodyKnowsIsNothing() throws Exception {
        RdmaEnds.Pair pair = ends.connect();
        reports.unknownInstead();
        reports.calls().clear();
        Shell.run("ip link set z1 down && " + PLUG_IN);
        soon(() -> assertThat(reports.calls()).contains("ibv_ack_async_event"));
        assertWorks(pair);
        pair.free();
    }

    /** The device would send again for a minute. */
    @Test
    void aPortThatIsDownBreaksWhatWaitsIfTheKernelHasAWay() throws Exception {
        RdmaEnds.Pair pair = ends.connect();
        HAS_WAY.set(true);
        Shell.run("ip link set z1 down");
        int written = new StreamSender(pair.client(), 1).write(ByteBuffer.allocate(100));
        assertThat(written).isEqualTo(100);
        soon(() -> assertThat(isBroken(pair.client())).isTrue());
        pair.free();
    }

    @Test
    void aPortThatIsDownBreaksNothingIfTheKernelHasNoWay() throws Exception {
        RdmaEnds.Pair pair = ends.connect();
        Shell.run("ip link set z1 down");
        StreamSender sender = new StreamSender(pair.client(), 1);
        assertThat(sender.write(ByteBuffer.allocate(100))).isEqualTo(100);
        int before = ASKED.get();
        soon(() -> assertThat(ASKED.get()).isGreaterThan(before + 3));
        assertThat(isBroken(pair.client())).isFalse();
        HAS_WAY.set(true); // or the device sends again in a minute
        soon(() -> assertThat(isBroken(pair.client())).isTrue());
        pair.free();
    }
}
