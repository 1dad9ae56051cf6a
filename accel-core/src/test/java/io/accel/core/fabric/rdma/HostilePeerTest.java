// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.FallbackReason;
import io.accel.core.fabric.Beginnings;
import io.accel.core.fabric.Connecting;
import io.accel.core.fabric.Fabric;
import io.accel.core.fabric.FallbackException;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.OwnershipSecrets;
import io.accel.core.fabric.rdma.verbs.CmEvent;
import io.accel.core.fabric.rdma.verbs.CmEventChannel;
import io.accel.core.fabric.rdma.verbs.CmEventType;
import io.accel.core.fabric.rdma.verbs.CmId;
import io.accel.core.fabric.rdma.verbs.ConnectionParameters;
import io.accel.core.fabric.rdma.verbs.SendFlags;
import io.accel.core.fabric.rdma.verbs.SendRequests;
import io.accel.core.stream.CorruptLinkException;
import io.accel.core.stream.StreamReceiver;
import io.accel.core.stream.StreamSender;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that offer nonsense, and peers that lie once they are connected. Each ends its own connection and no other. */
@EnabledIf(
        value = "io.accel.core.fabric.rdma.verbs.RdmaDevice#isThere",
        disabledReason = "no RDMA device here: samples/lab/junit runs this in the lab")
@Timeout(60)
class HostilePeerTest {
    private static final int DEPTH = 32;
    private static final int WRITTEN = 64;

    private RdmaEnds ends;
    private CmEventChannel events;
    /** A connection that nobody else's nonsense may touch. */
    private RdmaEnds.Pair bystander;

    @BeforeEach
    void open() throws Exception {
        ends = new RdmaEnds(DEPTH);
        events = CmEventChannel.open();
        bystander = ends.connect();
    }

    @AfterEach
    void bystanderStillWorks() throws Exception {
        StreamSender sender = new StreamSender(bystander.client(), 1);
        StreamReceiver receiver = new StreamReceiver(bystander.server());
        assertThat(sender.write(ByteBuffer.wrap(new byte[100]))).isEqualTo(100);
        ByteBuffer in = ByteBuffer.allocate(100);
        Awaitility.await().atMost(5, TimeUnit.SECONDS).until(() -> receiver.read(in) >= 0 && !in.hasRemaining());
        bystander.free();
        events.close();
        ends.close();
    }

    @Test
    void garbageIsRefusedWithItsReason() throws Exception {
        for (int length : new int[] {0, 1, 7, 33, 56}) {
            ByteBuffer garbage = ByteBuffer.allocate(length);
            for (int i = 0; i < length; i++) {
                garbage.put(i, (byte) (31 * i + 7));
            }
            assertThat(refusalOf(garbage)).isEqualTo(FallbackReason.BAD_HANDSHAKE);
        }
        Offer offer = new Offer(4096, 1, 1 << 16, 32, 5, 6, false, 0, Carried.NOTHING);
        assertThat(refusalOf(offer.encode().putShort(4, (short) 99))).isEqualTo(FallbackReason.VERSION_MISMATCH);
        assertThat(refusalOf(offer.encode().put(20, (byte) 60))).isEqualTo(FallbackReason.BAD_HANDSHAKE);
        assertThat(refusalOf(offer.encode().putShort(22, (short) 1))).isEqualTo(FallbackReason.BAD_HANDSHAKE);
    }

    private FallbackReason refusalOf(ByteBuffer privateData) throws Exception {
        CmId id = resolved();
        Endpoint endpoint = Endpoint.open(id, RdmaEnds.config(DEPTH, false), RdmaEnds.RING, null);
        id.connect(new ConnectionParameters(privateData));
        CmEvent event = await(CmEventType.REJECTED);
        endpoint.close();
        Endpoint.close(endpoint.id(), "identifier");
        endpoint.memory().free();
        return Offer.refused(event.privateData()).reason();
    }

    /** It has none of the connection's bytes, and says what it likes about them. */
    @Test
    void aListenerThatGuessesIsNotTakenForThePeer() throws Exception {
        Fabric.Source source = new Fabric.Source() {
            @Override
            public InetSocketAddress bind(InetAddress from) {
                return new InetSocketAddress(from, 50_000);
            }

            @Override
            public Beginnings beginnings() {
                return new Known(64, 64);
            }
        };
        try (CmId listener = events.createId()) {
            listener.bind(new InetSocketAddress(ends.address.getAddress(), 0));
            listener.listen(1);
            Connecting connecting = new RdmaFabric(RdmaEnds.config(DEPTH, false))
                    .connect(listener.localAddress(), source, RdmaEnds.RING);
            CmEvent[] request = new CmEvent[1];
            Awaitility.await().pollInSameThread().atMost(10, TimeUnit.SECONDS).until(() -> {
                assertThat(connecting.advance()).isNull();
                request[0] = events.nextEvent();
                return request[0] != null;
            });
            Offer client = Offer.decode(request[0].privateData());
            assertThat(client.carried().sent()).isEqualTo(64);
            CmId id = request[0].id();
            Endpoint endpoint = Endpoint.open(id, RdmaEnds.config(DEPTH, false), RdmaEnds.RING, null);
            Offer answer = RdmaConnecting.offer(endpoint, RdmaEnds.RING, client.nonce(), 5, 6, new Carried(64, 64, 7));
            id.accept(new ConnectionParameters(answer.encode()));
            assertThatThrownBy(() -> RdmaEnds.answer(connecting))
                    .isInstanceOfSatisfying(
                            FallbackException.class, e -> assertThat(e.reason()).isEqualTo(FallbackReason.UNPROVED));
            endpoint.close();
            Endpoint.close(id, "identifier");
            endpoint.memory().free();
        }
    }

    /** So many bytes of each direction. */
    private record Known(int sent, int received) implements Beginnings {
        @Override
        public int sumOfSent(int length) {
            return 1;
        }

        @Override
        public int sumOfReceived(int length) {
            return 2;
        }
    }

    /** Neither what it publishes nor what it says is seen, and lies about the proof change nothing. */
    @Test
    void aPeerThatHasNotProvedItselfIsNotHeard() throws Exception {
        try (Liar liar = new Liar(false)) {
            liar.word(Immediate.of(Immediate.STATE, Link.SWITCHED | Link.FIN | Link.DEAF | Link.LEFT));
            liar.word(Immediate.of(Immediate.STATE, Link.ATTACHED));
            liar.oneByteMessages(3);
            liar.ownership(Long.MAX_VALUE - 1);
            Awaitility.await().atMost(10, TimeUnit.SECONDS).until(() -> {
                liar.victim.takeIn();
                return liar.victim.ownership().peersPlace() == Long.MAX_VALUE - 1;
            });
            assertThat(liar.victim.ownership().isProved()).isFalse();
            assertThat(liar.victim.published()).isZero();
            assertThat(liar.victim.peerState()).isEqualTo(Link.ATTACHED);
        }
    }

    /** It returns a secret that it has not received. */
    @Test
    void aFalseSecretBreaksTheLink() throws Exception {
        try (Liar liar = new Liar(false)) {
            liar.secret(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
            Awaitility.await().atMost(10, TimeUnit.SECONDS).until(() -> {
                assertThat(liar.victim.ownership().isProved()).isFalse();
                return (liar.victim.peerState() & Link.BROKEN) != 0;
            });
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {RdmaEnds.RING + 1, 1 << 28, Immediate.MAX_VALUE})
    void aLengthThatTheRingCannotHoldIsAReset(int length) throws Exception {
        try (Liar liar = new Liar()) {
            liar.word(Immediate.of(Immediate.DATA, length));
            assertCorrupt(liar.victim);
        }
    }

    @Test
    void manySmallLiesAreAResetToo() throws Exception {
        try (Liar liar = new Liar()) {
            for (int i = 0; i < 3; i++) {
                liar.word(Immediate.of(Immediate.DATA, RdmaEnds.RING / 2));
            }
            assertCorrupt(liar.victim);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 7})
    void anUnknownMessageIsAReset(int op) throws Exception {
        try (Liar liar = new Liar()) {
            liar.word(Immediate.of(op, 1));
            assertCorrupt(liar.victim);
        }
    }

    @Test
    void aSendInsteadOfAWriteIsAReset() throws Exception {
        try (Liar liar = new Liar()) {
            liar.requests.send(0, liar.nextId(), SendFlags.SIGNALED);
            liar.endpoint.queuePair().postSend(liar.requests, 0, 1);
            assertCorrupt(liar.victim);
        }
    }

    @Test
    void aWriteBesideTheRegionBreaksTheLink() throws Exception {
        try (Liar liar = new Liar()) {
            liar.write(liar.ring() + RdmaEnds.RING, liar.offer.key());
            assertBroken(liar.victim);
        }
    }

    /** Address and key are right, as that connection's own handshake has them. */
    @Test
    void aWriteByTheKeyOfAnotherConnectionBreaksTheWritersLinkAlone() throws Exception {
        try (Liar other = new Liar();
                Liar liar = new Liar()) {
            liar.write(other.ring(), other.offer.key());
            assertBroken(liar.victim);
            other.victim.takeIn();
            assertThat(other.victim.peerState() & Link.BROKEN).isZero();
            assertThat(other.victim.published()).isZero();
            // Which the other one may do.
            other.write(other.ring(), other.offer.key());
            Awaitility.await().atMost(10, TimeUnit.SECONDS).until(() -> {
                other.victim.takeIn();
                return other.victim.published() == WRITTEN;
            });
        }
    }

    /** Its device asks for none of the receives that others have, and goes on when its own are there again. */
    @Test
    void moreMessagesThanReceivesDisturbNoOtherLink() throws Exception {
        int more = 20;
        RdmaEnds.Pair other = ends.connect();
        try (Liar liar = new Liar()) {
            liar.oneByteMessages(DEPTH);
            Awaitility.await().atMost(10, TimeUnit.SECONDS).until(() -> liar.acknowledged() == DEPTH);
            liar.oneByteMessages(more);
            for (int i = 1; i <= 3 * DEPTH; i++) {
                int cursor = i;
                other.client().publish(cursor - 1, cursor);
                Awaitility.await().pollInSameThread().until(() -> other.server().published() == cursor);
                other.server().publish(cursor - 1, cursor);
                Awaitility.await().pollInSameThread().until(() -> other.client().published() == cursor);
            }
            Awaitility.await().atMost(10, TimeUnit.SECONDS).until(() -> liar.victim.published() == DEPTH + more);
            assertThat(liar.victim.peerState() & Link.BROKEN).isZero();
        } finally {
            other.free();
        }
    }

    private static void assertBroken(Link victim) {
        Awaitility.await().atMost(10, TimeUnit.SECONDS).until(() -> {
            victim.takeIn();
            return (victim.peerState() & Link.BROKEN) != 0;
        });
        assertThat(victim.published()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 1, RdmaEnds.RING, Long.MAX_VALUE})
    void aCreditForWhatWasNotSentIsAReset(long consumed) throws Exception {
        try (Liar liar = new Liar()) {
            liar.cell(consumed, 32);
            assertReset(liar.victim);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 31, 1_000, Long.MIN_VALUE})
    void receivesThatCannotHaveBeenPostedAreAReset(long posted) throws Exception {
        try (Liar liar = new Liar()) {
            liar.cell(0, posted);
            assertReset(liar.victim);
        }
    }

    private static void assertCorrupt(Link victim) {
        StreamReceiver receiver = new StreamReceiver(victim);
        assertThatThrownBy(() -> readUntilEnd(receiver)).isInstanceOf(CorruptLinkException.class);
    }

    private static void readUntilEnd(StreamReceiver receiver) {
        Awaitility.await()
                .pollInSameThread()
                .pollInterval(Duration.ofMillis(1))
                .until(() -> receiver.read(ByteBuffer.allocate(1)) < 0);
    }

    private static void assertReset(Link victim) {
        Awaitility.await().atMost(10, TimeUnit.SECONDS).until(() -> {
            long unused = victim.published();
            return (victim.peerState() & Link.RST) != 0;
        });
        StreamSender sender = new StreamSender(victim, 1);
        assertThatThrownBy(() -> sender.write(ByteBuffer.allocate(1))).isInstanceOf(IOException.class);
    }

    private CmId resolved() throws Exception {
        CmId id = events.createId();
        id.resolveAddress(null, ends.address, 5_000);
        await(CmEventType.ADDR_RESOLVED);
        id.resolveRoute(5_000);
        await(CmEventType.ROUTE_RESOLVED);
        return id;
    }

    private CmEvent await(CmEventType type) {
        CmEvent[] found = new CmEvent[1];
        Awaitility.await().atMost(10, TimeUnit.SECONDS).until(() -> {
            found[0] = events.nextEvent();
            return found[0] != null;
        });
        assertThat(found[0].type()).as("%s", found[0]).isEqualTo(type);
        return found[0];
    }

    /** A client that shakes hands as it should, and then says what it likes. */
    private final class Liar implements AutoCloseable {
        final Endpoint endpoint;
        final Offer offer;
        final Link victim;
        final SendRequests requests = new SendRequests(1);
        private final OwnershipCell cell;
        private long sent;

        Liar() throws Exception {
            this(true);
        }

        /** Makes one that has proved, or has not, that it owns the end of the connection. */
        Liar(boolean proves) throws Exception {
            CmId id = resolved();
            endpoint = Endpoint.open(id, RdmaEnds.config(DEPTH, false), RdmaEnds.RING, null);
            cell = new OwnershipCell(endpoint.memory().outbound());
            Offer mine = RdmaConnecting.offer(endpoint, RdmaEnds.RING, 77, 5, 0, Carried.NOTHING);
            id.connect(new ConnectionParameters(mine.encode()));
            offer = Offer.decode(await(CmEventType.ESTABLISHED).privateData());
            victim = ends.accept();
            if (proves) {
                victim.ownership().found(ByteBuffer.allocate(OwnershipSecrets.RECORD));
            }
        }

        private long nextId() {
            return endpoint.place().sendId(sent++);
        }

        void word(int immediate) throws Exception {
            requests.writeWithImmediate(0, nextId(), SendFlags.SIGNALED, offer.address(), offer.key(), immediate);
            endpoint.queuePair().postSend(requests, 0, 1);
        }

        void ownership(long place) throws Exception {
            cell.place(place);
            tell();
        }

        void secret(byte[] secret) throws Exception {
            cell.secret(secret);
            tell();
        }

        private void tell() throws Exception {
            requests.write(0, nextId(), SendFlags.SIGNALED, offer.address() + OwnershipCell.OFFSET, offer.key());
            requests.segment(
                    0,
                    endpoint.outbound().address() + OwnershipCell.OFFSET,
                    OwnershipCell.SIZE,
                    endpoint.outbound().lkey());
            endpoint.queuePair().postSend(requests, 0, 1);
        }

        /** Says that there are more bytes in the ring, message by message. */
        void oneByteMessages(int count) throws Exception {
            for (int i = 0; i < count; i++) {
                word(Immediate.of(Immediate.DATA, 1));
            }
        }

        /** How many messages the victim's device has acknowledged. */
        long acknowledged() throws Exception {
            endpoint.place().poll();
            return endpoint.arrivals().sent();
        }

        /** Where the ring begins that this may write to. */
        long ring() {
            return offer.address() + RingMemory.PAGE;
        }

        /** Writes to memory of the peer's, and says that it is the next of the ring. */
        void write(long address, int key) throws Exception {
            requests.writeWithImmediate(
                    0, nextId(), SendFlags.SIGNALED, address, key, Immediate.of(Immediate.DATA, WRITTEN));
            requests.segment(
                    0,
                    endpoint.outbound().address(),
                    WRITTEN,
                    endpoint.outbound().lkey());
            endpoint.queuePair().postSend(requests, 0, 1);
        }

        void cell(long consumed, long posted) throws Exception {
            new ControlCell(endpoint.memory().outbound(), DEPTH).write(consumed, posted);
            requests.writeWithImmediate(
                    0, nextId(), SendFlags.SIGNALED, offer.address(), offer.key(), Immediate.of(Immediate.CREDIT, 0));
            requests.segment(
                    0,
                    endpoint.outbound().address(),
                    ControlCell.SIZE,
                    endpoint.outbound().lkey());
            endpoint.queuePair().postSend(requests, 0, 1);
        }

        @Override
        public void close() {
            victim.free();
            endpoint.close();
            Endpoint.close(endpoint.id(), "identifier");
            endpoint.memory().free();
        }
    }
}
