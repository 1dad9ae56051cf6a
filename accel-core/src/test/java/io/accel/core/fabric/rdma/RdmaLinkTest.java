// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.rdma.verbs.KernelResources;
import io.accel.core.observe.MemoryUse;
import io.accel.core.observe.PathName;
import io.accel.core.stream.StreamReceiver;
import io.accel.core.stream.StreamSender;
import io.accel.testing.SettledCount;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Links over a real device, both ends in this process, with the stream protocol on top. */
@EnabledIf(
        value = "io.accel.core.fabric.rdma.verbs.RdmaDevice#isThere",
        disabledReason = "no RDMA device here: samples/lab/junit runs this in the lab")
@Timeout(120)
class RdmaLinkTest {
    /** Of the kernel's account only the listener's event channel may be left, which has no line in it. */
    @AfterEach
    void nothingIsLeft() {
        awaitNothingLeft();
    }

    /** What is closed lingers for up to six seconds. */
    private static void awaitNothingLeft() {
        Awaitility.await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> assertThat(KernelResources.ofThisProcess())
                .doesNotContain("qp: ", "cq: ", "mr: ", "pd: "));
    }

    /** A listener and its clients; other tests have them of another kind. */
    RdmaEnds ends(int queueDepth) throws Exception {
        return new RdmaEnds(queueDepth);
    }

    /** Both sides write as long as a byte is accepted, in messages as small as can be, and only then read. */
    @ParameterizedTest
    @ValueSource(ints = {32, 256})
    void bothWriteTillNothingFitsAndAllArrivesOnceTheyRead(int depth) throws Exception {
        try (RdmaEnds ends = ends(depth)) {
            RdmaEnds.Pair pair = ends.connect();
            End client = new End(pair.client(), 1);
            End server = new End(pair.server(), 2);
            for (int round = 0; round < 3; round++) {
                long fromClient = client.fill(1);
                long fromServer = server.fill(1);
                assertThat(fromClient).isGreaterThan(RdmaEnds.RING / 2);
                assertThat(fromServer).isGreaterThan(RdmaEnds.RING / 2);
                server.expectMore(client.seed, fromClient);
                client.expectMore(server.seed, fromServer);
            }
            pair.free();
        }
    }

    /**
     * What is counted once what earlier tests have closed has given its own back: to the kernel, which those of other classes may
     * not have waited for, and in the count, where it does so a moment later.
     */
    private static long settled(LongSupplier counted) {
        awaitNothingLeft();
        return SettledCount.of(counted);
    }

    @Test
    void memoryAndMessagesAreCounted() throws Exception {
        long registered = settled(MemoryUse::registered);
        long rings = settled(() -> MemoryUse.rings(PathName.RDMA));
        try (RdmaEnds ends = ends(64)) {
            RdmaEnds.Pair pair = ends.connect();
            // Of either end: a page and a ring to write into, the same to write from.
            assertThat(MemoryUse.registered() - registered).isEqualTo(2 * 2 * (RingMemory.PAGE + RdmaEnds.RING));
            assertThat(MemoryUse.rings(PathName.RDMA) - rings).isGreaterThan(2 * 2 * RdmaEnds.RING);
            End client = new End(pair.client(), 3);
            End server = new End(pair.server(), 4);
            long sent = client.fill(100);
            server.expectMore(client.seed, sent);
            assertThat(pair.client().publishes()).isBetween(sent / RdmaEnds.RING, sent / 100 + 1);
            assertThat(pair.server().publishes()).isZero();
            pair.free();
        }
        Awaitility.await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> {
            assertThat(MemoryUse.registered()).isEqualTo(registered);
            assertThat(MemoryUse.rings(PathName.RDMA)).isEqualTo(rings);
        });
    }

    @Test
    void muchIsSentBothWaysInPiecesOfAllSizes() throws Exception {
        try (RdmaEnds ends = ends(64)) {
            RdmaEnds.Pair pair = ends.connect();
            End client = new End(pair.client(), 10);
            End server = new End(pair.server(), 11);
            SplittableRandom random = new SplittableRandom(5);
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (server.received < 4_000_000 || client.received < 4_000_000) {
                client.write(pieceOf(random));
                server.write(pieceOf(random));
                server.read(client.seed, pieceOf(random));
                client.read(server.seed, pieceOf(random));
                assertThat(System.nanoTime() - deadline)
                        .as("stuck at " + server.received)
                        .isNegative();
            }
            pair.free();
        }
    }

    private static int pieceOf(SplittableRandom random) {
        return 1 + random.nextInt(random.nextBoolean() ? 200 : 40_000);
    }

    /** The end of a connection, and the connection manager's word of it, do not overtake its bytes. */
    @Test
    void whatWasWrittenBeforeTheEndIsReadAfterIt() throws Exception {
        try (RdmaEnds ends = ends(32)) {
            for (int round = 0; round < 40; round++) {
                RdmaEnds.Pair pair = ends.connect();
                End client = new End(pair.client(), round);
                End server = new End(pair.server(), 99);
                long written = client.fill(1 + 997 * (round % 7));
                pair.client().signal(Link.FIN | Link.CLOSED);
                pair.client().free();
                if (round % 2 == 0) { // it is over before the first byte is read
                    await().pollInterval(Duration.ofMillis(1))
                            .until(() -> pair.server().peerGone());
                }
                server.expect(client.seed, written);
                assertThat(server.awaitEnd()).isEqualTo(-1);
                pair.server().signal(Link.FIN | Link.CLOSED);
                pair.server().free();
            }
        }
    }

    /** A writer that goes back to the kernel leaves nothing behind that has yet to be sent. */
    @Test
    void whatIsPublishedToABrokenLinkDoesNotReachThePeer() throws Exception {
        try (RdmaEnds ends = ends(32)) {
            RdmaEnds.Pair pair = ends.connect();
            End client = new End(pair.client(), 1);
            assertThat(client.write(100)).isEqualTo(100);
            await().until(() -> pair.client().isReached());
            pair.client().breakNow();
            await().until(() -> {
                pair.client().takeIn();
                return (pair.client().peerState() & Link.BROKEN) != 0;
            });
            assertThat(pair.client().isReached()).isTrue();
            assertThat(client.write(1)).isEqualTo(1);
            assertThat(pair.client().isReached()).isFalse();
            pair.free();
        }
    }

    @Test
    void anAbortIsAReset() throws Exception {
        try (RdmaEnds ends = ends(32)) {
            RdmaEnds.Pair pair = ends.connect();
            End client = new End(pair.client(), 1);
            End server = new End(pair.server(), 2);
            client.fill(100);
            pair.client().signal(Link.RST | Link.CLOSED);
            pair.client().free();
            Awaitility.await().atMost(10, TimeUnit.SECONDS).until(() -> {
                pair.server().published();
                return (pair.server().peerState() & Link.RST) != 0;
            });
            assertThatThrownBy(() -> server.sender.write(ByteBuffer.allocate(1)))
                    .hasMessage("Connection reset by peer");
            assertThatThrownBy(server::awaitEnd).hasMessage("Connection reset");
            pair.server().free();
        }
    }

    /** A switch is said each time, and has arrived only when all that was published before it has. */
    @Test
    void eachSwitchArrivesAfterWhatWasPublishedBeforeIt() throws Exception {
        try (RdmaEnds ends = ends(32)) {
            RdmaEnds.Pair pair = ends.connect();
            End client = new End(pair.client(), 1);
            End server = new End(pair.server(), 2);
            for (int round = 0; round < 3; round++) {
                client.fill(1); // more messages than the peer, which does not look, has receives for
                pair.client().signal(Link.SWITCHED);
                boolean arrived;
                do {
                    arrived = pair.client().hasArrived();
                    pair.server().takeIn();
                    long come = pair.server().published();
                    assertThat(!arrived || come == client.sent)
                            .as("the switch has arrived, and %d of %d bytes", come, client.sent)
                            .isTrue();
                } while (!arrived);
                assertThat(pair.server().peerState() & Link.SWITCHED).isNotZero();
                server.expect(client.seed, client.sent);
            }
            pair.free();
        }
    }

    @Test
    void aSleeperIsWokenByDataSpaceAndTheEnd() throws Exception {
        try (RdmaEnds ends = ends(32)) {
            RdmaEnds.Pair pair = ends.connect();
            End client = new End(pair.client(), 1);
            End server = new End(pair.server(), 2);
            for (int round = 0; round < 50; round++) {
                pair.server().arm(Link.DATA);
                assertThat(server.receiver.available()).isZero();
                client.write(100);
                awaitDoorbell(pair.server());
                server.expectMore(client.seed, 100);
            }
            long filled = client.fill(1000);
            pair.client().arm(Link.SPACE);
            if (client.sender.ready()) {
                throw new AssertionError("room after " + filled + " bytes that nobody has read");
            }
            server.expectMore(client.seed, filled);
            awaitDoorbell(pair.client());
            Awaitility.await().atMost(5, TimeUnit.SECONDS).until(client.sender::ready);

            pair.server().arm(Link.DATA);
            pair.client().signal(Link.FIN | Link.CLOSED);
            pair.client().free();
            awaitDoorbell(pair.server());
            assertThat(server.awaitEnd()).isEqualTo(-1);
            pair.server().free();
        }
    }

    /** The pollers' part: sleeps on the descriptor until it rings. */
    private static void awaitDoorbell(Link link) throws IOException {
        try (var selector = java.nio.channels.Selector.open()) {
            var key = link.doorbell().register(selector, java.nio.channels.SelectionKey.OP_READ);
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
            while (!link.drainDoorbell()) {
                if (System.nanoTime() - deadline > 0) {
                    throw new AssertionError("the doorbell did not ring");
                }
                selector.select(1_000);
                selector.selectedKeys().clear();
            }
            key.cancel();
        }
    }

    /** Large pieces from where they lie between small ones that are copied; a slot is filled anew once it is given back. */
    @ParameterizedTest
    @ValueSource(ints = {32, 256})
    void bytesAreSentFromWhereTheyLie(int depth) throws Exception {
        int slotSize = 24_000;
        int slots = 3;
        ByteBuffer memory = ByteBuffer.allocateDirect(slots * slotSize);
        BlockingQueue<Object> free = new LinkedBlockingQueue<>(List.of(0, 1, 2));
        long registered = settled(MemoryUse::registered);
        try (RdmaEnds ends = new RdmaEnds(depth)) {
            RdmaEnds.Pair pair = ends.connect();
            End client = new End(pair.client(), 12);
            End server = new End(pair.server(), 13);
            SplittableRandom random = new SplittableRandom(7);
            long before = MemoryUse.registered();
            int inPlace = 0;
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (server.received < 4_000_000) {
                client.write(pieceOf(random) % 200);
                Integer slot = (Integer) free.poll();
                if (slot != null) {
                    int n = client.writeInPlace(memory, slot * slotSize, 1 + random.nextInt(slotSize), slot, free::add);
                    inPlace += n > 0 ? 1 : 0;
                }
                server.read(client.seed, pieceOf(random));
                assertThat(System.nanoTime() - deadline)
                        .as("stuck at " + server.received)
                        .isNegative();
            }
            assertThat(inPlace).isGreaterThan(100);
            assertThat(MemoryUse.registered() - before).isEqualTo(memory.capacity());
            server.expect(client.seed, client.sent);
            Awaitility.await()
                    .atMost(10, TimeUnit.SECONDS)
                    .until(() -> pair.client().sent() == client.sent && free.size() == slots);
            pair.free();
        }
        Awaitility.await().atMost(20, TimeUnit.SECONDS).until(() -> MemoryUse.registered() == registered);
        assertThat(free).containsExactlyInAnyOrder(0, 1, 2);
    }

    /** Nobody reads, so that most of it is never sent: the owners get it back all the same, once. */
    @ParameterizedTest
    @ValueSource(ints = {Link.FIN, Link.RST})
    void whatIsUnderWayAtTheEndIsGivenBack(int state) throws Exception {
        ByteBuffer memory = ByteBuffer.allocateDirect(RdmaEnds.RING);
        BlockingQueue<Object> back = new LinkedBlockingQueue<>();
        int expected;
        try (RdmaEnds ends = new RdmaEnds(32)) {
            RdmaEnds.Pair pair = ends.connect();
            End client = new End(pair.client(), 12);
            int pieces = 0;
            while (client.writeInPlace(memory, pieces * 1000, 1000, pieces, back::add) == 1000) {
                pieces++;
            }
            assertThat(pieces).isGreaterThan(20);
            expected = pieces + 1; // with the one that found too little room
            pair.client().signal(state | Link.CLOSED);
            pair.client().free();
            pair.server().free();
        }
        Awaitility.await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> assertThat(back)
                .hasSizeGreaterThanOrEqualTo(expected));
        assertThat(back).hasSize(expected).doesNotHaveDuplicates();
    }

    @Test
    void thousandsOfConnectionsLeaveNothing() throws Exception {
        try (RdmaEnds ends = ends(32)) {
            churn(ends, 20);
            int descriptors = openDescriptors();
            churn(ends, 400);
            Awaitility.await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> assertThat(openDescriptors())
                    .isLessThanOrEqualTo(descriptors + 4));
        }
    }

    private static void churn(RdmaEnds ends, int connections) throws Exception {
        for (int i = 0; i < connections; i++) {
            RdmaEnds.Pair pair = ends.connect();
            End client = new End(pair.client(), i);
            client.write(10);
            Link first = i % 2 == 0 ? pair.client() : pair.server();
            Link second = i % 2 == 0 ? pair.server() : pair.client();
            first.signal((i % 3 == 0 ? Link.RST : Link.FIN) | Link.CLOSED);
            first.free();
            second.signal(Link.FIN | Link.CLOSED);
            second.free();
        }
    }

    private static int openDescriptors() {
        String[] open = new File("/proc/self/fd").list();
        return open == null ? 0 : open.length;
    }

    @Test
    void aFullListenerAndNoListenerSayWhich() throws Exception {
        List<RdmaEnds.Pair> pairs = new ArrayList<>();
        try (RdmaEnds ends = ends(32)) {
            ends.places.set(1);
            pairs.add(ends.connect());
            assertRefused(ends.begin(), FallbackReason.BACKLOG_FULL);
            ends.places.set(1);
            pairs.add(ends.connect());
            ends.stopListening();
            assertRefused(ends.begin(), FallbackReason.PEER_NOT_ACCELERATED);
        } finally {
            pairs.forEach(RdmaEnds.Pair::free);
        }
    }

    private static void assertRefused(Connecting connecting, FallbackReason reason) {
        assertThatThrownBy(() -> RdmaEnds.answer(connecting))
                .isInstanceOfSatisfying(
                        FallbackException.class, e -> assertThat(e.reason()).isEqualTo(reason));
        connecting.abort();
    }

    /** One end's stream: numbers its bytes by a seed, and checks the other's. */
    private static final class End {
        final StreamSender sender;
        final StreamReceiver receiver;
        final int seed;
        long sent;
        long received;

        End(Link link, int seed) {
            this.sender = new StreamSender(link, 1);
            this.receiver = new StreamReceiver(link);
            this.seed = seed;
        }

        int write(int length) throws IOException {
            ByteBuffer bytes = ByteBuffer.allocate(length);
            for (int i = 0; i < length; i++) {
                bytes.put(i, byteAt(seed, sent + i));
            }
            int n = sender.write(bytes);
            sent += n;
            return n;
        }

        /** Writes from a place in the memory; hands the owner back at once if there is no room. */
        int writeInPlace(ByteBuffer memory, int offset, int length, Object owner, Consumer<Object> done)
                throws IOException {
            int n = sender.room(Math.min(length, memory.capacity() - offset));
            for (int i = 0; i < n; i++) {
                memory.put(offset + i, byteAt(seed, sent + i));
            }
            if (n == 0 || !sender.sendInPlace(memory, offset, n, owner, done)) {
                done.accept(owner);
                return 0;
            }
            sent += n;
            return n;
        }

        /** Writes until nothing is accepted for a while; how much was. */
        long fill(int piece) {
            long before = sent;
            AtomicInteger refused = new AtomicInteger();
            await().pollInSameThread().pollInterval(Duration.ofMillis(1)).until(() -> {
                while (write(piece) > 0) {
                    refused.set(0);
                }
                return refused.incrementAndGet() == 10;
            });
            return sent - before;
        }

        void read(int from, int most) throws IOException {
            ByteBuffer bytes = ByteBuffer.allocate(most);
            int n = receiver.read(bytes);
            for (int i = 0; i < n; i++) {
                if (bytes.get(i) != byteAt(from, received + i)) {
                    throw new AssertionError("byte " + (received + i) + " is wrong");
                }
            }
            received += Math.max(n, 0);
        }

        void expect(int from, long total) throws IOException {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (received < total) {
                read(from, 4_096);
                if (System.nanoTime() - deadline > 0) {
                    throw new AssertionError("only " + received + " of " + total + " bytes came");
                }
            }
        }

        void expectMore(int from, long more) throws IOException {
            expect(from, received + more);
        }

        /** What a read says when there is nothing more. */
        int awaitEnd() {
            return await("the end")
                    .pollInSameThread()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> receiver.read(ByteBuffer.allocate(100_000)), n -> n < 0);
        }

        private static byte byteAt(int seed, long position) {
            return (byte) (position * 31 + (position >> 8) + seed);
        }
    }
}
