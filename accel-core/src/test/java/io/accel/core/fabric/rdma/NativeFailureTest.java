// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.rdma.verbs.KernelResources;
import io.accel.core.fabric.rdma.verbs.NativeFailures;
import io.accel.core.fabric.rdma.verbs.RdmaDevice;
import io.accel.core.observe.MemoryUse;
import io.accel.core.observe.PathName;
import io.accel.core.stream.StreamReceiver;
import io.accel.core.stream.StreamSender;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Any call into librdmacm or libibverbs fails, at either end: there is a reason to take the kernel's path, nothing is left
 * of the attempt, and the next one is as if nothing had happened.
 */
@EnabledIf(
        value = "io.accel.core.fabric.rdma.verbs.RdmaDevice#isThere",
        disabledReason = "no RDMA device here: samples/lab/junit runs this in the lab")
@Timeout(60)
class NativeFailureTest {
    private static final int EPERM = 1;
    private static final int ENOMEM = 12;
    private static final int EOPNOTSUPP = 95;
    private static final long HANDSHAKE_TIMEOUT_NANOS = 2_000_000_000L;
    private static final long FIRST_HANDSHAKE_TIMEOUT_NANOS = 30_000_000_000L;

    private static InetAddress address;
    private static NativeFailures failures;
    private static CmService service;
    /** What there is while nothing goes on, the same after every test: the next one begins when the last has left nothing. */
    private static Account idle;

    /** What there is, as the kernel counts it and as Accel does. */
    private record Account(String kernel, int descriptors, long registered, long rings) {
        static Account now() throws Exception {
            return new Account(
                    KernelResources.summary(),
                    descriptorsNow(),
                    MemoryUse.registered(),
                    MemoryUse.rings(PathName.RDMA));
        }

        private static int descriptorsNow() {
            String[] open = new File("/proc/self/fd").list();
            return open == null ? 0 : open.length;
        }

        Account withDescriptors(int most) {
            return new Account(kernel, most, registered, rings);
        }

        void isBack() {
            soon(() -> {
                assertThat(MemoryUse.registered()).isEqualTo(registered);
                assertThat(MemoryUse.rings(PathName.RDMA)).isEqualTo(rings);
                assertThat(descriptorsNow()).isLessThanOrEqualTo(descriptors);
            });
            soon(() -> assertThat(KernelResources.summary()).isEqualTo(kernel));
        }
    }

    private static void soon(ThrowingRunnable assertion) {
        Awaitility.await()
                .atMost(15, TimeUnit.SECONDS)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .untilAsserted(assertion);
    }

    @BeforeAll
    static void interpose() throws Exception {
        address = RdmaDevice.address();
        failures = new NativeFailures();
        service = CmService.start();
        Account atFirst = Account.now();
        // The first handshake loads classes, for which a guest of a busy machine takes long.
        try (RdmaEnds ends = open(FIRST_HANDSHAKE_TIMEOUT_NANOS)) {
            talk(ends.connect()).free(); // so that what is kept for good is open
        }
        atFirst.withDescriptors(Integer.MAX_VALUE).isBack();
        idle = Account.now();
    }

    @AfterAll
    static void stop() {
        failures.close();
    }

    @AfterEach
    void thenAllIsWell() throws Exception {
        failures.record();
        try (RdmaEnds ends = open()) {
            talk(ends.connect()).free();
        }
        idle.isBack();
    }

    private static RdmaEnds open() throws Exception {
        return open(HANDSHAKE_TIMEOUT_NANOS);
    }

    private static RdmaEnds open(long handshakeTimeoutNanos) throws Exception {
        RdmaFabric fabric = new RdmaFabric(RdmaEnds.config(32, false, handshakeTimeoutNanos), () -> service);
        return new RdmaEnds(fabric, address);
    }

    private static RdmaEnds.Pair talk(RdmaEnds.Pair pair) {
        transfer(pair.client(), pair.server());
        transfer(pair.server(), pair.client());
        return pair;
    }

    private static void transfer(Link from, Link to) {
        StreamSender sender = new StreamSender(from, 1);
        StreamReceiver receiver = new StreamReceiver(to);
        soon(() -> assertThat(sender.write(ByteBuffer.allocate(100))).isEqualTo(100));
        soon(() -> assertThat(receiver.available()).isEqualTo(100));
    }

    @ParameterizedTest
    @CsvSource({
        "ibv_get_device_list, 1",
        "rdma_create_event_channel, 1",
        "rdma_create_id, 1",
        "rdma_bind_addr, 1",
        "rdma_listen, 1",
    })
    void aListenerSaysWhy(String call, int nth) throws Exception {
        failures.fail(call, nth, ENOMEM);
        assertThatThrownBy(NativeFailureTest::open)
                .isInstanceOf(FallbackException.class)
                .hasMessageContaining(call);
        assertThat(failures.hasFailed()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"rdma_create_event_channel, 1", "fcntl, 1", "fcntl, 2", "fcntl, 3"})
    void theServiceDoesNotStart(String call, int nth) throws Exception {
        failures.fail(call, nth, ENOMEM);
        assertThatThrownBy(CmService::start)
                .isInstanceOfSatisfying(
                        FallbackException.class, e -> assertThat(e.reason()).isEqualTo(FallbackReason.NO_RESOURCES))
                .hasMessageContaining(call);
    }

    /** Where either end makes the call, the client's comes first. */
    @ParameterizedTest
    @CsvSource({
        "fcntl, 3", // of 14 that the client makes, and 7 of the listener
        "fcntl, 5",
        "fcntl, 9",
        "fcntl, 12",
        "fcntl, 14",
        "fcntl, 16",
        "fcntl, 18",
        "fcntl, 21",
        "rdma_create_id, 1",
        "rdma_resolve_addr, 1",
        "rdma_set_option, 1",
        "rdma_set_option, 2",
        "ibv_alloc_pd, 1",
        "ibv_alloc_pd, 2",
        "ibv_reg_mr, 1",
        "ibv_reg_mr, 2",
        "ibv_reg_mr, 3",
        "ibv_reg_mr, 4",
        "ibv_create_comp_channel, 1",
        "ibv_create_comp_channel, 2",
        "ibv_create_cq, 1",
        "ibv_create_cq, 2",
        "ibv_post_recv, 1",
        "ibv_post_recv, 2",
        "rdma_resolve_route, 1",
        "rdma_connect, 1",
        "rdma_accept, 1",
        "rdma_migrate_id, 1",
    })
    void aConnectionGoesByTheKernel(String call, int nth) throws Exception {
        try (RdmaEnds ends = open()) {
            int places = ends.places.get();
            for (int errno : call.equals("ibv_post_recv") ? new int[] {ENOMEM} : new int[] {ENOMEM, EPERM}) {
                failures.fail(call, nth, errno);
                assertThatThrownBy(ends::connect)
                        .isInstanceOfSatisfying(FallbackException.class, e -> assertThat(e.reason())
                                .isEqualTo(Failures.reasonOf(call, errno)));
                assertThat(failures.hasFailed()).isTrue();
            }
            // A client that gives up an established connection has been accepted.
            int taken = call.equals("rdma_migrate_id") ? 2 : 0;
            soon(() -> assertThat(ends.places).hasValue(places - taken));
        }
    }

    /** A handshake that failed is not ended once more when its time is up. */
    @Test
    void aFailedHandshakeIsForgotten() throws Exception {
        try (RdmaEnds ends = open()) {
            int places = ends.places.get();
            failures.fail("rdma_accept", 1, ENOMEM);
            assertThatThrownBy(ends::connect).isInstanceOf(FallbackException.class);
            Duration pastItsTime = Duration.ofNanos(HANDSHAKE_TIMEOUT_NANOS).plusMillis(500);
            Awaitility.await()
                    .during(pastItsTime) // nothing happens at its time
                    .atMost(pastItsTime.plusSeconds(10))
                    .untilAsserted(() -> {
                        assertThat(ends.places).hasValue(places);
                        assertThat(MemoryUse.registered()).isEqualTo(idle.registered);
                        assertThat(MemoryUse.rings(PathName.RDMA)).isEqualTo(idle.rings);
                    });
        }
    }

    /** What has a second way, or stands for nothing that the connection needs. */
    @ParameterizedTest
    @CsvSource({
        "rdma_bind_addr, 1", // the kernel's port number is taken: any other
        "rdma_create_qp, 1", // so much inline is too much: less
        "rdma_create_qp, 2",
        "ibv_query_device, 1", // how large a shared queue may be: it is for one connection
        "rdma_ack_cm_event, 1",
        "rdma_ack_cm_event, 2",
        "rdma_ack_cm_event, 3",
        "rdma_ack_cm_event, 4",
        "rdma_disconnect, 1",
        "rdma_disconnect, 2",
        "dup3, 1", // the descriptor of a closed queue's channel stays until its selector selects
    })
    void aConnectionGoesByRdmaNoneTheLess(String call, int nth) throws Exception {
        try (RdmaEnds ends = open()) {
            failures.fail(call, nth, ENOMEM);
            talk(ends.connect()).free();
            soon(() -> assertThat(failures.hasFailed()).isTrue());
        }
    }

    /** As that of some clouds, whose transport is one that verbs have, and which has none of its connections. */
    @ParameterizedTest
    @ValueSource(strings = {"rdma_create_qp", "ibv_post_send"})
    void aDeviceThatLacksWhatIsNeededIsNamed(String call) throws Exception {
        try (RdmaEnds ends = open()) {
            failures.fail(call, 1, EOPNOTSUPP);
            assertThatThrownBy(ends::connect)
                    .isInstanceOfSatisfying(
                            FallbackException.class, e -> assertThat(e.reason()).isEqualTo(FallbackReason.NO_DEVICE))
                    .hasMessageContaining("has no reliable connections that programs can post to: " + call);
            assertThat(failures.hasFailed()).isTrue();
        }
    }

    /** The end that meets it finds its link broken, and once its program has closed it the other end knows, too. */
    @ParameterizedTest
    @ValueSource(strings = {"ibv_poll_cq", "ibv_req_notify_cq", "ibv_post_send", "ibv_post_recv"})
    void aLinkThatFailsLaterIsBroken(String call) throws Exception {
        try (RdmaEnds ends = open()) {
            RdmaEnds.Pair pair = ends.connect();
            End client = new End(pair.client());
            End server = new End(pair.server());
            failures.fail(call, 1, ENOMEM);
            soon(() -> assertThat(Stream.of(client, server).filter(End::isOver)).isNotEmpty());
            End first = client.isOver ? client : server;
            End second = client.isOver ? server : client;
            first.link.free();
            soon(() -> assertThat(second.isOver()).isTrue());
            second.link.free();
            assertThat(failures.hasFailed()).isTrue();
        }
    }

    /** An end whose program writes and reads what it can, and waits. */
    private static final class End {
        final Link link;
        private final StreamSender sender;
        private final StreamReceiver receiver;
        boolean isOver;

        End(Link link) {
            this.link = link;
            this.sender = new StreamSender(link, 1);
            this.receiver = new StreamReceiver(link);
        }

        boolean isOver() {
            try {
                int unused = sender.write(ByteBuffer.allocate(100));
                isOver = receiver.read(ByteBuffer.allocate(1_000)) < 0 || link.peerGone();
                link.arm(Link.DATA);
            } catch (IOException e) {
                isOver = true;
            }
            return isOver;
        }
    }

    /** What cannot be closed stays, with what depends on it; everything else is given back. */
    @ParameterizedTest
    @ValueSource(
            strings = {"ibv_destroy_cq", "ibv_destroy_comp_channel", "ibv_dereg_mr", "ibv_dealloc_pd", "rdma_destroy_id"
            })
    void whatCannotBeClosedKeepsNothingElse(String call) throws Exception {
        failures.fail(call, 1, ENOMEM);
        try (RdmaEnds ends = open()) {
            talk(ends.connect()).free();
            soon(() -> assertThat(failures.hasFailed()).isTrue());
            talk(ends.connect()).free();
        }
        soon(() -> assertThat(MemoryUse.registered()).isEqualTo(idle.registered));
        assertThat(failures.closeUnclosed()).isEmpty();
    }

    /** The client gives up when it cannot read its events; the service, which has others', tries again. */
    @ParameterizedTest
    @CsvSource({"1, main", "2, main", "1, accel-rdma", "2, accel-rdma", "3, accel-rdma"})
    void eventsThatCannotBeRead(int nth, String thread) throws Exception {
        boolean isService = thread.equals("accel-rdma");
        try (RdmaEnds ends = open()) {
            failures.failIn(isService ? thread : Thread.currentThread().getName(), "rdma_get_cm_event", nth, ENOMEM);
            if (isService) {
                talk(ends.connect()).free();
                soon(() -> assertThat(failures.hasFailed()).isTrue());
            } else {
                assertThatThrownBy(ends::connect)
                        .isInstanceOfSatisfying(FallbackException.class, e -> assertThat(e.reason())
                                .isEqualTo(FallbackReason.NO_RESOURCES));
            }
        }
    }

    static List<Arguments> errorsOfTheService() {
        return List.of(
                Arguments.of("rdma_get_cm_event", new OutOfMemoryError("injected")),
                Arguments.of("rdma_disconnect", new InternalError("injected")),
                Arguments.of("ibv_dereg_mr", new StackOverflowError("injected")),
                Arguments.of("ibv_dealloc_pd", new IllegalStateException("injected")),
                Arguments.of("ibv_destroy_cq", new OutOfMemoryError("injected")));
    }

    /** An error that no library reports, in the thread that serves all connections: it goes on, and everything else is given back. */
    @ParameterizedTest
    @MethodSource("errorsOfTheService")
    void anErrorOfTheServiceEndsNoOtherLink(String call, Throwable error) throws Exception {
        try (RdmaEnds ends = open()) {
            RdmaEnds.Pair beside = ends.connect();
            failures.throwIn("accel-rdma", call, 1, error);
            talk(ends.connect()).free();
            talk(ends.connect()).free();
            talk(beside).free();
            soon(() -> assertThat(failures.hasFailed()).isTrue());
        }
        soon(() -> assertThat(MemoryUse.registered()).isEqualTo(idle.registered));
        assertThat(failures.closeUnclosed()).isEmpty();
    }

    /** So that a call that comes to be made is also let fail here. */
    @Test
    void everyCallOfAConnectionIsLetFail() throws Exception {
        failures.record();
        try (RdmaEnds ends = open()) {
            talk(ends.connect()).free();
        }
        idle.isBack();
        Set<String> letFail = new HashSet<>(Set.of("rdma_get_cm_event", "rdma_notify"));
        for (Method test : NativeFailureTest.class.getDeclaredMethods()) {
            CsvSource rows = test.getAnnotation(CsvSource.class);
            ValueSource values = test.getAnnotation(ValueSource.class);
            for (String row : rows != null ? rows.value() : values != null ? values.strings() : new String[0]) {
                letFail.add(row.replaceFirst(",.*", ""));
            }
        }
        assertThat(failures.countsOfThoseThatCanFail().keySet()).isSubsetOf(letFail);
    }
}
