// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma.verbs;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** Both ends of connections through a real device, in one thread. */
@EnabledIf(
        value = "io.accel.core.fabric.rdma.verbs.RdmaDevice#isThere",
        disabledReason = "no RDMA device here: samples/lab/junit runs this in the lab")
@Timeout(120)
class LoopbackTest {
    private static final int ROUNDS = 10_000;

    private CmEventChannel serverEvents;

    private CmEventChannel clientEvents;

    private CmId listener;

    private InetSocketAddress address;

    /** Connections of earlier tests are given back in the background, their identifiers last. */
    @BeforeAll
    static void nothingIsLeftOfEarlierTests() {
        Awaitility.await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> {
            assertThat(KernelResources.ofThisProcess()).isEmpty();
        });
    }

    @BeforeEach
    void listen() throws Exception {
        serverEvents = CmEventChannel.open();
        clientEvents = CmEventChannel.open();
        listener = serverEvents.createId();
        listener.bind(new InetSocketAddress(RdmaDevice.address(), 0));
        listener.listen(16);
        address = listener.localAddress();
        assertThat(address.getPort()).isPositive();
    }

    /** What was opened is gone, down to the kernel's own account of this process. */
    @AfterEach
    void nothingIsLeft() throws Exception {
        listener.close();
        serverEvents.close();
        clientEvents.close();
        assertThat(KernelResources.ofThisProcess())
                .as("rdma resource show, of this process")
                .isEmpty();
    }

    @Test
    void writesWithImmediateArriveBothWaysInOrderWithTheirData() throws Exception {
        try (Connection client = Connection.connect(clientEvents, address);
                Connection server = Connection.accept(serverEvents)) {
            establish(client, server);
            assertThat(KernelResources.ofThisProcess()).contains("qp: ", "cq: ", "mr: ", "pd: ", "cm_id: ");
            Deque<Integer> atClient = Connection.inbox();
            Deque<Integer> atServer = Connection.inbox();
            for (int round = 0; round < ROUNDS; round++) {
                exchange(client, server, atServer, round);
                exchange(server, client, atClient, ~round);
            }
            disconnect(client, server);
        }
    }

    private static void exchange(Connection from, Connection to, Deque<Integer> inbox, int round) throws Exception {
        int length = 1 + (round & 0xfff);
        int offset = Math.floorMod(round * 61, Connection.RING - 4096);
        for (int i = 0; i < length; i += 97) {
            from.mirror.put(offset + i, (byte) (round + i));
        }
        from.mirror.put(offset + length - 1, (byte) (round >> 8));
        // Signaled, so that the mirror's range is free once the completion is in.
        from.publish(offset, length, round, SendFlags.SIGNALED);
        assertThat(to.awaitImmediate(inbox)).isEqualTo(round);
        assertThat(to.ring.get(offset + length - 1)).isEqualTo((byte) (round >> 8));
        for (int i = 0; i < length - 1; i += 97) {
            assertThat(to.ring.get(offset + i)).isEqualTo((byte) (round + i));
        }
        from.drainInto(inbox);
    }

    @Test
    void oneCallPostsAListAndInlineDataNeedsNoWait() throws Exception {
        try (Connection client = Connection.connect(clientEvents, address);
                Connection server = Connection.accept(serverEvents)) {
            establish(client, server);
            Deque<Integer> inbox = Connection.inbox();
            int end = Connection.RING - 8;
            for (int round = 0; round < 1_000; round++) {
                client.mirror.putLong(end, round).putLong(0, ~(long) round);
                client.publishTwoParts(end, 8, 0, 8, round);
                assertThat(server.awaitImmediate(inbox)).isEqualTo(round);
                assertThat(server.ring.getLong(end)).isEqualTo(round);
                assertThat(server.ring.getLong(0)).isEqualTo(~(long) round);
                client.drainInto(inbox);
            }
            assertThat(client.queuePair.maxInline()).isGreaterThanOrEqualTo(64);
            client.mirror.putLong(64, 42);
            client.publish(64, 8, 7, SendFlags.INLINE | SendFlags.SIGNALED);
            client.mirror.putLong(64, 43);
            assertThat(server.awaitImmediate(inbox)).isEqualTo(7);
            assertThat(server.ring.getLong(64)).isEqualTo(42);
            disconnect(client, server);
        }
    }

    @Test
    void theDataPathAllocatesNothing() throws Exception {
        try (Connection client = Connection.connect(clientEvents, address);
                Connection server = Connection.accept(serverEvents)) {
            establish(client, server);
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            pingPong(client, server, 1_000);
            long before = threads.getCurrentThreadAllocatedBytes();
            threads.getCurrentThreadAllocatedBytes();
            long asking = threads.getCurrentThreadAllocatedBytes() - before;
            before = threads.getCurrentThreadAllocatedBytes();
            pingPong(client, server, ROUNDS);
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertThat(allocated - asking).as("bytes in %d round trips", ROUNDS).isLessThan(ROUNDS / 10);
            disconnect(client, server);
        }
    }

    private static void pingPong(Connection client, Connection server, int rounds) throws VerbsException {
        for (int round = 0; round < rounds; round++) {
            pass(client, server, round);
            pass(server, client, round);
        }
    }

    /** One write with everything that belongs to it: arming, polling, reading the completion, a receive in its place. */
    private static void pass(Connection from, Connection to, int round) throws VerbsException {
        to.queue.requestNotify(false);
        from.publish(0, 64, round, SendFlags.SIGNALED | SendFlags.INLINE);
        await(to, WcOpcode.RECV_RDMA_WITH_IMM, round);
        to.receives.empty(0, 0);
        to.queuePair.postReceive(to.receives, 0, 1);
        await(from, WcOpcode.RDMA_WRITE, 0);
        to.completions.nextEvent();
        to.queue.acknowledgeEvents();
    }

    private static void await(Connection connection, int opcode, int immediate) throws VerbsException {
        WorkCompletions batch = connection.batch;
        long deadline = System.nanoTime() + Connection.TIMEOUT_MILLIS * 1_000_000L;
        while (connection.queue.pollInto(batch) == 0) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("no completion of " + connection.queuePair);
            }
        }
        if (batch.count() != 1
                || batch.status(0) != WcStatus.SUCCESS
                || batch.opcode(0) != opcode
                || (opcode == WcOpcode.RECV_RDMA_WITH_IMM && batch.immediate(0) != immediate)) {
            throw new AssertionError(batch.count() + " completions, status " + batch.status(0));
        }
    }

    @Test
    void anArmedQueueWakesItsDescriptorAndAnUnarmedOneDoesNot() throws Exception {
        try (Connection client = Connection.connect(clientEvents, address);
                Connection server = Connection.accept(serverEvents)) {
            establish(client, server);
            Deque<Integer> inbox = Connection.inbox();
            for (int round = 0; round < 100; round++) {
                client.publish(0, 1, round, 0);
                assertThat(server.awaitImmediate(inbox)).isEqualTo(round);
                assertThat(Descriptors.isReadable(server.completions.fd(), 0)).isFalse();

                server.queue.requestNotify(false);
                server.drainInto(inbox);
                assertThat(inbox).isEmpty();
                assertThat(server.completions.nextEvent()).isNull();
                client.publish(0, 1, -round, 0);
                assertThat(Descriptors.isReadable(server.completions.fd(), Connection.TIMEOUT_MILLIS))
                        .isTrue();
                assertThat(server.completions.nextEvent()).isSameAs(server.queue);
                assertThat(server.completions.nextEvent()).isNull();
                assertThat(server.awaitImmediate(inbox)).isEqualTo(-round);
            }
            // Solicited only: an ordinary completion does not wake it, a solicited one does.
            server.queue.requestNotify(true);
            client.publish(0, 1, 1, 0);
            assertThat(server.awaitImmediate(inbox)).isEqualTo(1);
            assertThat(Descriptors.isReadable(server.completions.fd(), 50)).isFalse();
            client.publish(0, 1, 2, SendFlags.SOLICITED);
            assertThat(Descriptors.isReadable(server.completions.fd(), Connection.TIMEOUT_MILLIS))
                    .isTrue();
            assertThat(server.completions.nextEvent()).isSameAs(server.queue);
            assertThat(server.awaitImmediate(inbox)).isEqualTo(2);
            disconnect(client, server);
        }
    }

    @Test
    void aRefusedClientIsToldWhyAndAnAbsentListenerRefuses() throws Exception {
        try (Connection client = Connection.connect(clientEvents, address)) {
            CmEvent request = Connection.await(serverEvents, CmEventType.CONNECT_REQUEST);
            assertThat(request.listener()).isSameAs(listener);
            request.id().reject(ByteBuffer.wrap("version 7".getBytes(US_ASCII)));
            request.id().close();
            CmEvent rejected = Connection.await(clientEvents, CmEventType.REJECTED);
            assertThat(rejected.id()).isSameAs(client.id);
            assertThat(rejected.status()).isEqualTo(28);
            byte[] why = new byte[9];
            rejected.privateData().get(why);
            assertThat(new String(why, US_ASCII)).isEqualTo("version 7");
        }
        listener.close();
        try (Connection client = Connection.connect(clientEvents, address)) {
            CmEvent rejected = Connection.await(clientEvents, CmEventType.REJECTED);
            assertThat(rejected.id()).isSameAs(client.id);
            assertThat(rejected.status()).isEqualTo(8);
        }
    }

    @Test
    void whatIsClosedTooEarlySaysSoAndCanBeClosedLater() throws Exception {
        CmId id = clientEvents.createId();
        id.bind(new InetSocketAddress(address.getAddress(), 0));
        ProtectionDomain domain = id.context().allocateProtectionDomain();
        MemoryRegion region = domain.register(ByteBuffer.allocateDirect(4096), Access.LOCAL_WRITE);
        assertThatThrownBy(domain::close)
                .isInstanceOf(VerbsException.class)
                .hasMessageStartingWith("ibv_dealloc_pd: ")
                .hasMessageContaining("(errno 16)");
        assertThatThrownBy(clientEvents::close).isInstanceOf(IllegalStateException.class);
        region.close();
        domain.close();
        id.close();
        assertThatThrownBy(id::context).isInstanceOf(IllegalStateException.class);

        CmId second = clientEvents.createId();
        assertThatThrownBy(() -> second.bind(address))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(98))
                .hasMessageContaining("rdma_bind_addr: " + address);
        second.close();
    }

    @Test
    void aFailedQueuePairFlushesItsRequestsAndAsyncEventsNameIt() throws Exception {
        try (Connection client = Connection.connect(clientEvents, address);
                Connection server = Connection.accept(serverEvents)) {
            establish(client, server);
            client.queuePair.fail();
            awaitFlushed(client);
            server.id.disconnect();
            awaitFlushed(server);
            assertThat(client.id.context()).isSameAs(server.id.context());
            for (AsyncEvent event = client.id.context().nextAsyncEvent();
                    event != null;
                    event = client.id.context().nextAsyncEvent()) {
                assertThat(event.type())
                        .isIn(AsyncEventType.QP_LAST_WQE_REACHED, AsyncEventType.COMM_EST, AsyncEventType.QP_FATAL);
                assertThat(event.number()).isIn(client.queuePair.number(), server.queuePair.number());
            }
        }
    }

    @Test
    void aDeviceTellsWhatItIs() throws Exception {
        Device device = Device.list().get(0);
        try (Context context = device.open()) {
            assertThat(context.device()).isEqualTo(device);
            assertThat(context.attributes().ports()).isPositive();
            assertThat(context.attributes().maxQueuePairs()).isPositive();
            assertThat(context.attributes().maxSegments()).isPositive();
            assertThat(context.attributes().maxRegionSize()).isPositive();
            PortAttributes port = context.port(1);
            assertThat(port.state()).isEqualTo(PortAttributes.State.ACTIVE);
            assertThat(port.linkLayer()).isNotEqualTo(PortAttributes.LinkLayer.UNSPECIFIED);
            assertThat(port.activeMtu()).isBetween(256, port.maxMtu());
            assertThat(port.gids()).isPositive();
            assertThat(context.gid(1, 0)).hasSize(16).isNotEqualTo(new byte[16]);
            assertThat(context.nextAsyncEvent()).isNull();
            assertThatThrownBy(() -> context.port(99)).isInstanceOf(VerbsException.class);
        }
    }

    private void establish(Connection client, Connection server) throws VerbsException {
        client.established(clientEvents);
        server.established(serverEvents);
        assertThat(server.id.remoteAddress()).isEqualTo(client.id.localAddress());
        assertThat(server.id.localAddress()).isEqualTo(address);
    }

    private void disconnect(Connection client, Connection server) throws VerbsException {
        client.id.disconnect();
        assertThat(Connection.await(serverEvents, CmEventType.DISCONNECTED).id())
                .isSameAs(server.id);
        server.id.disconnect();
        assertThat(Connection.await(clientEvents, CmEventType.DISCONNECTED).id())
                .isSameAs(client.id);
        awaitFlushed(client);
        awaitFlushed(server);
    }

    private static void awaitFlushed(Connection connection) throws VerbsException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        int flushed = 0;
        while (flushed < Connection.RECEIVES && System.nanoTime() - deadline < 0) {
            flushed += connection.countFlushed();
        }
        assertThat(flushed).isEqualTo(Connection.RECEIVES);
    }
}
