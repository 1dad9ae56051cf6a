// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.fabric.OwnershipSecrets;
import io.accel.core.poll.Poller;
import io.accel.core.poll.Registration;
import io.accel.profile.HandoverAfter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Links whose peers have to prove themselves over the connection. No byte goes over a link before that, none comes from it, and no program
 * sees a record.
 */
@Timeout(120)
class OwnershipTest {
    private static final Map<String, String> SETTINGS = Map.of("handover.after", "connect");

    private final FaultLab lab;
    private final BlockingWaits waits;

    OwnershipTest() throws IOException {
        lab = new FaultLab("balanced", SETTINGS);
        lab.faults.owner = PairedOwnership.Peer.ITSELF;
        waits = lab.lab.accelerator.waits();
    }

    @AfterEach
    void close() throws IOException {
        lab.close();
    }

    private static PairedOwnership ownership(StreamSocket socket) {
        return ((FaultyLink) socket.attached().link()).ownership();
    }

    private void exchange(StreamSocket from, StreamSocket to, int value) throws IOException {
        Streams.write(waits, from, ByteBuffer.wrap(new byte[] {(byte) value, 7}));
        ByteBuffer got = ByteBuffer.allocate(99);
        while (got.position() < 2) {
            assertThat(Streams.read(waits, to, got)).isPositive();
        }
        assertThat(got.flip()).isEqualTo(ByteBuffer.wrap(new byte[] {(byte) value, 7}));
    }

    /** One exchange goes through the kernel, in which the client's record makes each end known to the other. */
    @Test
    void requestsAndAnswersMoveAfterOneExchange() throws Exception {
        Lab.Pair pair = lab.lab.connectOnly();
        Lab.awaitSettled(pair.server());
        exchange(pair.client(), pair.server(), 1);
        assertThat(pair.client().outgoing().link()).isNull();
        assertThat(ownership(pair.server()).isProved()).isTrue();
        assertThat(ownership(pair.client()).isProved()).isTrue();
        exchange(pair.server(), pair.client(), 2);
        exchange(pair.client(), pair.server(), 3);
        assertThat(pair.server().outgoing().link()).isNotNull();
        assertThat(pair.client().outgoing().link()).isNotNull();
        assertThat(ownership(pair.client()).records).hasValue(1);
        assertThat(ownership(pair.server()).records).hasValue(0);
        pair.close();
    }

    /** Nothing has to come back: the secret in the record is returned over the link. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStreamInOneDirectionMoves(boolean clientSends) throws Exception {
        Lab.Pair pair = lab.lab.connectOnly();
        Lab.awaitSettled(pair.server());
        StreamSocket from = clientSends ? pair.client() : pair.server();
        StreamSocket to = clientSends ? pair.server() : pair.client();
        FutureTask<Long> receiving = Streams.start(() -> Streams.receive(waits, to, 50_000_000, 5));
        Streams.send(waits, from, 50_000_000, 5);
        assertThat(receiving.get(60, TimeUnit.SECONDS)).isEqualTo(50_000_000);
        assertThat(from.outgoing().given()).as("bytes through the kernel").isLessThan(50_000_000);
        FaultLab.soon(() -> {
            // A reader that gets no processor for a moment sends the writer back to the kernel, which then comes again.
            exchange(from, to, 6);
            assertThat(from.outgoing().link()).isNotNull();
            assertThat(ownership(to).found).hasValue(1);
        });
        pair.close();
    }

    /** The server has no evidence that its client knows the connection, and so sends no record first. */
    @Test
    void anEndThatMustNotLeadWaitsForThePeersRecord() throws Exception {
        lab.faults.serverLeads = false;
        Lab.Pair pair = lab.lab.connectOnly();
        Lab.awaitSettled(pair.server());
        for (int i = 0; i < 20; i++) {
            exchange(pair.server(), pair.client(), i);
        }
        assertThat(pair.server().outgoing().link()).isNull();
        assertThat(ownership(pair.server()).records).hasValue(0);
        exchange(pair.client(), pair.server(), 1);
        exchange(pair.server(), pair.client(), 2);
        assertThat(pair.server().outgoing().link()).isNotNull();
        pair.close();
    }

    /** Whoever has the other end of the link names places where a record is said to be, and publishes what it likes. */
    @Test
    void aStrangerGetsNothingAndIsNotHeard() throws Exception {
        lab.faults.owner = PairedOwnership.Peer.STRANGER;
        lab.faults.serverLeads = false;
        Lab.Pair pair = lab.lab.connectOnly();
        FutureTask<Long> receiving = Streams.start(() -> Streams.receive(waits, pair.client(), 1 << 20, 5));
        for (StreamSocket each : List.of(pair.client(), pair.server())) {
            each.attached().link().publish(0, 64);
        }
        Streams.send(waits, pair.server(), 1 << 20, 5);
        assertThat(receiving.get(60, TimeUnit.SECONDS)).isEqualTo(1 << 20);
        for (StreamSocket each : List.of(pair.client(), pair.server())) {
            assertThat(each.outgoing().link()).isNull();
            assertThat(each.incoming().link()).isNull();
            assertThat(ownership(each).isProved()).isFalse();
        }
        pair.close();
    }

    /** A record that the program has not reached is not counted among the bytes that it could read. */
    @Test
    void availableBytesAreTheProgramsAlone() throws Exception {
        Lab.Pair pair = lab.lab.connectOnly();
        Lab.awaitSettled(pair.server());
        Streams.write(waits, pair.client(), ByteBuffer.allocate(10));
        FaultLab.soon(() -> assertThat(pair.server().incoming().available()).isEqualTo(10));
        assertThat(ownership(pair.client()).records).hasValue(1);
        ByteBuffer all = ByteBuffer.allocate(10 + OwnershipSecrets.RECORD);
        assertThat(Streams.read(waits, pair.server(), all)).isEqualTo(10);
        assertThat(ownership(pair.client()).isProved()).isTrue();
        pair.close();
    }

    /**
     * An end may tell a place, be proved by the peer's record before it can send its own, and switch there. Whoever looks ahead for its
     * record, for a selector or to count bytes, finds the announcement in the record's place.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAnnouncementInThePlaceOfARecordIsNoByteOfThePrograms(boolean forSelector) throws Exception {
        Lab.Pair pair = lab.lab.connectOnly();
        Lab.awaitSettled(pair.server());
        ownership(pair.server()).isUnacknowledged = true;
        exchange(pair.server(), pair.client(), 1);
        exchange(pair.client(), pair.server(), 2);
        Streams.write(waits, pair.server(), ByteBuffer.wrap(new byte[] {3, 7}));
        assertThat(pair.server().outgoing().link()).isNotNull();
        assertThat(ownership(pair.server()).records).hasValue(0);
        FaultLab.soon(() -> assertThat(pair.client().anchor().available()).isPositive());
        if (forSelector) {
            assertThat(pair.client().readiness().kernelReady(SelectionKey.OP_READ, SelectionKey.OP_READ))
                    .isEqualTo(SelectionKey.OP_READ);
        } else {
            assertThat(pair.client().incoming().available()).isEqualTo(2);
        }
        ByteBuffer all = ByteBuffer.allocate(100);
        assertThat(Streams.read(waits, pair.client(), all)).isEqualTo(2);
        assertThat(all.flip()).isEqualTo(ByteBuffer.wrap(new byte[] {3, 7}));
        exchange(pair.server(), pair.client(), 4);
        pair.close();
    }

    /** How the peer's bytes are looked for before the program reads. */
    private enum Ahead {
        NOBODY,
        SELECTOR,
        AVAILABLE;

        void look(StreamSocket socket) throws IOException {
            if (this == SELECTOR) {
                assertThat(socket.readiness().kernelReady(SelectionKey.OP_READ, SelectionKey.OP_READ))
                        .isEqualTo(SelectionKey.OP_READ);
            } else if (this == AVAILABLE) {
                assertThat(socket.incoming().available()).isPositive();
            }
        }
    }

    /** Bytes as a record of the sender's begins. */
    private static byte[] alike(StreamSocket sender, int n) {
        return Arrays.copyOf(ownership(sender).record().array(), n);
    }

    /**
     * Bytes that begin like a record have the reader look for its rest, and the announcement of a switch may come next. A program that reads
     * little at a time has only the bytes before it.
     */
    @ParameterizedTest
    @EnumSource(Ahead.class)
    void anAnnouncementBehindBytesThatBeginLikeARecordIsNoByteOfThePrograms(Ahead ahead) throws Exception {
        Lab.Pair pair = connectWithALateRecord();
        byte[] alike = alike(pair.server(), 3);
        Streams.write(waits, pair.server(), ByteBuffer.wrap(alike));
        exchange(pair.client(), pair.server(), 2);
        Streams.write(waits, pair.server(), ByteBuffer.wrap(new byte[] {3, 7}));
        assertThat(pair.server().outgoing().link()).isNotNull();
        FaultLab.soon(() -> assertThat(pair.client().anchor().available()).isEqualTo(alike.length + 1));
        ahead.look(pair.client());
        readByteByByte(pair.client(), ByteBuffer.wrap(new byte[] {alike[0], alike[1], alike[2], 3, 7}));
        exchange(pair.server(), pair.client(), 4);
        exchange(pair.client(), pair.server(), 5);
        pair.close();
    }

    /** The place of the record is told while the reader looks for the rest of what only begins like it at an earlier place. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRecordBehindBytesThatBeginLikeItIsFound(boolean byAvailable) throws Exception {
        Lab.Pair pair = connectWithALateRecord();
        byte first = alike(pair.server(), 1)[0];
        Streams.write(waits, pair.server(), ByteBuffer.wrap(new byte[] {first}));
        FaultLab.soon(() -> assertThat(pair.client().anchor().available()).isEqualTo(1));
        FutureTask<Long> reading = Streams.start(() -> {
            if (byAvailable) {
                assertThat(pair.client().incoming().available()).isPositive();
            }
            readByteByByte(pair.client(), ByteBuffer.wrap(new byte[] {first, 5, 6}));
            return 0L;
        });
        FaultLab.soon(() -> assertThat(pair.client().anchor().available()).isZero()); // it looks for the rest
        ownership(pair.server()).isLate = false;
        ownership(pair.server()).isUnacknowledged = false;
        int records = ownership(pair.server()).records.get();
        ownership(pair.server()).place(3);
        FaultLab.soon(() -> assertThat(ownership(pair.server()).isPlaced()).isTrue());
        Streams.write(waits, pair.server(), ByteBuffer.wrap(new byte[] {5, 6}));
        assertThat(ownership(pair.server()).records).hasValue(records + 1);
        assertThat(reading.get(60, TimeUnit.SECONDS)).isZero();
        assertThat(ownership(pair.server()).isProved()).isTrue();
        exchange(pair.server(), pair.client(), 3);
        exchange(pair.client(), pair.server(), 4);
        pair.close();
    }

    /** Otherwise a read, perhaps in non-blocking mode, would take a second. A busy machine may take as long now and then, but not each time. */
    @Test
    void aByteThatBeginsLikeARecordIsReadAsSoonAsAnotherPlaceIsTold() throws Exception {
        long soonest = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            Lab.Pair pair = connectWithALateRecord();
            byte first = alike(pair.server(), 1)[0];
            Streams.write(waits, pair.server(), ByteBuffer.wrap(new byte[] {first}));
            FutureTask<Long> reading = Streams.start(() -> {
                readByteByByte(pair.client(), ByteBuffer.wrap(new byte[] {first}));
                return System.nanoTime();
            });
            FaultLab.soon(() -> assertThat(pair.client().anchor().available()).isZero()); // it looks for the rest
            ownership(pair.server()).isLate = false;
            ownership(pair.server()).place(3);
            long told = System.nanoTime();
            soonest = Math.min(soonest, reading.get(60, TimeUnit.SECONDS) - told);
            pair.close();
        }
        assertThat(soonest).isLessThan(TimeUnit.MILLISECONDS.toNanos(500));
    }

    /** The server has switched, its record has not been acknowledged, and comes no more for now. */
    private Lab.Pair connectWithALateRecord() throws Exception {
        Lab.Pair pair = lab.lab.connectOnly();
        Lab.awaitSettled(pair.server());
        ownership(pair.server()).isUnacknowledged = true;
        exchange(pair.server(), pair.client(), 1);
        ownership(pair.server()).isLate = true;
        return pair;
    }

    private void readByteByByte(StreamSocket socket, ByteBuffer expected) throws IOException {
        while (expected.hasRemaining()) {
            ByteBuffer got = ByteBuffer.allocate(1);
            assertThat(Streams.read(waits, socket, got)).isEqualTo(1);
            assertThat(got.get(0)).as("byte %s", expected.position()).isEqualTo(expected.get());
        }
    }

    /** Bytes of the program's may begin as the record would that could stand there. They keep their order, whoever looks ahead. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, OwnershipSecrets.RECORD - OwnershipSecrets.SECRET - 1})
    void bytesThatBeginLikeARecordKeepTheirOrder(int alike) throws Exception {
        Lab.Pair pair = connectWithALateRecord();
        byte[] bytes = Arrays.copyOf(ownership(pair.server()).record().array(), alike + 5);
        bytes[alike] ^= 1;
        Streams.write(waits, pair.server(), ByteBuffer.wrap(bytes));
        FaultLab.soon(() -> assertThat(pair.client().incoming().available()).isEqualTo(bytes.length));
        ByteBuffer all = ByteBuffer.allocate(100);
        while (all.position() < bytes.length) {
            assertThat(Streams.read(waits, pair.client(), all)).isPositive();
        }
        assertThat(all.flip()).isEqualTo(ByteBuffer.wrap(bytes));
        pair.close();
    }

    /** A byte that was read ahead is no longer in the kernel, and is reported as often as the kernel would report it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aByteThatWasReadAheadStaysReady(boolean byAvailable) throws Exception {
        Lab.Pair pair = connectWithALateRecord();
        Lab.channel(pair.client()).configureBlocking(false);
        try (Poller poller = lab.lab.accelerator.openPoller()) {
            Registration registration = poller.register(pair.client().readiness(), SelectionKey.OP_READ, null);
            Streams.write(waits, pair.server(), ByteBuffer.wrap(new byte[] {9}));
            FaultLab.soon(() -> assertThat(
                            byAvailable
                                    ? pair.client().incoming().available()
                                    : pair.client().anchor().available())
                    .isEqualTo(1));
            for (int i = 0; i < 3; i++) {
                assertThat(poller.poll(TimeUnit.SECONDS.toNanos(20), (ready, ops) -> {}))
                        .as("poll %s", i)
                        .isPositive();
            }
            registration.close();
        }
        assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(100))).isEqualTo(1);
        pair.close();
    }

    @Test
    void aReadChangesNoMoreOfItsBufferThanItReturns() throws Exception {
        Lab.Pair pair = lab.lab.connectOnly();
        Lab.awaitSettled(pair.server());
        Streams.write(waits, pair.client(), ByteBuffer.wrap(new byte[] {1, 2, 3}));
        assertThat(ownership(pair.client()).records).hasValue(1);
        byte[] bytes = new byte[100];
        Arrays.fill(bytes, (byte) 9);
        ByteBuffer all = ByteBuffer.wrap(bytes);
        int n = 0;
        while (n < 3) {
            n += Streams.read(waits, pair.server(), all);
        }
        for (int i = 0; i < bytes.length; i++) {
            assertThat(bytes[i]).as("byte %s", i).isEqualTo((byte) (i < 3 ? i + 1 : 9));
        }
        pair.close();
    }

    /** The link breaks when the record has been sent and not read: the program still does not see it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRecordOfABrokenLinkIsTakenOut(boolean bothNotice) throws Exception {
        lab.faults.isResumable = true;
        Lab.Pair pair = lab.lab.connectOnly();
        Lab.awaitSettled(pair.server());
        Streams.write(waits, pair.client(), ByteBuffer.wrap(new byte[] {1, 2, 3}));
        assertThat(ownership(pair.client()).records).hasValue(1);
        pair.server().attached().broken().breakNow();
        if (bothNotice) {
            pair.client().attached().broken().breakNow();
            FaultLab.soon(() -> assertThat(pair.server().attached()).isNull());
        }
        ByteBuffer all = ByteBuffer.allocate(100);
        while (all.position() < 3) {
            assertThat(Streams.read(waits, pair.server(), all)).isPositive();
        }
        assertThat(all.flip()).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        pair.close();
    }

    /** Links come and go, at random bytes and under load, and each has to be proved. */
    @Test
    void noByteIsLostOrMadeUpWhileLinksComeAndGo() throws Exception {
        try (FaultLab other = new FaultLab(
                "balanced", Map.of("handover.after", "random", "ring.size", "16KiB", "handover.idle", "1min"))) {
            other.faults.owner = PairedOwnership.Peer.ITSELF;
            Lab.Pair pair = new Lab.Pair(other.lab.client(), other.lab.accept());
            assertThat(pair.client().unrest()).isEqualTo(HandoverAfter.Unrest.RETURNS);
            AtomicInteger busy = new AtomicInteger(2);
            BlockingWaits its = other.lab.accelerator.waits();
            FutureTask<Long> forth = Streams.start(() -> send(its, pair.client(), 1, busy));
            FutureTask<Long> back = Streams.start(() -> send(its, pair.server(), 2, busy));
            FutureTask<Long> there = Streams.start(() -> receive(its, pair.server(), 1));
            FutureTask<Long> here = Streams.start(() -> receive(its, pair.client(), 2));
            for (FutureTask<Long> each : List.of(forth, back, there, here)) {
                assertThat(each.get(100, TimeUnit.SECONDS)).isPositive();
            }
            assertThat(there.get()).isEqualTo(forth.get());
            assertThat(here.get()).isEqualTo(back.get());
            pair.close();
        }
    }

    private static long send(BlockingWaits waits, StreamSocket socket, int seed, AtomicInteger busy)
            throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        ByteBuffer buffer = ByteBuffer.allocateDirect(700);
        long at = 0;
        LinkStream last = null;
        int links = 0;
        while (busy.get() > 0) {
            buffer.clear().limit(1 + random.nextInt(buffer.capacity()));
            Streams.fill(buffer, at, seed);
            at += buffer.limit();
            Streams.write(waits, socket, buffer);
            LinkStream now = socket.outgoing().link();
            if (now != null && now != last) {
                last = now;
                links++;
                if (links == 20) {
                    busy.decrementAndGet();
                }
            }
        }
        socket.shutdownOutput();
        return at;
    }

    private static long receive(BlockingWaits waits, StreamSocket socket, int seed) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(2_800);
        long at = 0;
        while (true) {
            int n = Streams.read(waits, socket, buffer.clear());
            if (n < 0) {
                return at;
            }
            Streams.check(buffer, n, at, seed);
            at += n;
        }
    }
}
