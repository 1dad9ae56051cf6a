// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.Shell;
import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.GroupNetwork;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.rdma.verbs.CmEvent;
import io.accel.core.fabric.rdma.verbs.CmEventChannel;
import io.accel.core.fabric.rdma.verbs.CmEventType;
import io.accel.core.fabric.rdma.verbs.CmId;
import io.accel.core.stream.StreamReceiver;
import io.accel.core.stream.StreamSender;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A device on a bond that changes to its other link. The kernel then makes the bond's entries in the device's table of addresses anew, which the
 * device reports; and where the hardware address changes, too (fail_over_mac), the connection manager reports ADDR_CHANGE for each identifier.
 */
@EnabledIfEnvironmentVariable(
        named = "ACCEL_LAB_HOST",
        matches = ".+",
        disabledReason = "not in the lab: samples/lab/junit runs this there")
@Timeout(120)
class BondTest {
    private static final String MAKE = "for i in A B; do ip link add t$i type veth peer name far$i"
            + " && ip link set far$i up || exit; done; ip link add BOND type bond mode active-backup miimon 20 fail_over_mac MAC"
            + " && ip link set tA master BOND && ip link set tB master BOND && ip addr add ADDRESS/24 dev BOND"
            + " && ip link set BOND up && rdma link add DEVICE type rxe netdev BOND";

    /** Bonds by whether their hardware address changes with the link. They stay, because this process has the devices open. */
    private enum Kind {
        ACTIVE("bond8", "rxe8", "10.84.0.1", 0),
        NONE("bond7", "rxe7", "10.85.0.1", 2);

        final String bond;
        final String device;
        final String address;
        final int firstLink;

        Kind(String bond, String device, String address, int firstLink) {
            this.bond = bond;
            this.device = device;
            this.address = address;
            this.firstLink = firstLink;
        }
    }

    /** A witness: told of what all identifiers of the device are told of, after those that were made before. */
    private CmEventChannel events;

    private CmId witness;

    private InetAddress address;

    @BeforeEach
    void open() throws Exception {
        events = CmEventChannel.open();
    }

    private void makeBond(Kind kind) throws Exception {
        if (!Shell.run("rdma link show").contains(kind.device)) {
            Shell.run(MAKE.replace("MAC", kind.name().toLowerCase(Locale.ROOT))
                    .replace("ADDRESS", kind.address)
                    .replace("DEVICE", kind.device)
                    .replace("BOND", kind.bond)
                    .replace("A B", kind.firstLink + " " + (kind.firstLink + 1))
                    .replace("tA", "t" + kind.firstLink)
                    .replace("tB", "t" + (kind.firstLink + 1)));
        }
        Awaitility.await().atMost(20, TimeUnit.SECONDS).until(() -> Shell.run("rdma link show " + kind.device + "/1")
                .contains("ACTIVE"));
        address = InetAddress.getByName(kind.address);
    }

    @AfterEach
    void plugIn() throws Exception {
        if (witness != null) {
            witness.close();
        }
        events.close();
        Shell.run("for each in /sys/class/net/far*; do ip link set ${each##*/} up; done");
        Awaitility.await().atMost(20, TimeUnit.SECONDS).until(() -> !Shell.run("cat /sys/class/net/t?/operstate")
                .contains("down"));
    }

    private static String activeLink(Kind kind) throws Exception {
        return Shell.run("cat /sys/class/net/" + kind.bond + "/bonding/active_slave")
                .strip();
    }

    /** Pulls the active link's cable, and returns when the connection manager has told all identifiers of the change, if it tells. */
    private void changeLink(Kind kind) throws Exception {
        witness = events.createId();
        witness.bind(new InetSocketAddress(address, 0));
        String before = activeLink(kind);
        Shell.run("ip link set " + before.replace("t", "far") + " down");
        if (kind == Kind.ACTIVE) {
            Awaitility.await().atMost(20, TimeUnit.SECONDS).until(() -> {
                CmEvent event = events.nextEvent();
                return event != null && event.type() == CmEventType.ADDR_CHANGE;
            });
        }
        soon(() -> assertThat(activeLink(kind)).startsWith("t").isNotEqualTo(before));
    }

    private static void assertWorks(RdmaEnds.Pair pair) throws IOException {
        StreamSender sender = new StreamSender(pair.client(), 1);
        StreamReceiver receiver = new StreamReceiver(pair.server());
        assertThat(sender.write(ByteBuffer.allocate(100))).isEqualTo(100);
        ByteBuffer in = ByteBuffer.allocate(100);
        soon(() -> assertThat(receiver.read(in) < 0 || !in.hasRemaining()).isTrue());
        assertThat(in.hasRemaining()).isFalse();
    }

    private static void soon(ThrowingRunnable assertion) {
        Awaitility.await().atMost(20, TimeUnit.SECONDS).untilAsserted(assertion);
    }

    private static boolean isBroken(Link link) {
        return (link.peerState() & Link.BROKEN) != 0 && link.peerGone();
    }

    private static long heard(Link link) {
        return ((RdmaLink) link).heard();
    }

    /** Waits until nothing more comes of the proof of the ends, and returns what has come. */
    private static long settled(Link link) {
        AtomicLong last = new AtomicLong(-1);
        Awaitility.await()
                .atMost(20, TimeUnit.SECONDS)
                .pollInterval(200, TimeUnit.MILLISECONDS)
                .until(() -> last.getAndSet(heard(link)) == heard(link));
        return heard(link);
    }

    /**
     * Soft-RoCE (seen in 6.1) can send nothing more from a queue pair whose entry in the table of addresses was made anew; another device may go
     * on. Neither end sends by itself here.
     */
    @ParameterizedTest
    @EnumSource
    void linksAreAskedWhetherTheyStillCarryAndNewOnesComeToBe(Kind kind) throws Exception {
        makeBond(kind);
        try (RdmaEnds ends = new RdmaEnds(RdmaEnds.patient(), address)) {
            RdmaEnds.Pair pair = ends.connect();
            for (Link end : List.of(pair.client(), pair.server())) {
                assertThat(((RdmaLink) end).endpoint().context().device().name())
                        .isEqualTo(kind.device);
            }
            long atClient = settled(pair.client());
            long atServer = settled(pair.server());
            changeLink(kind);
            soon(() -> assertThat(heard(pair.client()) > atClient || isBroken(pair.client()))
                    .isTrue());
            soon(() -> assertThat(heard(pair.server()) > atServer || isBroken(pair.server()))
                    .isTrue());
            System.out.println("after a bond's change to its other link (fail_over_mac " + kind + ") a link is "
                    + (isBroken(pair.client()) ? "broken" : "as it was"));
            RdmaEnds.Pair another = ends.connect();
            assertWorks(another);
            another.free();
            pair.free();
        }
    }

    @Test
    void multicastGroupsStayJoinedAndPublishersGetAnotherWay() throws Exception {
        makeBond(Kind.ACTIVE);
        Inet4Address group = (Inet4Address) InetAddress.getByName("239.1.2.3");
        GroupNetwork groups = new RdmaFabric(RdmaEnds.config(32, false)).groups();
        GroupTold member = new GroupTold();
        GroupNetwork.Membership membership = groups.join(group, (Inet4Address) address, member);
        GroupFlow flow = new GroupFlow(
                new InetSocketAddress(group, 7_000),
                NetworkInterface.getByInetAddress(address).getIndex(),
                new InetSocketAddress(address, 7_001),
                false);
        GroupTold publisher = new GroupTold();
        GroupNetwork.Outlet outlet = groups.open(flow, 1, Runnable::run, publisher);
        soon(() -> assertThat(publisher.all()).containsExactly("opened"));
        soon(() -> assertThat(member.all()).containsExactly("opened"));
        changeLink(Kind.ACTIVE);
        soon(() -> assertThat(publisher.all()).containsExactly("opened", "closed LINK_LOST", "opened"));
        assertThat(member.all()).as("nothing has ended").containsExactly("opened");
        outlet.free();
        membership.close();
        soon(() -> assertThat(member.all()).containsExactly("opened", "ended"));
    }
}
