// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.MappedRings;
import io.accel.nio.contract.Path;
import io.accel.nio.contract.Task;
import io.accel.nio.contract.WithinLimit;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Acts of a program on a connection that is just moving to a faster path: a half-close, a reset, an interrupt, another
 * selector, another mode. On each of many connections the act comes a little later than on the one before, until the move is over.
 */
@Tag("stream")
@Tag("racing")
class UpgradeRaceTest extends ContractSupport {
    /** Over RDMA a connection takes a guest some ten times as long. */
    private static final int CONNECTIONS = Path.current() == Path.RDMA ? 30 : 150;

    private static final int FEWER_CONNECTIONS = CONNECTIONS / 4;
    private static final int MEASURED = 12;
    /** The first are slow because they load classes. */
    private static final int NOT_MEASURED = 4;

    private static final long LEAST_NANOS = 500_000;
    private static final long MOST_NANOS = 1_500_000_000 / CONNECTIONS;
    private static final int PIECE = 700;
    /** So much goes one way while the other end may not read: less than any kernel's buffers hold. */
    private static final int MOST_UNREAD = 32_000;

    private static final int MUCH = 1 << 20;
    /** A kernel has so many packets on their way before the first is acknowledged, and a reset overtakes none of them. */
    private static final int PIECES_AT_ONCE = 8;

    private static final int PIECES_BEHIND = 20;
    private static final int ANSWERED = 10;
    private static final byte[] STREAM = Bytes.random(1, 16 << 20);

    /** The ends that do it. */
    private enum End {
        CLIENT,
        SERVER
    }

    /** The end that does it, its peer, and the moment. */
    private record Race(SocketChannel actor, SocketChannel peer, long moment) {
        boolean isOver() {
            return UpgradeRaceTest.isOver(moment);
        }
    }

    /** The act of one end of a connection that has a client, but perhaps no server yet. */
    private interface Act<T> {
        T on(SocketChannel actor, long moment) throws Exception;
    }

    private ServerSocketChannel listener;
    private long span;

    /** The time from a connection's beginning until it has moved. */
    @BeforeEach
    void measure() throws Exception {
        listener = listener();
        for (int i = 0; i < MEASURED; i++) {
            Set<String> before = MappedRings.names();
            long start = System.nanoTime();
            try (SocketChannel client = SocketChannel.open(destination(listener));
                    SocketChannel server = listener.accept()) {
                eventually().until(() -> {
                    Bytes.write(client, Bytes.ascii("?"));
                    assertThat(Bytes.readAscii(server, 1)).isEqualTo("?");
                    return Path.current().isKernels()
                            || !MappedRings.areKnown()
                            || MappedRings.pathOfNew(before) == Path.current();
                });
                if (i >= NOT_MEASURED) {
                    span = Math.max(span, System.nanoTime() - start);
                }
            }
        }
        span = Math.min(MOST_NANOS, Math.max(LEAST_NANOS, span + span / 4));
    }

    /** The moments lie closer together at the beginning, when the most happens. */
    private long moment(long start, int i, int all) {
        return start + span * i / all * i / all;
    }

    /** The outcome at both ends of a connection. */
    private interface Verdict<T> {
        void on(Race race, Task<T> act) throws Exception;
    }

    /** The act of a client begins when it is connected; the act of the other end begins when it is accepted. */
    private <T> void sweep(End end, int all, Act<T> act, Verdict<T> verdict) throws Exception {
        for (int i = 0; i < all; i++) {
            try (SocketChannel client = SocketChannel.open(destination(listener))) {
                client.setOption(StandardSocketOptions.TCP_NODELAY, true);
                long connected = moment(System.nanoTime(), i, all);
                Task<T> early = end == End.CLIENT ? start(() -> act.on(client, connected)) : null;
                try (SocketChannel server = listener.accept()) {
                    server.setOption(StandardSocketOptions.TCP_NODELAY, true);
                    long accepted = moment(System.nanoTime(), i, all);
                    if (early != null) {
                        verdict.on(new Race(client, server, connected), early);
                    } else {
                        verdict.on(new Race(server, client, accepted), start(() -> act.on(server, accepted)));
                    }
                } catch (Exception | AssertionError e) {
                    throw new AssertionError(
                            "connection " + i + ", " + (moment(0, i, all) / 1_000) + " us after its beginning: " + e,
                            e);
                }
            }
        }
    }

    private static boolean isOver(long moment) {
        return System.nanoTime() - moment >= 0;
    }

    private static void awaitMoment(long moment) {
        while (!isOver(moment)) {
            Thread.onSpinWait();
        }
    }

    /** Writes the stream in pieces as long as wanted; returns the number of bytes. */
    private static int writeWhile(SocketChannel channel, int most, IntPredicate wanted) throws IOException {
        int written = 0;
        while (written + PIECE <= most && wanted.test(written)) {
            ByteBuffer piece = ByteBuffer.wrap(STREAM, written, PIECE);
            while (piece.hasRemaining()) {
                if (channel.write(piece) == 0) {
                    Thread.onSpinWait();
                }
            }
            written += PIECE;
        }
        return written;
    }

    private static void assertStream(byte[] read, int length) {
        Bytes.assertSame(read, Arrays.copyOf(STREAM, length));
    }

    // ---- shutdownOutput

    @ParameterizedTest
    @EnumSource
    @WithinLimit.Seconds(60)
    void whatWasWrittenBeforeTheOutputWasShutIsRead(End end) throws Exception {
        sweep(
                end,
                CONNECTIONS,
                (actor, moment) -> {
                    int written = writeWhile(actor, MOST_UNREAD, so -> !isOver(moment));
                    awaitMoment(moment);
                    actor.shutdownOutput();
                    return written;
                },
                (race, act) -> {
                    Task<byte[]> answer = start(() -> Bytes.readToEnd(race.actor()));
                    Task<byte[]> read = start(() -> Bytes.readToEnd(race.peer()));
                    int answered =
                            writeWhile(race.peer(), MOST_UNREAD, so -> !race.isOver() || so < PIECES_BEHIND * PIECE);
                    assertStream(read.result(), act.result());
                    race.peer().shutdownOutput();
                    assertStream(answer.result(), answered);
                });
    }

    // ---- shutdownInput

    @ParameterizedTest
    @EnumSource
    @WithinLimit.Seconds(60)
    void aShutInputIsTheEndForItsReaderAlone(End end) throws Exception {
        Semaphore peerHasWritten = new Semaphore(0);
        sweep(
                end,
                CONNECTIONS,
                (actor, moment) -> {
                    Task<byte[]> reader = start(() -> Bytes.readToEnd(actor));
                    awaitMoment(moment);
                    actor.shutdownInput();
                    byte[] read = reader.result();
                    int written = writeWhile(actor, MOST_UNREAD, so -> so < PIECES_BEHIND * PIECE);
                    peerHasWritten.acquire(); // an end that has shut down both directions refuses bytes
                    actor.shutdownOutput();
                    assertThat(actor.read(ByteBuffer.allocate(1))).isEqualTo(-1);
                    assertThat(written).isEqualTo(PIECES_BEHIND * PIECE);
                    return read;
                },
                (race, act) -> {
                    Task<byte[]> read = start(() -> Bytes.readToEnd(race.peer()));
                    int sent = writeWhile(race.peer(), MOST_UNREAD, so -> !race.isOver() || so < PIECE);
                    peerHasWritten.release();
                    byte[] heard = act.result();
                    assertThat(heard.length).isLessThanOrEqualTo(sent);
                    assertStream(heard, heard.length);
                    assertStream(read.result(), PIECES_BEHIND * PIECE);
                });
    }

    // ---- a close

    @ParameterizedTest
    @EnumSource
    @WithinLimit.Seconds(60)
    void whatWasWrittenBeforeACloseIsRead(End end) throws Exception {
        sweep(
                end,
                CONNECTIONS,
                (actor, moment) -> {
                    int written = writeWhile(actor, MOST_UNREAD, so -> !isOver(moment));
                    awaitMoment(moment);
                    actor.close();
                    return written;
                },
                (race, act) -> assertStream(Bytes.readToEnd(race.peer()), act.result()));
    }

    /** Both directions are used before, and the peer waits in a selector. */
    @ParameterizedTest
    @EnumSource
    @WithinLimit.Seconds(60)
    void whatWasWrittenBetweenAConversationAndACloseIsRead(End end) throws Exception {
        Selector first = selector();
        Selector second = selector();
        sweep(
                end,
                CONNECTIONS,
                (actor, moment) -> {
                    for (int i = 0; i < ANSWERED; i++) {
                        Bytes.write(actor, ByteBuffer.wrap(STREAM, i * PIECE, PIECE));
                        assertThat(Bytes.readAscii(actor, 1)).isEqualTo("!");
                    }
                    int written = ANSWERED * PIECE;
                    int behind = 0;
                    while ((!isOver(moment) && behind < MOST_UNREAD) || behind < PIECES_BEHIND * PIECE) {
                        Bytes.write(actor, ByteBuffer.wrap(STREAM, written + behind, PIECE));
                        behind += PIECE;
                    }
                    awaitMoment(moment);
                    actor.close();
                    return written + behind;
                },
                (race, act) -> {
                    for (int i = 0; i < ANSWERED; i++) {
                        Bytes.assertSame(
                                Bytes.read(race.peer(), PIECE), Arrays.copyOfRange(STREAM, i * PIECE, (i + 1) * PIECE));
                        Bytes.write(race.peer(), Bytes.ascii("!"));
                    }
                    race.peer().configureBlocking(false);
                    byte[] rest = readBySelectors(race.peer(), race.moment(), first, second);
                    Bytes.assertSame(rest, Arrays.copyOfRange(STREAM, ANSWERED * PIECE, act.result()));
                });
    }

    // ---- a reset

    /** The bytes that came before the reset, and how the reading ended. */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares these
    private record Heard(byte[] bytes, String ending) {}

    private static Heard readToAnyEnd(SocketChannel channel) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteBuffer buffer = ByteBuffer.allocate(MOST_UNREAD);
        try {
            while (channel.read(buffer.clear()) >= 0) {
                all.write(buffer.array(), 0, buffer.position());
            }
            return new Heard(all.toByteArray(), "the end");
        } catch (SocketException e) {
            return new Heard(all.toByteArray(), e.getMessage());
        }
    }

    @ParameterizedTest
    @EnumSource
    @WithinLimit.Seconds(60)
    void aResetIsHeardByAReader(End end) throws Exception {
        sweep(end, CONNECTIONS, UpgradeRaceTest::writeAndReset, (race, act) -> {
            Heard heard = readToAnyEnd(race.peer());
            assertThat(heard.ending()).isEqualTo("Connection reset");
            assertStream(heard.bytes(), act.result());
        });
    }

    private static int writeAndReset(SocketChannel actor, long moment) throws IOException {
        long start = System.nanoTime();
        int written = 0;
        for (int i = 0; i < PIECES_AT_ONCE; i++) {
            awaitMoment(start + (moment - start) * i / PIECES_AT_ONCE);
            Bytes.write(actor, ByteBuffer.wrap(STREAM, written, PIECE));
            written += PIECE;
        }
        awaitMoment(moment);
        actor.setOption(StandardSocketOptions.SO_LINGER, 0);
        actor.close();
        return written;
    }

    /** The first of the two gets the reset; the other finds a connection that is over. */
    @ParameterizedTest
    @EnumSource
    @WithinLimit.Seconds(60)
    void aResetIsHeardByAReaderOrAWriter(End end) throws Exception {
        sweep(end, CONNECTIONS, UpgradeRaceTest::writeAndReset, (race, act) -> {
            Task<Heard> reader = start(() -> readToAnyEnd(race.peer()));
            Task<String> writer = start(() -> {
                try {
                    Bytes.writeSingleBytesForever(race.peer());
                    return "no end";
                } catch (IOException e) {
                    return e.getMessage();
                }
            });
            Heard heard = reader.result();
            assertThat(heard.ending() + ", " + writer.result()).isIn(oneReset());
            int written = act.result();
            assertThat(heard.bytes().length).isLessThanOrEqualTo(written);
            assertStream(heard.bytes(), heard.bytes().length);
        });
    }

    /**
     * The outcome for a reader and a writer. Over RDMA a reset comes by two ways, and the reader and the writer may hear
     * different ones.
     */
    private static List<String> oneReset() {
        List<String> outcomes =
                new ArrayList<>(List.of("Connection reset, Broken pipe", "the end, Connection reset by peer"));
        if (Path.current() == Path.RDMA) {
            outcomes.add("Connection reset, Connection reset by peer");
        }
        return outcomes;
    }

    /** The end that does it has threads in its calls. */
    @ParameterizedTest
    @EnumSource
    @WithinLimit.Seconds(60)
    void aResetEndsWhatWaitsAtItsOwnEnd(End end) throws Exception {
        sweep(end, CONNECTIONS, this::resetUnderAReader, (race, act) -> {
            assertThat(act.result().failure()).isInstanceOf(ClosedChannelException.class);
            assertThat(readToAnyEnd(race.peer()).ending()).isEqualTo("Connection reset");
        });
    }

    private Task<Integer> resetUnderAReader(SocketChannel actor, long moment) throws IOException {
        Task<Integer> reader = start(() -> actor.read(ByteBuffer.allocate(1)));
        int unused = writeAndReset(actor, moment);
        return reader;
    }

    /** The peer, which hears of it by either path, resets in turn. At the end that was first that changes nothing. */
    @ParameterizedTest
    @EnumSource
    @WithinLimit.Seconds(60)
    void aResetThatIsAnsweredByAnotherEndsWhatWaitsAtItsOwnEnd(End end) throws Exception {
        sweep(end, CONNECTIONS, this::resetUnderAReader, (race, act) -> {
            Task<String> peer = start(() -> {
                Heard heard = readToAnyEnd(race.peer());
                race.peer().setOption(StandardSocketOptions.SO_LINGER, 0);
                race.peer().close();
                return heard.ending();
            });
            assertThat(act.result().failure()).isInstanceOf(ClosedChannelException.class);
            assertThat(peer.result()).isEqualTo("Connection reset");
        });
    }

    // ---- an interrupt

    @ParameterizedTest
    @EnumSource
    @WithinLimit.Seconds(60)
    void anInterruptEndsAReader(End end) throws Exception {
        sweep(
                end,
                CONNECTIONS,
                (actor, moment) -> {
                    Task<Integer> reader = start(() -> actor.read(ByteBuffer.allocate(1)));
                    int written = writeWhile(actor, MOST_UNREAD, so -> !isOver(moment));
                    awaitMoment(moment);
                    reader.interrupt();
                    assertThat(reader.failure()).isExactlyInstanceOf(ClosedByInterruptException.class);
                    assertThat(actor.isOpen()).isFalse();
                    return written;
                },
                (race, act) -> assertStream(Bytes.readToEnd(race.peer()), act.result()));
    }

    @ParameterizedTest
    @EnumSource
    @WithinLimit.Seconds(60)
    void anInterruptEndsAWriter(End end) throws Exception {
        sweep(
                end,
                FEWER_CONNECTIONS,
                (actor, moment) -> {
                    int[] written = new int[1];
                    Task<Void> writer = run(() -> {
                        while (true) {
                            ByteBuffer piece = ByteBuffer.wrap(STREAM, written[0], MUCH);
                            while (piece.hasRemaining()) {
                                written[0] += actor.write(piece);
                            }
                        }
                    });
                    awaitMoment(moment);
                    writer.interrupt();
                    assertThat(writer.failure()).isExactlyInstanceOf(ClosedByInterruptException.class);
                    assertThat(actor.isOpen()).isFalse();
                    return written[0];
                },
                (race, act) -> {
                    int written = act.result();
                    byte[] read = Bytes.readToEnd(race.peer());
                    assertThat(read.length).isGreaterThanOrEqualTo(written);
                    assertStream(read, read.length);
                });
    }

    // ---- another selector

    @ParameterizedTest
    @EnumSource
    @WithinLimit.Seconds(60)
    void anotherSelectorGoesOnWhereTheFirstStopped(End end) throws Exception {
        Selector first = selector();
        Selector second = selector();
        sweep(
                end,
                CONNECTIONS,
                (actor, moment) -> {
                    actor.configureBlocking(false);
                    return readBySelectors(actor, moment, first, second);
                },
                (race, act) -> {
                    int sent = writeWhile(race.peer(), MOST_UNREAD, so -> !race.isOver());
                    awaitMoment(race.moment());
                    for (int i = 0; i < PIECES_BEHIND; i++) {
                        Bytes.write(race.peer(), ByteBuffer.wrap(STREAM, sent, PIECE));
                        sent += PIECE;
                    }
                    race.peer().shutdownOutput();
                    assertStream(act.result(), sent);
                });
    }

    /** Reads with one selector, and from the moment on with another selector after each read. */
    private static byte[] readBySelectors(SocketChannel channel, long moment, Selector first, Selector second)
            throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteBuffer buffer = ByteBuffer.allocate(2 * PIECE);
        Selector current = first;
        SelectionKey key = channel.register(current, SelectionKey.OP_READ);
        while (true) {
            current.selectedKeys().clear();
            assertThat(current.select(LIMIT_MILLIS)).as("keys that are ready").isEqualTo(1);
            int n = channel.read(buffer.clear());
            if (n < 0) {
                key.cancel();
                current.selectNow();
                return all.toByteArray();
            }
            all.write(buffer.array(), 0, buffer.position());
            if (isOver(moment)) {
                key.cancel();
                current.selectNow();
                current = current == first ? second : first;
                key = channel.register(current, SelectionKey.OP_READ);
            }
        }
    }

    // ---- another mode

    @ParameterizedTest
    @EnumSource
    @WithinLimit.Seconds(60)
    void aChangeOfTheModeChangesNothingElse(End end) throws Exception {
        sweep(
                end,
                CONNECTIONS,
                (actor, moment) -> {
                    Task<Integer> writer = start(
                            () -> writeWhile(actor, MOST_UNREAD, so -> !isOver(moment) || so < PIECES_BEHIND * PIECE));
                    byte[] read = readInBothModes(actor, moment);
                    int written = writer.result();
                    actor.shutdownOutput();
                    return new Exchanged(read, written);
                },
                (race, act) -> {
                    Task<byte[]> read = start(() -> Bytes.readToEnd(race.peer()));
                    int sent = writeWhile(race.peer(), MOST_UNREAD, so -> !race.isOver() || so < PIECES_BEHIND * PIECE);
                    race.peer().shutdownOutput();
                    Exchanged exchanged = act.result();
                    assertStream(exchanged.read(), sent);
                    assertStream(read.result(), exchanged.written());
                });
    }

    @SuppressWarnings("ArrayRecordComponent") // nobody compares these
    private record Exchanged(byte[] read, int written) {}

    /** Reads in one mode until the moment, and from then on in both modes in turn. */
    private static byte[] readInBothModes(SocketChannel channel, long moment) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteBuffer buffer = ByteBuffer.allocate(PIECE);
        channel.configureBlocking(false);
        while (true) {
            int n = channel.read(buffer.clear());
            if (n < 0) {
                channel.configureBlocking(true);
                return all.toByteArray();
            }
            all.write(buffer.array(), 0, buffer.position());
            if (isOver(moment)) {
                channel.configureBlocking(!channel.isBlocking());
            } else if (n == 0) {
                Thread.onSpinWait();
            }
        }
    }
}
