// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.FallbackReason;
import io.accel.core.socket.Faults.Call;
import io.accel.core.socket.Faults.Side;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A link that breaks around a close in order: the peer gets all, and then the end; and nobody waits for ever for a peer. */
@Timeout(60)
class LingeringCloseTest {
    private static final int RING = 16 * 1024;
    private static final int ROUNDS = 150;
    /** Descriptors that threads leave to later sleepers: a selector's two and a pipe's two for each of those at a time. */
    private static final int POOLED = 4 * 4;

    private static final Call[] CALLS = {Call.PUBLISH, Call.PUBLISH, Call.SIGNAL, Call.RELEASED, Call.PUBLISHED};

    private FaultLab lab;
    private BlockingWaits waits;

    @BeforeEach
    void open() throws Exception {
        open("1min");
    }

    private void open(String linger) throws Exception {
        lab = new FaultLab("balanced", Map.of("ring.size", RING + "B", "rdma.linger", linger));
        lab.faults.isResumable = true;
        lab.faults.newsMicros = 3_000;
        waits = lab.lab.accelerator.waits();
    }

    private void reopen(String linger) throws Exception {
        lab.close();
        open(linger);
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        try {
            lab.nothingIsLeft();
        } finally {
            lab.close();
        }
    }

    private void breakAt(Side side, Call call, int nth) {
        lab.arm(side, call, nth, FallbackReason.NO_RESOURCES);
    }

    private Lab.Pair connect() throws IOException {
        Lab.Pair pair = lab.lab.connect();
        pair.fixDirections();
        return pair;
    }

    private FutureTask<Long> sending(StreamSocket socket, long total, int seed) {
        return Streams.start(() -> {
            Streams.send(waits, socket, total, seed);
            return total;
        });
    }

    private FutureTask<Long> receiving(StreamSocket socket, long total, int seed) {
        return Streams.start(() -> Streams.receive(waits, socket, total, seed));
    }

    /** Receives all there is. */
    private FutureTask<Long> receivingToTheEnd(StreamSocket socket, long total, int seed) {
        return Streams.start(() -> {
            long got = Streams.receive(waits, socket, total, seed);
            assertThat(Streams.read(waits, socket, ByteBuffer.allocate(1))).isEqualTo(-1);
            return got;
        });
    }

    private static void assertGets(FutureTask<Long> task, long total) throws Exception {
        assertThat(task.get(30, TimeUnit.SECONDS)).isEqualTo(total);
    }

    /** One end writes and closes, at once or after it has read the other's bytes, while the link breaks anywhere. */
    @ParameterizedTest
    @EnumSource(Side.class)
    void everyByteComesAndThenTheEnd(Side closes) throws Exception {
        SplittableRandom random = new SplittableRandom(closes == Side.CLIENT ? 5 : 6);
        connect().close();
        lab.nothingIsLeft();
        long descriptors = Lab.descriptors();
        int lingered = 0;
        int broke = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Lab.Pair pair = connect();
            StreamSocket closing = closes == Side.CLIENT ? pair.client() : pair.server();
            StreamSocket reading = closes == Side.CLIENT ? pair.server() : pair.client();
            long there = random.nextLong(1, 3 * RING);
            long back = random.nextBoolean() ? 0 : random.nextLong(1, 2 * RING);
            lab.faults.newsMicros = random.nextInt(20_000);
            Call call = CALLS[random.nextInt(CALLS.length)];
            boolean atReader = call == Call.PUBLISHED || random.nextInt(5) == 0;
            breakAt(
                    atReader == (closes == Side.CLIENT) ? Side.SERVER : Side.CLIENT,
                    call,
                    call == Call.PUBLISHED ? 1 + random.nextInt(30) : call == Call.PUBLISH ? 1 + random.nextInt(4) : 1);
            FutureTask<Long> all = receivingToTheEnd(reading, there, round);
            FutureTask<Long> answer = sending(reading, back, round + 1);
            assertGets(receiving(closing, back, round + 1), back);
            Streams.send(waits, closing, there, round);
            assertGets(answer, back);
            Lab.close(closing);
            lingered += closing.anchorEnd().isKept() ? 1 : 0;
            assertGets(all, there);
            broke += lab.faults.hasTripped() ? 1 : 0;
            lab.faults.disarm();
            Lab.close(reading);
        }
        assertThat(broke).as("links that broke").isGreaterThan(ROUNDS / 3);
        assertThat(lingered).as("closes that were not over at once").isGreaterThan(ROUNDS / 15);
        FaultLab.soon(() -> assertThat(Lab.descriptors()).isLessThanOrEqualTo(descriptors + POOLED));
    }

    /** Each end has closed while the other had not all. */
    @Test
    void bothEndsClose() throws Exception {
        for (int round = 0; round < 30; round++) {
            Lab.Pair pair = connect();
            lab.faults.newsMicros = -1;
            pair.client().attached().link().breakNow();
            pair.server().attached().link().breakNow();
            Streams.send(waits, pair.client(), 1_000, 1);
            Streams.send(waits, pair.server(), 1_000, 2);
            pair.close();
            lab.nothingIsLeft();
        }
    }

    /** The link is known to be broken, at one end or at both, and none of the written bytes has left. */
    @ParameterizedTest
    @ValueSource(ints = {0, 500, 20_000})
    void aCloseInTheMidstOfIt(int newsMicros) throws Exception {
        for (int round = 0; round < 30; round++) {
            Lab.Pair pair = connect();
            lab.faults.newsMicros = newsMicros;
            breakAt(Side.CLIENT, Call.PUBLISH, 1);
            Streams.send(waits, pair.client(), 1_000, round);
            Lab.close(pair.client());
            assertGets(receivingToTheEnd(pair.server(), 1_000, round), 1_000);
            Lab.close(pair.server());
        }
    }

    /** The peer's bytes come through the kernel, and its record has to be found among them although no program reads. */
    @Test
    void aDirectionThatNeverSwitched() throws Exception {
        Lab.Pair pair = lab.lab.connectOnly();
        Streams.write(waits, pair.client(), ByteBuffer.allocate(3));
        assertThat(Streams.read(waits, pair.server(), ByteBuffer.allocate(9))).isEqualTo(3);
        assertThat(pair.client().outgoing().fix()).isNotNull();
        breakAt(Side.CLIENT, Call.PUBLISH, 1);
        Streams.send(waits, pair.client(), 1_000, 1);
        Lab.close(pair.client());
        assertGets(receivingToTheEnd(pair.server(), 1_000, 1), 1_000);
        Lab.close(pair.server());
    }

    /** The close comes when the kernel has the peer's record, which the program does not read: it does not count as unread. */
    @Test
    void theWordOfThePeerIsNotUnread() throws Exception {
        int met = 0;
        for (int round = 0; round < 10 * ROUNDS && met < 5; round++) {
            Lab.Pair pair = lab.lab.connectOnly();
            Streams.write(waits, pair.client(), ByteBuffer.allocate(3));
            assertThat(Streams.read(waits, pair.server(), ByteBuffer.allocate(9)))
                    .isEqualTo(3);
            assertThat(pair.client().outgoing().fix()).isNotNull();
            breakAt(Side.CLIENT, Call.PUBLISH, 1);
            Streams.send(waits, pair.client(), 1_000, 1);
            met += isWordThereSoon(pair.client()) ? 1 : 0;
            Lab.close(pair.client());
            assertGets(receivingToTheEnd(pair.server(), 1_000, 1), 1_000);
            Lab.close(pair.server());
        }
        assertThat(met).as("closes with the word unread").isEqualTo(5);
    }

    /** Whether the kernel has bytes that the thread that takes them has not found yet; the thread looks each millisecond. */
    private static boolean isWordThereSoon(StreamSocket socket) throws IOException {
        LinkStream link = socket.attached(); // null as soon as the connection has gone back
        while (link != null && link.broken().isUndecided()) {
            if (socket.anchor().available() > 0) {
                return true;
            }
            link = socket.attached();
        }
        return false;
    }

    /** The program has read no more before it closed, so only a read shows what the peer says. */
    @Test
    void anEndThatHadShutItsInput() throws Exception {
        Lab.Pair pair = connect();
        Lab.channel(pair.client()).shutdownInput();
        pair.client().shutdownInput();
        breakAt(Side.CLIENT, Call.PUBLISH, 1);
        Streams.send(waits, pair.client(), 1_000, 1);
        Lab.close(pair.client());
        assertGets(receivingToTheEnd(pair.server(), 1_000, 1), 1_000);
        Lab.close(pair.server());
    }

    /** A peer that goes on writing to a program that has closed still gets the bytes that were sent to it. */
    @Test
    void thePeerWritesOn() throws Exception {
        for (int round = 0; round < 30; round++) {
            Lab.Pair pair = connect();
            breakAt(Side.CLIENT, Call.PUBLISH, 1);
            Streams.send(waits, pair.client(), 10_000, round);
            Lab.close(pair.client());
            FutureTask<Long> writing = sending(pair.server(), 5_000, 9);
            assertGets(receivingToTheEnd(pair.server(), 10_000, round), 10_000);
            assertGets(writing, 5_000);
            Lab.close(pair.server());
        }
    }

    /** The link is whole, and the peer's device has all by the time of the close: nothing is kept. */
    @Test
    void aCloseAfterAllHasComeKeepsNothing() throws Exception {
        Lab.Pair pair = connect();
        Streams.send(waits, pair.client(), 1_000, 1);
        Lab.close(pair.client());
        assertThat(pair.client().anchorEnd().isKept()).isFalse();
        assertGets(receivingToTheEnd(pair.server(), 1_000, 1), 1_000);
        Lab.close(pair.server());
    }

    /** This end never hears that the link is broken, and its peer, that has lost bytes, waits no longer than this does. */
    @Test
    void whoNeverHearsOfItGivesUp() throws Exception {
        reopen("200ms");
        connect().close();
        lab.nothingIsLeft();
        long descriptors = Lab.descriptors();
        for (int i = 0; i < 2 * POOLED; i++) {
            closeUnheard();
        }
        FaultLab.soon(() -> assertThat(Lab.descriptors()).isLessThanOrEqualTo(descriptors + POOLED));
    }

    private void closeUnheard() throws Exception {
        Lab.Pair pair = connect();
        pair.server().attached().broken().breakNow(); // not by a call: one for the previous pair may come first
        Streams.write(waits, pair.client(), ByteBuffer.allocate(100));
        Lab.close(pair.client());
        assertThat(pair.client().anchorEnd().isKept()).isTrue();
        assertReset(pair.server());
        Lab.close(pair.server());
    }

    /** The peer never says what it has received. */
    @Test
    void aPeerThatNeverAnswersIsGivenUp() throws Exception {
        reopen("300ms");
        Lab.Pair pair = connect();
        lab.faults.newsMicros = -1;
        breakAt(Side.CLIENT, Call.PUBLISH, 1);
        Streams.write(waits, pair.client(), ByteBuffer.allocate(100));
        Lab.close(pair.client());
        assertThat(pair.client().anchorEnd().isKept()).isTrue();
        assertReset(pair.server());
        Lab.close(pair.server());
    }

    private void assertReset(StreamSocket socket) {
        assertThatThrownBy(() -> Streams.read(waits, socket, ByteBuffer.allocate(200)))
                .hasMessage("Connection reset");
    }

    /** The peer has closed as well, and reads no more: there is nothing to wait for. */
    @Test
    void aPeerThatHasGone() throws Exception {
        Lab.Pair pair = connect();
        lab.faults.newsMicros = -1;
        breakAt(Side.CLIENT, Call.PUBLISH, 1);
        Streams.write(waits, pair.client(), ByteBuffer.allocate(100));
        Lab.channel(pair.server()).close(); // as its kernel does when its process ends
        Lab.close(pair.client());
        FaultLab.soon(() -> assertThat(lab.faults.links).hasValue(1));
        Lab.close(pair.server());
    }

    /** A program that has said how long its close may take, or that it must be a reset, gets no help. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aCloseOfTheProgramsOwnKind(int linger) throws Exception {
        Lab.Pair pair = connect();
        Lab.channel(pair.client()).setOption(StandardSocketOptions.SO_LINGER, linger);
        breakAt(Side.CLIENT, Call.PUBLISH, 1);
        Streams.write(waits, pair.client(), ByteBuffer.allocate(100));
        Lab.close(pair.client(), linger == 0, false);
        assertThat(pair.client().anchorEnd().isKept()).isFalse();
        assertReset(pair.server());
        Lab.close(pair.server());
    }

    /** Whatever Accel's own thread was doing, either all bytes come, or it is a reset, and others live on. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 5, 8, 13, 21})
    void thereIsNoMemory(int calls) throws Exception {
        Lab.Pair bystander = lab.bystander();
        AtomicInteger left = new AtomicInteger(-1);
        lab.lab.anchors = channel ->
                new StarvedAnchor(new ChannelAnchor(channel), asked -> left.get() >= 0 && left.getAndDecrement() == 0);
        Lab.Pair pair = connect();
        breakAt(Side.CLIENT, Call.PUBLISH, 1);
        Streams.send(waits, pair.client(), 5_000, 1);
        left.set(calls);
        Lab.close(pair.client());
        FutureTask<Long> all = receivingToTheEnd(pair.server(), 5_000, 1);
        try {
            assertGets(all, 5_000);
        } catch (ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(IOException.class);
        }
        left.set(-1);
        Lab.close(pair.server());
        lab.faults.disarm();
        lab.othersLiveOn(bystander);
        bystander.close();
    }
}
