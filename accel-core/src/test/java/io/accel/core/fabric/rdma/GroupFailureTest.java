// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.FallbackReason;
import io.accel.core.daemon.Daemons;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.GroupFlow;
import io.accel.core.fabric.GroupNetwork;
import io.accel.core.fabric.rdma.verbs.KernelResources;
import io.accel.core.fabric.rdma.verbs.NativeFailures;
import io.accel.core.observe.MemoryUse;
import java.io.File;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Any call for a multicast group fails once: there is a reason, nothing is left of the attempt, and the next one succeeds. */
@EnabledIfEnvironmentVariable(
        named = "ACCEL_LAB_HOST",
        matches = "A",
        disabledReason = "not in the lab: samples/lab/junit runs this there")
@Timeout(60)
class GroupFailureTest {
    private static final int ENOMEM = 12;
    private static final int BURST = 50;
    private static final String THREAD = "accel-rdma-groups";

    private static Inet4Address address;
    private static Inet4Address group;
    private static NativeFailures failures;
    private static RdmaGroups groups;

    /** The sender's half of a socket. */
    private final Executor half = task -> {
        synchronized (this) {
            task.run();
        }
    };

    @BeforeAll
    static void interpose() throws Exception {
        address = (Inet4Address) InetAddress.getByName("10.78.0.1");
        group = (Inet4Address) InetAddress.getByName("239.20.30.50");
        failures = new NativeFailures();
        groups = new RdmaGroups(GroupThread.start(Daemons::start));
        GroupTold first = new GroupTold();
        GroupNetwork.Membership membership = groups.join(group, address, first);
        soon(() -> assertThat(first.all()).containsExactly("opened"));
        membership.close(); // what is kept for good is open from now on
        soon(() -> assertThat(KernelResources.summary()).contains("ctx 1", "cm_id 0"));
    }

    @AfterAll
    static void stop() {
        failures.close();
    }

    private static void soon(ThrowingRunnable assertion) {
        Awaitility.await()
                .atMost(30, TimeUnit.SECONDS)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .untilAsserted(assertion);
    }

    private static GroupFlow flow() {
        return new GroupFlow(new InetSocketAddress(group, 7_000), 1, new InetSocketAddress(address, 7_001), false);
    }

    private static void assertBack(String before, long registered) {
        soon(() -> assertThat(MemoryUse.registered()).isEqualTo(registered));
        soon(() -> assertThat(KernelResources.summary()).isEqualTo(before));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rdma_create_id",
                "rdma_bind_addr",
                "ibv_query_port",
                "ibv_alloc_pd",
                "ibv_create_comp_channel",
                "ibv_create_cq",
                "ibv_reg_mr",
                "rdma_create_qp",
                "fcntl",
                "rdma_join_multicast"
            })
    void aMembershipIsTriedAgain(String call) throws Exception {
        String before = KernelResources.summary();
        long registered = MemoryUse.registered();
        GroupTold told = new GroupTold();
        failures.failIn(THREAD, call, 1, ENOMEM);
        GroupNetwork.Membership membership = groups.join(group, address, told);
        String reason = "closed " + Failures.reasonOf(call, ENOMEM);
        soon(() -> assertThat(told.all()).containsExactly(reason, "opened"));
        assertThat(failures.hasFailed()).isTrue();
        GroupTold second = new GroupTold();
        GroupNetwork.Membership another = groups.join(group, address, second);
        soon(() -> assertThat(second.all()).containsExactly("opened"));
        another.close();
        membership.close();
        soon(() -> assertThat(told.all()).containsExactly(reason, "opened", "ended"));
        assertBack(before, registered);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rdma_create_id",
                "rdma_bind_addr",
                "ibv_query_port",
                "ibv_alloc_pd",
                "ibv_create_cq",
                "ibv_reg_mr",
                "rdma_create_qp",
                "rdma_join_multicast",
                "ibv_create_ah"
            })
    void aPublishersWayIsTriedAgain(String call) throws Exception {
        String before = KernelResources.summary();
        long registered = MemoryUse.registered();
        GroupTold told = new GroupTold();
        failures.failIn(THREAD, call, 1, ENOMEM);
        GroupNetwork.Outlet outlet = groups.open(flow(), 1, half, told);
        soon(() -> assertThat(told.all()).containsExactly("closed " + Failures.reasonOf(call, ENOMEM), "opened"));
        assertThat(failures.hasFailed()).isTrue();
        assertThat(outlet.closed()).isNull();
        half.execute(() -> assertThat(outlet.most()).isPositive());
        half.execute(outlet::free);
        assertBack(before, registered);
    }

    /** The sender meets it. */
    @ParameterizedTest
    @ValueSource(strings = {"ibv_post_send", "ibv_poll_cq"})
    void aWayThatFailsLaterIsOpenedAgain(String call) throws Exception {
        String before = KernelResources.summary();
        long registered = MemoryUse.registered();
        GroupTold told = new GroupTold();
        failures.record();
        GroupNetwork.Outlet outlet = groups.open(flow(), 1, half, told);
        soon(() -> assertThat(told.all()).containsExactly("opened"));
        failures.fail(call, 1, ENOMEM);
        soon(() -> {
            half.execute(() -> send(outlet));
            assertThat(failures.hasFailed()).isTrue();
        });
        soon(() -> assertThat(told.all()).containsExactly("opened", "closed LINK_LOST", "opened"));
        half.execute(() -> send(outlet));
        half.execute(outlet::free);
        assertBack(before, registered);
    }

    private static void send(GroupNetwork.Outlet outlet) {
        for (int i = 0; i < BURST && outlet.most() > 0; i++) {
            outlet.write(ByteBuffer.allocate(100));
            outlet.send();
        }
    }

    @Test
    void whatNobodyWantsIsNotTriedAgain() throws Exception {
        String before = KernelResources.summary();
        GroupTold publisher = new GroupTold();
        failures.failIn(THREAD, "rdma_join_multicast", 1, ENOMEM);
        GroupNetwork.Outlet outlet = groups.open(flow(), 1, half, publisher);
        soon(() -> assertThat(publisher.all()).hasSize(1));
        half.execute(outlet::free);
        GroupTold member = new GroupTold();
        failures.failIn(THREAD, "rdma_join_multicast", 1, ENOMEM);
        GroupNetwork.Membership membership = groups.join(group, address, member);
        soon(() -> assertThat(member.all()).hasSize(1));
        membership.close();
        failures.record();
        Awaitility.await()
                .during(Duration.ofNanos(GrowingPause.FIRST_NANOS).plusMillis(500))
                .atMost(30, TimeUnit.SECONDS)
                .until(() -> !failures.countsOfThoseThatCanFail().containsKey("rdma_create_id"));
        assertThat(publisher.all()).containsExactly("closed NO_RESOURCES");
        assertThat(member.all()).containsExactly("closed NO_RESOURCES", "ended");
        assertThat(KernelResources.summary()).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource({"rdma_create_event_channel, 1", "fcntl, 1", "fcntl, 2", "fcntl, 3"})
    void theThreadDoesNotStart(String call, int nth) {
        int before = descriptors();
        failures.fail(call, nth, ENOMEM);
        assertThatThrownBy(() -> GroupThread.start(Daemons::start))
                .isInstanceOfSatisfying(
                        FallbackException.class, e -> assertThat(e.reason()).isEqualTo(FallbackReason.NO_RESOURCES))
                .hasMessageContaining(call);
        soon(() -> assertThat(descriptors()).isLessThanOrEqualTo(before));
    }

    @Test
    void theThreadMayNotStart() {
        int before = descriptors();
        failures.record();
        assertThatThrownBy(() -> GroupThread.start((name, body, wake) -> {
                    throw new SecurityException("no " + name);
                }))
                .isInstanceOfSatisfying(
                        FallbackException.class, e -> assertThat(e.reason()).isEqualTo(FallbackReason.NO_RESOURCES))
                .hasMessageContaining("no accel-rdma-groups");
        soon(() -> assertThat(descriptors()).isLessThanOrEqualTo(before));
    }

    private static int descriptors() {
        String[] open = new File("/proc/self/fd").list();
        return open == null ? 0 : open.length;
    }
}
