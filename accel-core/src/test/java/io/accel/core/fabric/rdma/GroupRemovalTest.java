// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.Shell;
import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.GroupNetwork;
import io.accel.core.fabric.rdma.verbs.RdmaDevice;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The device is taken away under a publisher and a member of a multicast group, beside a member on another device, and comes back. */
@EnabledIfEnvironmentVariable(
        named = "ACCEL_LAB_HOST",
        matches = "A",
        disabledReason = "not in the lab: samples/lab/junit runs this there")
@Timeout(180)
class GroupRemovalTest {
    private static final String HERE = "10.78.0.1";
    private static final String OTHER = "10.86.0.1";

    /** The sender's half of a socket. */
    private final Executor half = task -> {
        synchronized (this) {
            task.run();
        }
    };

    private static Inet4Address ip(String literal) throws Exception {
        return (Inet4Address) InetAddress.getByName(literal);
    }

    private static void soon(ThrowingRunnable assertion) {
        Awaitility.await()
                .atMost(90, TimeUnit.SECONDS)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .untilAsserted(assertion);
    }

    @Test
    void groupsAreJoinedAgainOnceTheDeviceIsBack() throws Exception {
        String network = Shell.run("rdma link show rxe0/1").replaceFirst("(?s).*netdev (\\S+).*", "$1");
        // librdmacm lets go of a device only while there is another, which stays: the guest goes soon.
        Shell.run("ip link add g0 type veth peer name g1 && ip addr add " + OTHER + "/24 dev g0"
                + " && ip link set g0 up && ip link set g1 up && rdma link add rxe7 type rxe netdev g0");
        Inet4Address group = ip("239.20.30.51");
        GroupFlow flow =
                new GroupFlow(new InetSocketAddress(group, 7_000), 1, new InetSocketAddress(ip(HERE), 7_001), false);
        RdmaGroups groups = new RdmaGroups(GroupThread.get());
        GroupTold publisher = new GroupTold();
        GroupTold member = new GroupTold();
        GroupTold beside = new GroupTold();
        GroupNetwork.Outlet outlet = groups.open(flow, 1, half, publisher);
        GroupNetwork.Membership membership = groups.join(group, ip(HERE), member);
        GroupNetwork.Membership other = groups.join(group, ip(OTHER), beside);
        soon(() -> assertThat(publisher.all()).containsExactly("opened"));
        soon(() -> assertThat(member.all()).containsExactly("opened"));
        soon(() -> assertThat(beside.all()).endsWith("opened")); // its device may not have had its address at once

        RdmaDevice.remove("rxe0"); // nobody closes anything, and still it goes
        soon(() -> assertThat(publisher.all()).containsExactly("opened", "closed LINK_LOST"));
        soon(() -> assertThat(member.all()).containsExactly("opened", "closed LINK_LOST"));
        half.execute(() -> assertThat(outlet.most()).isEqualTo(GroupNetwork.Outlet.CLOSED));

        Shell.run("rdma link add rxe0 type rxe netdev " + network);
        soon(() -> assertThat(publisher.all()).containsExactly("opened", "closed LINK_LOST", "opened"));
        soon(() -> assertThat(member.all()).containsExactly("opened", "closed LINK_LOST", "opened"));
        half.execute(() -> assertThat(outlet.most()).isPositive());
        assertThat(beside.all()).endsWith("opened").doesNotContain("closed LINK_LOST");
        half.execute(outlet::free);
        membership.close();
        other.close();
        soon(() -> assertThat(beside.all()).endsWith("opened", "ended"));
    }
}
