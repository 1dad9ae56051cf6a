// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.FallbackReason;
import io.accel.core.fabric.Link;
import io.accel.core.socket.Faults.Call;
import io.accel.core.socket.Faults.Side;
import io.accel.testing.Background;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer lies about the path of its bytes, their place, or what it has received: its own connection ends, and others are not affected. */
@Timeout(60)
class HostileWordsTest {
    /** A stream's first byte in a ring; before it is the place where the stream switched. */
    private static final int BEHIND_THE_PREFACE = 64;

    private FaultLab lab;
    private BlockingWaits waits;
    private Lab.Pair bystander;
    private Lab.Pair pair;

    @BeforeEach
    void connect() throws Exception {
        lab = new FaultLab("balanced", Map.of("ring.size", "16KiB"));
        lab.faults.isResumable = true;
        lab.faults.newsMicros = -1; // the hostile end goes on as if nothing had happened
        waits = lab.lab.accelerator.waits();
        bystander = lab.bystander();
        pair = lab.lab.connect();
    }

    @AfterEach
    void othersLiveOn() throws Exception {
        lab.faults.disarm();
        lab.othersLiveOn(bystander);
        bystander.close();
        pair.close();
        lab.nothingIsLeft();
        lab.close();
    }

    static Stream<Arguments> records() {
        return Stream.of(
                Arguments.of("more than was sent", ResumeRecord.of(FaultyLink.NONCE, 1L << 40)),
                Arguments.of("the most there is", ResumeRecord.of(FaultyLink.NONCE, Long.MAX_VALUE)),
                Arguments.of("less than nothing", ResumeRecord.of(FaultyLink.NONCE, Long.MIN_VALUE)),
                Arguments.of("not even where the direction began", ResumeRecord.of(FaultyLink.NONCE, 0)),
                Arguments.of("bytes lost", ResumeRecord.of(FaultyLink.NONCE, ResumeRecord.LOST)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("records")
    void aRecordThatCannotBe(String name, ByteBuffer record) throws Exception {
        lab.arm(Side.CLIENT, Call.RELEASED, 1, FallbackReason.NO_RESOURCES);
        int unused = pair.client().attached().look(SelectionKey.OP_WRITE);
        assertThat(lab.faults.hasTripped()).isTrue();
        assertThat(Lab.channel(pair.server()).write(record.duplicate())).isEqualTo(record.remaining());
        FutureTask<String> read = Streams.start(() -> outcome(pair.client()));
        assertThat(read.get(20, TimeUnit.SECONDS)).as(name).isEqualTo("Connection reset");
    }

    private String outcome(StreamSocket reader) throws IOException {
        try {
            return "read " + Streams.read(waits, reader, ByteBuffer.allocate(9));
        } catch (SocketException e) {
            return e.getMessage();
        }
    }

    /** All bytes that went over the link before a writer went back from it have come, so a peer that says otherwise cannot be helped. */
    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void aRecordThatCannotBeOfWhatWasLeft(int off) throws Exception {
        FutureTask<Long> writer = Streams.start(() -> {
            Streams.send(waits, pair.client(), 100_000, 1);
            return 100_000L;
        });
        Awaitility.await().until(() -> pair.client().outgoing().isUnfollowed());
        assertThat(writer.get(20, TimeUnit.SECONDS)).isEqualTo(100_000);
        long sent = pair.client().attached().writer().published();
        pair.client().attached().link().breakNow();
        ByteBuffer record = ResumeRecord.of(FaultyLink.NONCE, sent + off);
        assertThat(Lab.channel(pair.server()).write(record)).isEqualTo(ResumeRecord.SIZE);
        FutureTask<String> read = Streams.start(() -> outcome(pair.client()));
        assertThat(read.get(20, TimeUnit.SECONDS)).isEqualTo("Connection reset");
    }

    /** States that a peer can only come to in another order, or not at all. The bytes that it then loses are its own. */
    @ParameterizedTest
    @ValueSource(
            ints = {
                Link.LEFT,
                Link.FOLLOWED,
                Link.LEFT | Link.FOLLOWED,
                Link.SWITCHED,
                Link.ATTACHED,
                Link.RETIRING,
                Link.RETIRED,
                Link.RETIRING | Link.RETIRED | Link.LEFT | Link.FOLLOWED,
                Link.BROKEN,
                Link.BROKEN | Link.LEFT
            })
    void aStateOutOfTurn(int state) throws Exception {
        pair.server().attached().link().signal(state);
        FutureTask<Long> written = Streams.start(() -> {
            Streams.send(waits, pair.client(), 100_000, 3);
            return 100_000L;
        });
        FutureTask<Long> read = Streams.start(() -> Streams.receive(waits, pair.server(), 100_000, 3));
        try {
            assertThat(written.get(10, TimeUnit.SECONDS)).isEqualTo(100_000);
            assertThat(read.get(10, TimeUnit.SECONDS)).isEqualTo(100_000);
        } finally {
            Lab.close(pair.client());
            Lab.close(pair.server());
        }
    }

    @Test
    void whoClosesIsHeard() throws Exception {
        pair.server().attached().link().signal(Link.FOLLOWED | Link.BROKEN);
        Lab.close(pair.server());
        assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(9))).isEqualTo(-1);
    }

    // ---- where it came to the link

    /** Says so, and publishes a byte behind it. */
    private static void sayItSwitchedAfter(long bytes, StreamSocket liar) {
        Link link = liar.attached().link();
        link.sendRing().memory().duplicate().order(ByteOrder.BIG_ENDIAN).putLong(0, bytes);
        link.publish(0, BEHIND_THE_PREFACE + 1);
    }

    private static void sendByKernel(StreamSocket from, String what) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(what.getBytes(StandardCharsets.US_ASCII));
        assertThat(Lab.channel(from).write(bytes)).isEqualTo(what.length());
    }

    private String text(StreamSocket reader, int bytes) throws IOException {
        StringBuilder all = new StringBuilder();
        ByteBuffer one = ByteBuffer.allocate(1);
        while (all.length() < bytes && Streams.read(waits, reader, one.clear()) == 1) {
            all.append((char) one.get(0));
        }
        return all.toString();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 4, -1, -2, Long.MIN_VALUE})
    void aPlaceThatCannotBe(long place) throws Exception {
        Lab.Pair lied = lab.lab.connectOnly();
        sendByKernel(lied.server(), "first");
        assertThat(text(lied.client(), 5)).isEqualTo("first");
        sayItSwitchedAfter(place, lied.server());
        sendByKernel(lied.server(), "!");
        FutureTask<String> read = Streams.start(() -> outcome(lied.client()));
        assertThat(read.get(10, TimeUnit.SECONDS)).endsWith(": connection reset");
        FutureTask<String> again = Streams.start(() -> outcome(lied.client()));
        assertThat(again.get(10, TimeUnit.SECONDS)).as("a reader who goes on").endsWith(": connection reset");
        assertThat(lied.server().attached().link().peerState() & Link.RST)
                .as("the liar is told")
                .isEqualTo(Link.RST);
        Lab.close(lied.client());
        FutureTask<String> atTheLiar = Streams.start(() -> rawOutcome(lied.server()));
        assertThat(atTheLiar.get(10, TimeUnit.SECONDS)).isIn("Connection reset", "read -1");
        Lab.close(lied.server());
    }

    private static String rawOutcome(StreamSocket reader) {
        try {
            return "read " + Lab.channel(reader).read(ByteBuffer.allocate(9));
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    /** A thread that waits for bytes from the kernel meanwhile is told as well. */
    @ParameterizedTest
    @ValueSource(longs = {4, Long.MIN_VALUE})
    void aPlaceThatCannotBeWhileTheReaderSleeps(long place) throws Exception {
        Lab.Pair lied = lab.lab.connectOnly();
        sendByKernel(lied.server(), "first");
        assertThat(text(lied.client(), 5)).isEqualTo("first");
        var asleep = Background.start(() -> outcome(lied.client()));
        asleep.awaitIn(Lab.channel(lied.client()).getClass(), "read");
        sayItSwitchedAfter(place, lied.server());
        sendByKernel(lied.server(), "!");
        assertThat(asleep.get(10, TimeUnit.SECONDS)).endsWith(": connection reset");
        lied.close();
    }

    /**
     * A receiver whose peer is faster finds a place ahead of the bytes that have come, so that is no reason to end the
     * connection. The peer may end before it has sent so much: then the stream just ends, although it is shorter than the peer
     * said.
     */
    @ParameterizedTest
    @ValueSource(longs = {100, 1L << 40, Long.MAX_VALUE})
    void aPlaceThatNeverComes(long place) throws Exception {
        Lab.Pair lied = lab.lab.connectOnly();
        sendByKernel(lied.server(), "first");
        sayItSwitchedAfter(place, lied.server());
        sendByKernel(lied.server(), "!and more");
        assertThat(text(lied.client(), 14)).as("all of it is before that place").isEqualTo("first!and more");
        assertThat(lied.client().incoming().link()).isNull();
        var waiting = Background.start(() -> outcome(lied.client()));
        waiting.awaitIn(Lab.channel(lied.client()).getClass(), "read");
        Lab.channel(lied.server()).shutdownOutput();
        assertThat(waiting.get(10, TimeUnit.SECONDS)).isEqualTo("read -1");
        lied.close();
    }

    // ---- records out of turn

    private void sendRecord(long cursor) throws IOException {
        ByteBuffer record = ResumeRecord.of(FaultyLink.NONCE, cursor);
        assertThat(Lab.channel(pair.server()).write(record)).isEqualTo(ResumeRecord.SIZE);
    }

    /**
     * An honest peer may have found the link broken first, so this is no reason to end the connection. Nobody looks for a record
     * there: bytes go over the link, as if it had not come.
     */
    @ParameterizedTest
    @ValueSource(longs = {0, 64, 65, ResumeRecord.LOST, Long.MIN_VALUE, Long.MAX_VALUE})
    void aRecordOnALinkThatIsWhole(long cursor) throws Exception {
        sendRecord(cursor);
        for (int round = 0; round < 3; round++) {
            int seed = round;
            FutureTask<Long> sent = Streams.start(() -> {
                Streams.send(waits, pair.client(), 8_000, seed);
                Streams.send(waits, pair.server(), 8_000, seed);
                return 0L;
            });
            assertThat(Streams.receive(waits, pair.server(), 8_000, seed)).isEqualTo(8_000);
            assertThat(Streams.receive(waits, pair.client(), 8_000, seed)).isEqualTo(8_000);
            assertThat(sent.get(10, TimeUnit.SECONDS)).isZero();
        }
        assertThat(pair.client().incoming().link()).as("the link").isNotNull();
        Lab.close(pair.server());
        FutureTask<String> end = Streams.start(() -> outcome(pair.client()));
        assertThat(end.get(10, TimeUnit.SECONDS)).isEqualTo("read -1");
    }

    /** The bytes behind the first record are the peer's, whatever they look like: its program may have sent just these. */
    @ParameterizedTest
    @ValueSource(longs = {0, ResumeRecord.LOST, Long.MIN_VALUE, Long.MAX_VALUE})
    void aSecondRecord(long cursor) throws Exception {
        pair.client().attached().link().breakNow();
        sendRecord(pair.client().attached().writer().published());
        sendRecord(cursor);
        ByteBuffer came = ByteBuffer.allocate(ResumeRecord.SIZE);
        FutureTask<Integer> read = Streams.start(() -> {
            while (came.hasRemaining() && Streams.read(waits, pair.client(), came) > 0) {
                Thread.onSpinWait();
            }
            return came.position();
        });
        assertThat(read.get(20, TimeUnit.SECONDS)).isEqualTo(ResumeRecord.SIZE);
        assertThat(came.flip()).isEqualTo(ResumeRecord.of(FaultyLink.NONCE, cursor));
        FutureTask<Long> sent = Streams.start(() -> {
            Streams.send(waits, pair.client(), 1_000, 1);
            return 1_000L;
        });
        assertThat(sent.get(10, TimeUnit.SECONDS)).isEqualTo(1_000);
        Lab.channel(pair.server()).shutdownOutput();
        FutureTask<String> end = Streams.start(() -> outcome(pair.client()));
        assertThat(end.get(10, TimeUnit.SECONDS)).isEqualTo("read -1");
    }
}
