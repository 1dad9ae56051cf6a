// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.FallbackReason;
import io.accel.core.fabric.Link;
import io.accel.core.poll.Poller;
import io.accel.core.socket.Faults.Call;
import io.accel.core.socket.Faults.Side;
import io.accel.testing.Background;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A link breaks while the kernel's connection lives: the stream goes on there, and no byte is lost or arrives twice. */
@Timeout(60)
class ResumptionTest {
    private static final Object CLOSING = new Object();
    private static final int RING = 16 * 1024;
    /** Far more than both ends need when they hear of each other; that nothing happens shows in time alone. */
    private static final Duration STOPPED = Duration.ofMillis(500);
    /** The last fault is in the 40th publish; on a busy machine each is of a whole ring. */
    private static final int TOTAL = 42 * RING;
    /** Twice as much as is set aside. */
    private static final int MUCH = 16 << 20;

    private FaultLab lab;
    private BlockingWaits waits;
    private Lab.Pair pair;

    @BeforeEach
    void open() throws Exception {
        open("balanced", Map.of("ring.size", RING + "B"));
    }

    private void open(String preset, Map<String, String> settings) throws Exception {
        lab = new FaultLab(preset, settings);
        lab.faults.isResumable = true;
        lab.faults.newsMicros = 3_000;
        waits = lab.lab.accelerator.waits();
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        if (pair != null) {
            pair.close();
        }
        try {
            lab.nothingIsLeft();
        } finally {
            lab.close();
        }
    }

    private void breakAt(Side side, Call call, int nth) {
        lab.arm(side, call, nth, FallbackReason.NO_RESOURCES);
    }

    /** Breaks it in a call that no byte depends on. */
    private void breakNow() {
        breakAt(Side.CLIENT, Call.RELEASED, 1);
        int unused = pair.client().attached().look(SelectionKey.OP_WRITE);
        assertThat(lab.faults.hasTripped()).isTrue();
    }

    private FutureTask<Long> sending(StreamSocket socket, int seed) {
        return Streams.start(() -> closingWhenItFails(socket, () -> send(socket, seed)));
    }

    private Background<Long> writerThatWaitsForRoom(StreamSocket socket) throws Exception {
        assertThat(socket.outgoing().fix()).isNotNull(); // so that a full ring does not make it go back
        Background<Long> writer = Background.start(() -> {
            Streams.send(waits, socket, TOTAL, 1);
            return (long) TOTAL;
        });
        writer.awaitAsleep();
        return writer;
    }

    private FutureTask<Long> receiving(StreamSocket socket, int seed) {
        return Streams.start(() -> closingWhenItFails(socket, () -> receive(socket, seed)));
    }

    private long send(StreamSocket socket, int seed) throws IOException {
        Streams.send(waits, socket, TOTAL, seed);
        socket.shutdownOutput();
        return TOTAL;
    }

    private long receive(StreamSocket socket, int seed) throws IOException {
        long got = Streams.receive(waits, socket, TOTAL, seed);
        assertThat(Streams.read(waits, socket, ByteBuffer.allocate(1))).isEqualTo(-1);
        return got;
    }

    /** Both parts of a program that closes when both are over. */
    private List<FutureTask<Long>> program(StreamSocket socket, int sent, int received) {
        AtomicInteger left = new AtomicInteger(2);
        return Stream.<Callable<Long>>of(() -> send(socket, sent), () -> receive(socket, received))
                .map(part -> Streams.start(() -> {
                    try {
                        return closingWhenItFails(socket, part);
                    } finally {
                        if (left.decrementAndGet() == 0) {
                            closeOnce(socket);
                        }
                    }
                }))
                .toList();
    }

    /** As a program does. */
    private static <T> T closingWhenItFails(StreamSocket socket, Callable<T> part) throws Exception {
        try {
            return part.call();
        } catch (IOException e) {
            closeOnce(socket);
            throw e;
        }
    }

    private static void closeOnce(StreamSocket socket) throws IOException {
        synchronized (CLOSING) { // one after the other, as a channel ensures; not through the socket's own monitor
            Lab.close(socket);
        }
    }

    private void exchange() throws Exception {
        List<FutureTask<Long>> all = List.of(
                sending(pair.client(), 1),
                sending(pair.server(), 2),
                receiving(pair.client(), 2),
                receiving(pair.server(), 1));
        for (FutureTask<Long> each : all) {
            assertThat(each.get(30, TimeUnit.SECONDS)).isEqualTo(TOTAL);
        }
    }

    static Stream<Arguments> breaks() {
        List<Arguments> all = new ArrayList<>();
        for (Side side : Side.values()) {
            for (Call call : new Call[] {Call.PUBLISH, Call.RELEASED, Call.PUBLISHED, Call.CONSUMED}) {
                for (int nth : call == Call.CONSUMED ? new int[] {1, 3, 12} : new int[] {1, 3, 12, 40}) {
                    all.add(Arguments.of(side, call, nth));
                }
            }
        }
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("breaks")
    void everyByteArrivesOnce(Side side, Call call, int nth) throws Exception {
        Lab.Pair bystander = lab.bystander();
        pair = lab.lab.connect();
        pair.fixDirections();
        breakAt(side, call, nth);
        exchange();
        assertThat(lab.faults.hasTripped()).isTrue();
        assertKernel(pair.client());
        assertKernel(pair.server());
        lab.faults.disarm();
        lab.othersLiveOn(bystander);
        bystander.close();
    }

    /** All bytes of the end whose input is shut arrive, although it has to hear what its peer has received. */
    @ParameterizedTest
    @MethodSource("breaks")
    void anEndThatReadsNoMore(Side side, Call call, int nth) throws Exception {
        pair = lab.lab.connect();
        pair.fixDirections();
        Lab.channel(pair.client()).shutdownInput();
        pair.client().shutdownInput();
        Streams.write(waits, pair.server(), ByteBuffer.allocate(100));
        breakAt(side, call, nth);
        FutureTask<Long> sending = sending(pair.client(), 1);
        assertThat(receiving(pair.server(), 1).get(30, TimeUnit.SECONDS)).isEqualTo(TOTAL);
        assertThat(sending.get(30, TimeUnit.SECONDS)).isEqualTo(TOTAL);
        assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(1))).isEqualTo(-1);
    }

    private static void assertKernel(StreamSocket socket) {
        Awaitility.await().atMost(10, TimeUnit.SECONDS).untilAsserted(() -> {
            assertThat(socket.path().path()).isEqualTo("kernel");
            assertThat(socket.path().reason()).isEqualTo(FallbackReason.LINK_LOST);
            assertThat(socket.outgoing().link()).isNull();
        });
    }

    /** The announcement was read alone, or together with bytes that the program gets later. */
    @Test
    void whatWasReadWithTheAnnouncement() throws Exception {
        pair = lab.lab.connectOnly();
        Streams.write(waits, pair.client(), ByteBuffer.allocate(3));
        Lab.channel(pair.server()).configureBlocking(false);
        Awaitility.await().until(() -> pair.server().anchor().available() == 1);
        assertThat(Streams.read(waits, pair.server(), ByteBuffer.allocate(9))).isEqualTo(3);
        Streams.write(waits, pair.server(), ByteBuffer.allocate(2));
        assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(9))).isEqualTo(2);
        breakAt(Side.CLIENT, Call.PUBLISH, 1);
        exchange();
        assertKernel(pair.client());
        assertKernel(pair.server());
    }

    /** One direction goes over the link, the other comes through the kernel, where the record has to be found. */
    @Test
    void aDirectionThatNeverSwitched() throws Exception {
        pair = lab.lab.connectOnly();
        ByteBuffer buffer = ByteBuffer.allocate(TOTAL);
        Streams.write(waits, pair.client(), ByteBuffer.allocate(3));
        assertThat(Streams.read(waits, pair.server(), buffer)).isEqualTo(3);
        assertThat(pair.client().outgoing().fix()).isNotNull(); // so that a late reader does not make it go back
        Background<Integer> reader = Background.start(() -> Streams.read(waits, pair.client(), ByteBuffer.allocate(9)));
        reader.awaitIn(Lab.channel(pair.client()).getClass(), "read");
        FutureTask<Long> sent = sending(pair.client(), 1);
        breakAt(Side.CLIENT, Call.PUBLISH, 2);
        assertThat(receiving(pair.server(), 1).get(20, TimeUnit.SECONDS)).isEqualTo(TOTAL);
        assertThat(sent.get(20, TimeUnit.SECONDS)).isEqualTo(TOTAL);
        assertKernel(pair.client());
        assertThat(reader.isDone()).isFalse();
        Streams.write(waits, pair.server(), ByteBuffer.allocate(5));
        assertThat(reader.get(10, TimeUnit.SECONDS)).isEqualTo(5);
    }

    /** The peer's program reads nothing until it is over. */
    @Test
    void aWriterThatWaitsForRoomGoesOn() throws Exception {
        pair = lab.lab.connect();
        Background<Long> writer = writerThatWaitsForRoom(pair.client());
        breakNow();
        assertThat(writer.get(20, TimeUnit.SECONDS)).isEqualTo(TOTAL);
        assertThat(Streams.receive(waits, pair.server(), TOTAL, 1)).isEqualTo(TOTAL);
    }

    @Test
    void aSelectorSleepsThroughIt() throws Exception {
        pair = lab.lab.connect();
        Lab.channel(pair.server()).configureBlocking(false);
        try (Poller poller = lab.lab.accelerator.openPoller()) {
            var registration = poller.register(pair.server().readiness(), SelectionKey.OP_READ, null);
            Background<Integer> asleep = Streams.asleepIn(poller);
            breakNow();
            assertKernel(pair.client());
            assertKernel(pair.server());
            assertThat(asleep.isDone()).as("woken for nothing").isFalse();
            // The poller hears just after the record was taken what the kernel said just before.
            assertThat(pair.server().readiness().kernelReady(SelectionKey.OP_READ, SelectionKey.OP_READ))
                    .isZero();
            Streams.write(waits, pair.client(), ByteBuffer.allocate(7));
            assertThat(asleep.get(10, TimeUnit.SECONDS)).isEqualTo(SelectionKey.OP_READ);
            assertThat(Streams.read(waits, pair.server(), ByteBuffer.allocate(9)))
                    .isEqualTo(7);
            registration.close();
        }
    }

    /** Whatever the thread that takes connections back was doing, the connection is whole or reset, and others live on. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 5, 8, 13, 21, 34, 55})
    void thereIsNoMemory(int calls) throws Exception {
        Lab.Pair bystander = lab.bystander();
        AtomicInteger left = new AtomicInteger(-1);
        lab.lab.anchors = channel ->
                new StarvedAnchor(new ChannelAnchor(channel), asked -> left.get() >= 0 && left.getAndDecrement() == 0);
        pair = lab.lab.connect();
        pair.fixDirections();
        List<List<FutureTask<Long>>> both = List.of(program(pair.client(), 1, 2), program(pair.server(), 2, 1));
        left.set(calls);
        pair.client().attached().link().breakNow();
        for (List<FutureTask<Long>> end : both) {
            List<Throwable> failures = new ArrayList<>();
            for (FutureTask<Long> part : end) {
                try {
                    assertThat(part.get(30, TimeUnit.SECONDS)).isEqualTo(TOTAL);
                } catch (ExecutionException e) {
                    failures.add(e.getCause());
                }
            }
            // If the writer has met the reset, the reader meets an end, as over TCP.
            assertThat(failures).satisfiesAnyOf(none -> assertThat(none).isEmpty(), some -> assertThat(some)
                    .anyMatch(IOException.class::isInstance));
        }
        left.set(-1);
        lab.faults.disarm();
        lab.othersLiveOn(bystander);
        bystander.close();
    }

    /** The peer's process dies at any point; its bytes were right, and nobody waits for it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 5, 8, 13, 21, 34, 55})
    void thePeerDies(int calls) throws Exception {
        Lab.Pair bystander = lab.bystander();
        AtomicInteger left = new AtomicInteger(-1);
        lab.lab.anchors = channel -> new StarvedAnchor(new ChannelAnchor(channel), asked -> {
            if (isClients(channel) && left.get() >= 0 && left.getAndDecrement() == 0) {
                closeNow(channel);
            }
            return false;
        });
        pair = lab.lab.connect();
        pair.fixDirections();
        List<FutureTask<Long>> died = program(pair.client(), 1, 2);
        List<FutureTask<Long>> survivor = program(pair.server(), 2, 1);
        left.set(calls);
        pair.client().attached().link().breakNow();
        for (FutureTask<Long> part : survivor) {
            assertThat(outcome(part)).matches("all|end after \\d+ of " + TOTAL + " bytes|IOException: .*");
        }
        for (FutureTask<Long> part : died) {
            assertThat(outcome(part)).doesNotContain("wrong");
        }
        left.set(-1);
        lab.faults.disarm();
        lab.othersLiveOn(bystander);
        bystander.close();
    }

    private boolean isClients(SocketChannel channel) {
        return channel.socket().getPort() == lab.lab.address.getPort();
    }

    private static void closeNow(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An end that has said what it received, and then cannot go on, says no more: the peer would take it for the program's. */
    @Test
    void whoHasSpokenSaysNoMore() throws Exception {
        AtomicInteger left = new AtomicInteger(-1);
        lab.lab.anchors = channel -> new StarvedAnchor(
                new ChannelAnchor(channel),
                asked -> asked == StarvedAnchor.Asked.SEND
                        && isClients(channel)
                        && left.get() >= 0
                        && left.getAndDecrement() == 0);
        pair = lab.lab.connect();
        pair.fixDirections();
        lab.faults.newsMicros = -1;
        pair.server().attached().link().breakNow();
        Streams.write(waits, pair.client(), ByteBuffer.allocate(100)); // which have to be sent again
        left.set(1); // its record, and no more
        pair.client().attached().link().breakNow();
        assertThatThrownBy(() -> Streams.read(waits, pair.client(), ByteBuffer.allocate(9)))
                .hasMessage("Connection reset");
        Lab.close(pair.client());
        assertThatThrownBy(() -> Streams.read(waits, pair.server(), ByteBuffer.allocate(9)))
                .hasMessage("Connection reset");
        assertThat(left).as("calls that found memory").hasValue(-1);
    }

    /** One end speaks, and the other is stopped, or hears of nothing, for long. */
    @ParameterizedTest
    @EnumSource(Side.class)
    void aPeerThatIsStopped(Side hears) throws Exception {
        pair = lab.lab.connect();
        pair.fixDirections();
        lab.faults.newsMicros = -1;
        StreamSocket first = hears == Side.CLIENT ? pair.client() : pair.server();
        StreamSocket stopped = hears == Side.CLIENT ? pair.server() : pair.client();
        first.attached().link().breakNow();
        List<FutureTask<Long>> all = List.of(
                sending(pair.client(), 1),
                sending(pair.server(), 2),
                receiving(pair.client(), 2),
                receiving(pair.server(), 1));
        Awaitility.await().during(STOPPED).until(() -> all.stream().noneMatch(FutureTask::isDone));
        stopped.attached().link().breakNow();
        for (FutureTask<Long> each : all) {
            assertThat(each.get(30, TimeUnit.SECONDS)).isEqualTo(TOTAL);
        }
    }

    /** The ways in which a peer that has read nothing has heard that a writer went back to the kernel. */
    enum News {
        IN_TIME,
        /** Its link had broken before. */
        NEVER
    }

    /** A writer whose peer reads nothing goes back to the kernel, and the link breaks before the peer has followed. */
    @ParameterizedTest
    @MethodSource("whoLeaves")
    void aWriterHadGoneBack(Side leaves, News news) throws Exception {
        pair = lab.lab.connect();
        StreamSocket left = leaves == Side.CLIENT ? pair.client() : pair.server();
        StreamSocket slow = leaves == Side.CLIENT ? pair.server() : pair.client();
        lab.faults.newsMicros = -1;
        FutureTask<Long> sender = onlySending(left, 1);
        if (news == News.NEVER) {
            Awaitility.await().until(() -> left.attached().look(SelectionKey.OP_WRITE) == 0);
            slow.attached().link().breakNow();
        }
        Awaitility.await().until(() -> left.outgoing().isUnfollowed());
        left.attached().link().breakNow();
        slow.attached().link().breakNow();
        FutureTask<Long> answer = onlySending(slow, 2);
        FutureTask<Long> late = Streams.start(() -> Streams.receive(waits, slow, TOTAL, 1));
        assertThat(Streams.receive(waits, left, TOTAL, 2)).isEqualTo(TOTAL);
        assertThat(late.get(20, TimeUnit.SECONDS)).isEqualTo(TOTAL);
        assertThat(sender.get(20, TimeUnit.SECONDS)).isEqualTo(TOTAL);
        assertThat(answer.get(20, TimeUnit.SECONDS)).isEqualTo(TOTAL);
    }

    private FutureTask<Long> onlySending(StreamSocket socket, int seed) {
        return Streams.start(() -> {
            Streams.send(waits, socket, TOTAL, seed);
            return (long) TOTAL;
        });
    }

    static Stream<Arguments> whoLeaves() {
        return Stream.of(Side.values()).flatMap(side -> Stream.of(News.values()).map(news -> Arguments.of(side, news)));
    }

    /** The same where nothing has ever gone the other way, so that neither end may speak first. */
    @Test
    void aWriterHadGoneBackWhosePeerOnlyReads() throws Exception {
        pair = lab.lab.connectOnly();
        FutureTask<Long> sender = sending(pair.client(), 1);
        Awaitility.await().until(() -> pair.client().outgoing().isUnfollowed());
        breakNow();
        assertThat(receiving(pair.server(), 1).get(20, TimeUnit.SECONDS)).isEqualTo(TOTAL);
        assertThat(sender.get(20, TimeUnit.SECONDS)).isEqualTo(TOTAL);
    }

    /** The bytes of a peer that is gone arrive as they do over TCP. */
    @Test
    void aWriterHadGoneBackAndDied() throws Exception {
        pair = lab.lab.connect();
        FutureTask<Long> sender = onlySending(pair.client(), 1);
        Awaitility.await().until(() -> pair.client().outgoing().isUnfollowed());
        assertThat(sender.get(20, TimeUnit.SECONDS)).isEqualTo(TOTAL);
        lab.faults.newsMicros = -1;
        pair.server().attached().link().breakNow();
        Lab.channel(pair.client()).shutdownOutput(); // as its kernel does
        assertThat(Streams.receive(waits, pair.server(), TOTAL, 1)).isEqualTo(TOTAL);
        assertThat(Streams.read(waits, pair.server(), ByteBuffer.allocate(9))).isEqualTo(-1);
    }

    /** It says nothing about the link before it has sent more than its peer sets aside: the peer reads on. */
    @Test
    void aWriterHadGoneBackAndSendsMuch() throws Exception {
        pair = lab.lab.connect();
        FutureTask<Long> sender = Streams.start(() -> {
            Streams.send(waits, pair.client(), MUCH, 1);
            return (long) MUCH;
        });
        Awaitility.await().until(() -> pair.client().outgoing().isUnfollowed());
        lab.faults.newsMicros = -1;
        pair.server().attached().link().breakNow();
        Awaitility.await().until(() -> pair.server().incoming().isAsideFull());
        FutureTask<Long> late = Streams.start(() -> Streams.receive(waits, pair.server(), MUCH, 1));
        assertThat(late.get(20, TimeUnit.SECONDS)).isEqualTo(MUCH);
        assertThat(sender.get(20, TimeUnit.SECONDS)).isEqualTo(MUCH);
    }

    /**
     * Its kernel has reset the connection. A thread that only writes to it hears that, although so much is unread that no more is
     * set aside.
     */
    @Test
    void aWriterHadGoneBackAndSentMuchAndWasReset() throws Exception {
        pair = lab.lab.connect();
        assertThat(pair.server().outgoing().fix()).isNotNull(); // so that the full ring does not make it go back
        FutureTask<Long> sender = Streams.start(() -> {
            Streams.send(waits, pair.client(), 2 * MUCH, 1);
            return 0L;
        });
        Awaitility.await().until(() -> pair.client().outgoing().isUnfollowed());
        Background<Long> writer = Background.start(() -> {
            Streams.send(waits, pair.server(), TOTAL, 2);
            return 0L;
        });
        writer.awaitAsleep();
        lab.faults.newsMicros = -1;
        pair.server().attached().link().breakNow();
        Awaitility.await().until(() -> pair.server().incoming().isAsideFull());
        Lab.channel(pair.client()).setOption(StandardSocketOptions.SO_LINGER, 0).close();
        assertThatThrownBy(() -> writer.get(20, TimeUnit.SECONDS))
                .hasRootCauseExactlyInstanceOf(IOException.class)
                .rootCause()
                // As over TCP, or what LIMITS.md describes for a peer whose end nobody has read. The kernel tells
                // whoever asks first, which may be the thread that deals with the broken link.
                .satisfies(cause -> assertThat(cause.getMessage()).isIn("Connection reset by peer", "Broken pipe"));
        assertThatThrownBy(() -> sender.get(20, TimeUnit.SECONDS)).hasRootCauseInstanceOf(IOException.class);
    }

    /** Its kernel has reset the connection: the record of what it has received cannot come, and its reader does not wait for that. */
    @Test
    void aWriterHadGoneBackAndWasReset() throws Exception {
        pair = lab.lab.connect();
        FutureTask<Long> sender = onlySending(pair.client(), 1);
        Awaitility.await().until(() -> pair.client().outgoing().isUnfollowed());
        assertThat(sender.get(20, TimeUnit.SECONDS)).isEqualTo(TOTAL);
        lab.faults.newsMicros = -1;
        pair.server().attached().link().breakNow();
        Lab.channel(pair.client()).setOption(StandardSocketOptions.SO_LINGER, 0).close();
        FutureTask<Integer> late = Streams.start(() -> {
            long unused = Streams.receive(waits, pair.server(), TOTAL, 1); // all of it may have come before
            return Streams.read(waits, pair.server(), ByteBuffer.allocate(1));
        });
        assertThatThrownBy(() -> late.get(20, TimeUnit.SECONDS))
                .hasRootCauseExactlyInstanceOf(SocketException.class)
                .hasRootCauseMessage("Connection reset");
    }

    /** The kernel tells Accel's own thread of the reset and shows the reader an end, before that thread can report the reset. */
    @Test
    void aReaderMeetsTheEndBehindAResetThatAnotherWasToldOf() throws Exception {
        AtomicReference<CountDownLatch> reset = new AtomicReference<>();
        AtomicReference<Background<Integer>> reader = new AtomicReference<>();
        lab.lab.anchors = channel -> isClients(channel)
                ? new ChannelAnchor(channel)
                : new StarvedAnchor(new ChannelAnchor(channel), asked -> awaitBeforeSend(asked, reset.get()), () -> {
                    if (reset.get() != null && reader.get() == null) {
                        reader.set(Background.start(() -> Streams.read(waits, pair.server(), ByteBuffer.allocate(1))));
                        reader.get().awaitBlockedOrDone();
                    }
                });
        pair = lab.lab.connect();
        FutureTask<Long> sender = onlySending(pair.client(), 1);
        Awaitility.await().until(() -> pair.client().outgoing().isUnfollowed());
        assertThat(sender.get(20, TimeUnit.SECONDS)).isEqualTo(TOTAL);
        readWhile(() -> pair.server().incoming().link() != null);
        lab.faults.newsMicros = -1;
        reset.set(new CountDownLatch(1));
        pair.server().attached().link().breakNow();
        Lab.channel(pair.client()).setOption(StandardSocketOptions.SO_LINGER, 0).close();
        readWhile(() -> pair.server().incoming().available() > 0);
        reset.get().countDown();
        Awaitility.await().until(() -> reader.get() != null);
        assertThatThrownBy(() -> reader.get().get(20, TimeUnit.SECONDS))
                .hasRootCauseExactlyInstanceOf(SocketException.class)
                .hasRootCauseMessage("Connection reset");
    }

    /** A close says how far it has sent; a peer that has followed this end to the kernel would read that as the program's bytes. */
    @Test
    void aCloseAndTheWayBackExcludeEachOther() throws Exception {
        pair = lab.lab.connect();
        talk();
        LinkWriter writer = pair.client().attached().writer();
        Thread closer = Thread.currentThread();
        AtomicReference<Boolean> isBack = new AtomicReference<>();
        lab.faults.asked = () -> {
            if (Thread.currentThread() == closer && isBack.compareAndSet(null, false)) {
                writer.wayBack().makeDue();
                isBack.set(goBack(writer));
            }
        };
        Lab.close(pair.client());
        assertThat(isBack.get()).isFalse();
        assertThat(Streams.read(waits, pair.server(), ByteBuffer.allocate(100))).isEqualTo(-1);
    }

    private static boolean goBack(LinkWriter writer) {
        try {
            return Streams.start(writer::goBackForWriter).get(20, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    /** The same where the link has broken, and the connection has gone on through the kernel just now. */
    @Test
    void aCloseBehindABrokenLinkSaysNothing() throws Exception {
        CountDownLatch speaks = new CountDownLatch(1);
        CountDownLatch closes = new CountDownLatch(1);
        AtomicBoolean isBroken = new AtomicBoolean();
        lab.lab.anchors = channel -> isClients(channel)
                ? new StarvedAnchor(new ChannelAnchor(channel), asked -> {
                    if (isBroken.get() && asked == StarvedAnchor.Asked.SEND) {
                        speaks.countDown();
                        return awaitBeforeSend(asked, closes);
                    }
                    return false;
                })
                : new ChannelAnchor(channel);
        pair = lab.lab.connect();
        talk();
        lab.faults.newsMicros = -1;
        pair.server().attached().link().breakNow();
        Awaitility.await().until(() -> pair.client().anchor().available() == ResumeRecord.SIZE);
        isBroken.set(true);
        pair.client().attached().link().breakNow();
        speaks.await();
        Thread closer = Thread.currentThread();
        lab.faults.asked = () -> {
            if (Thread.currentThread() == closer && closes.getCount() > 0) {
                closes.countDown();
                Awaitility.await().until(() -> pair.client().outgoing().link() == null);
            }
        };
        Lab.close(pair.client());
        assertThat(closes.getCount()).isZero();
        assertThat(Streams.read(waits, pair.server(), ByteBuffer.allocate(100))).isEqualTo(-1);
    }

    private void talk() throws IOException {
        Streams.send(waits, pair.client(), 100, 1);
        assertThat(Streams.receive(waits, pair.server(), 100, 1)).isEqualTo(100);
        Streams.send(waits, pair.server(), 100, 2);
        assertThat(Streams.receive(waits, pair.client(), 100, 2)).isEqualTo(100);
        assertThat(pair.client().outgoing().link()).isNotNull();
    }

    private static boolean awaitBeforeSend(StarvedAnchor.Asked asked, CountDownLatch event) {
        if (asked == StarvedAnchor.Asked.SEND && event != null) {
            try {
                event.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        return false;
    }

    private void readWhile(Callable<Boolean> goesOn) throws Exception {
        ByteBuffer buffer = ByteBuffer.allocate(RING);
        while (goesOn.call()) {
            assertThat(Streams.read(waits, pair.server(), buffer.clear())).isPositive();
        }
    }

    /** Its reader has not reached the link, whose bytes come between those that the kernel has. */
    @Test
    void aWriterCameAndWentBeforeAnythingWasRead() throws Exception {
        pair = lab.lab.connectOnly();
        LinkWriter writer = pair.client().attached().writer();
        Streams.send(waits, pair.client(), 1_000, 1);
        assertThat(pair.client().outgoing().link()).isNotNull();
        writer.wayBack().makeDue();
        Awaitility.await().until(writer::goBackForWriter);
        ByteBuffer more = ByteBuffer.allocate(1_000);
        Streams.fill(more, 1_000, 1);
        Streams.write(waits, pair.client(), more);
        assertThat(pair.client().outgoing().link()).isNull();
        lab.faults.newsMicros = -1;
        pair.client().attached().link().breakNow();
        pair.server().attached().link().breakNow();
        assertKernel(pair.server());
        Awaitility.await()
                .during(200, TimeUnit.MILLISECONDS)
                .until(() -> pair.server().attached() != null);
        assertThat(Streams.receive(waits, pair.server(), 2_000, 1)).isEqualTo(2_000);
        Awaitility.await().until(() -> pair.server().attached() == null);
    }

    /** Its program reads nothing until it has written, and has yet to read what its peer sent before its switch. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1_000, 100_000})
    void aWriterThatWaitsForRoomHasNotReadUpToTheSwitch(int before) throws Exception {
        pair = lab.lab.connectOnly();
        ByteBuffer early = ByteBuffer.allocate(before);
        Streams.fill(early, 0, 2);
        while (early.hasRemaining()) { // as the peer did when it had no link
            pair.client().outgoing().gave(Lab.channel(pair.client()).write(early));
        }
        ByteBuffer more = ByteBuffer.allocate(1_000);
        Streams.fill(more, before, 2);
        Streams.write(waits, pair.client(), more);
        assertThat(pair.client().outgoing().link()).isNotNull();
        Streams.write(waits, pair.server(), ByteBuffer.allocate(3));
        assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(3))).isEqualTo(3);
        Background<Long> writer = writerThatWaitsForRoom(pair.server());
        lab.faults.newsMicros = -1;
        pair.client().attached().link().breakNow();
        pair.server().attached().link().breakNow();
        assertThat(Streams.receive(waits, pair.client(), TOTAL, 1)).isEqualTo(TOTAL);
        assertThat(writer.get(20, TimeUnit.SECONDS)).isEqualTo(TOTAL);
        Streams.fill(more.clear(), before + 1_000, 2);
        Streams.write(waits, pair.client(), more);
        // The thread that sends again may be behind the reader: then the ring took these bytes, and that thread sends
        // them too.
        Awaitility.await().until(() -> pair.client().outgoing().link() == null);
        Awaitility.await()
                .untilAsserted(
                        () -> assertThat(pair.server().incoming().available()).isEqualTo(before + 2_000));
        assertThat(Streams.receive(waits, pair.server(), before + 2_000, 2)).isEqualTo(before + 2_000);
        assertKernel(pair.server());
    }

    @Test
    void aCloseAfterAllHasComeIsAnEnd() throws Exception {
        pair = lab.lab.connect();
        Streams.write(waits, pair.client(), ByteBuffer.allocate(100));
        Awaitility.await().until(() -> pair.server().attached().reader().available() == 100);
        lab.faults.newsMicros = -1;
        breakAt(Side.SERVER, Call.PUBLISHED, 1);
        int unused = pair.server().attached().look(SelectionKey.OP_READ);
        Lab.close(pair.client());
        assertThat(Streams.read(waits, pair.server(), ByteBuffer.allocate(200))).isEqualTo(100);
        assertThat(Streams.read(waits, pair.server(), ByteBuffer.allocate(9))).isEqualTo(-1);
    }

    /** The same where it breaks while it is closed, at each look that the close takes at its peer. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void aCloseDuringWhichTheLinkBreaksIsAnEnd(int nth) throws Exception {
        pair = lab.lab.connect();
        Streams.write(waits, pair.client(), ByteBuffer.allocate(100));
        Awaitility.await().until(() -> pair.server().attached().reader().available() == 100);
        lab.faults.newsMicros = -1;
        Link closing = pair.client().attached().link();
        Link reading = pair.server().attached().link();
        AtomicInteger left = new AtomicInteger(nth);
        Thread closer = Thread.currentThread();
        lab.faults.looks = link -> {
            if (link == closing && Thread.currentThread() == closer && left.decrementAndGet() == 0) {
                link.breakNow();
                reading.breakNow();
            }
        };
        Lab.close(pair.client());
        lab.faults.looks = link -> {};
        assertThat(readAll(pair.server())).isEqualTo("the end after 100");
    }

    /** The end that reads has found the link broken, and its word of it comes to a peer that has closed and takes nothing more. */
    @Test
    void aCloseJustBeforeTheReaderSpeaksIsAnEnd() throws Exception {
        CountDownLatch speaks = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        lab.lab.anchors = channel -> isClients(channel)
                ? new StarvedAnchor(new ChannelAnchor(channel), asked -> {
                    if (asked == StarvedAnchor.Asked.SEND && isBroken(pair)) {
                        speaks.countDown();
                        return awaitBeforeSend(asked, closed);
                    }
                    return false;
                })
                : new ChannelAnchor(channel);
        pair = lab.lab.connect();
        talk();
        Streams.write(waits, pair.server(), ByteBuffer.allocate(100));
        Awaitility.await().until(() -> pair.client().attached().reader().available() == 100);
        lab.faults.newsMicros = -1;
        pair.client().attached().link().breakNow();
        speaks.await();
        Lab.close(pair.server());
        SocketChannel refused = Lab.channel(pair.client());
        Awaitility.await().until(() -> {
            try {
                return refused.write(ByteBuffer.allocate(1)) < 0;
            } catch (IOException e) {
                return true;
            }
        });
        closed.countDown();
        assertThat(readAll(pair.client())).isEqualTo("the end after 100");
    }

    private static boolean isBroken(Lab.Pair known) {
        return known != null && (known.client().attached().link().peerState() & Link.BROKEN) != 0;
    }

    /** The words for the case that the link breaks do not reach a program that reads through the kernel up to the switch. */
    @Test
    void theWordOfACloseIsNotTheProgramsBytes() throws Exception {
        pair = lab.lab.connectOnly();
        Streams.write(waits, pair.client(), ByteBuffer.allocate(3));
        Lab.close(pair.client());
        Lab.channel(pair.server()).configureBlocking(false);
        Awaitility.await().until(() -> pair.server().anchor().available() > 1);
        assertThat(pair.server().incoming().available()).isEqualTo(3);
        ByteBuffer got = ByteBuffer.allocate(100);
        assertThat(Streams.read(waits, pair.server(), got)).isEqualTo(3);
        assertThat(Streams.read(waits, pair.server(), got)).isEqualTo(-1);
        assertThat(pair.server().incoming().hasUnread()).isFalse();
    }

    @Test
    void theEndComesBehindWhatIsSentAgain() throws Exception {
        pair = lab.lab.connect();
        breakAt(Side.CLIENT, Call.PUBLISH, 1);
        Streams.write(waits, pair.client(), ByteBuffer.allocate(1_000));
        pair.client().shutdownOutput();
        assertThat(readAll(pair.server())).isEqualTo("the end after 1000");
        Streams.write(waits, pair.server(), ByteBuffer.allocate(5));
        assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(9))).isEqualTo(5);
    }

    private String readAll(StreamSocket socket) {
        ByteBuffer got = ByteBuffer.allocate(2_000);
        try {
            int n;
            do {
                n = Streams.read(waits, socket, got);
            } while (n >= 0);
            return "the end after " + got.position();
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    private void readToTheEnd(StreamSocket socket, ByteBuffer buffer) throws IOException {
        int n;
        do {
            n = Streams.read(waits, socket, buffer.clear());
        } while (n >= 0);
    }

    /** A peer that has died says nothing; its kernel's word counts. */
    @Test
    void aPeerThatIsGoneIsTheEnd() throws Exception {
        pair = lab.lab.connect();
        Streams.write(waits, pair.server(), ByteBuffer.allocate(3));
        breakNow();
        Lab.channel(pair.server()).shutdownOutput(); // as its kernel does; the record may have been said before
        assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(9))).isEqualTo(3);
        assertThat(readAll(pair.client())).isIn("the end after 0", "Connection reset");
    }

    /** The same where what comes from it never switched. */
    @Test
    void aPeerThatIsGoneAndNeverSwitchedIsTheEnd() throws Exception {
        pair = lab.lab.connectOnly();
        Streams.write(waits, pair.server(), ByteBuffer.allocate(3));
        assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(9))).isEqualTo(3);
        assertThat(pair.server().outgoing().link()).isNotNull();
        Lab.channel(pair.client()).close();
        breakNow();
        assertThat(Streams.read(waits, pair.server(), ByteBuffer.allocate(9))).isEqualTo(-1);
        Awaitility.await()
                .atMost(10, TimeUnit.SECONDS)
                .until(() -> pair.server().attached().peer().hasFinished());
        Streams.write(waits, pair.server(), ByteBuffer.allocate(1)); // accepted, as TCP accepts one
        assertThat(Streams.read(waits, pair.server(), ByteBuffer.allocate(9))).isEqualTo(-1);
    }

    /** The peer has not heard of the switch, and has sent nothing over the link: among what it sends no record would be looked for. */
    @Test
    void aDirectionWasJustMovingAndTheOtherNeverHas() throws Exception {
        pair = lab.lab.connectOnly();
        fillKernel(pair.client());
        Streams.write(waits, pair.client(), ByteBuffer.allocate(100));
        assertThat(pair.client().outgoing().link()).isNotNull();
        assertThat(pair.client().attached().writer().announcement().isMade()).isFalse();
        lab.faults.newsMicros = -1;
        pair.client().attached().link().breakNow();
        pair.server().attached().link().breakNow();
        ByteBuffer much = ByteBuffer.allocateDirect(1 << 20);
        assertThatThrownBy(() -> readToTheEnd(pair.client(), much)).hasMessage("Connection reset");
        Lab.close(pair.client());
        assertThatThrownBy(() -> readToTheEnd(pair.server(), much)).hasMessage("Connection reset");
    }

    /** Until there is no room for a byte more, not even after a while in which the peer's kernel takes some. */
    private static void fillKernel(StreamSocket from) throws IOException {
        SocketChannel channel = Lab.channel(from);
        channel.configureBlocking(false);
        ByteBuffer much = ByteBuffer.allocateDirect(1 << 20);
        Awaitility.await().pollInterval(20, TimeUnit.MILLISECONDS).until(() -> {
            int all = 0;
            for (int n = channel.write(much.clear()); n > 0; n = channel.write(much.clear())) {
                from.outgoing().gave(n); // as it did when it had no link
                all += n;
            }
            return all == 0;
        });
    }

    /** An end that can send nothing through the kernel cannot say what it has received. */
    @Test
    void anEndHadEndedWhatItSendsBeforeItsSwitch() throws Exception {
        pair = lab.lab.connectOnly();
        Streams.write(waits, pair.client(), ByteBuffer.allocate(3));
        assertThat(Streams.read(waits, pair.server(), ByteBuffer.allocate(9))).isEqualTo(3);
        pair.server().shutdownOutput();
        lab.faults.newsMicros = -1;
        pair.client().attached().link().breakNow();
        pair.server().attached().link().breakNow();
        ByteBuffer much = ByteBuffer.allocateDirect(1 << 20);
        assertThatThrownBy(() -> readToTheEnd(pair.server(), much)).hasMessage("Connection reset");
        Lab.close(pair.server());
        assertThatThrownBy(() -> {
                    readToTheEnd(pair.client(), much);
                    Streams.send(waits, pair.client(), TOTAL, 1);
                })
                .isInstanceOf(IOException.class);
    }

    /**
     * Some of the bytes that it wrote before its switch may be lost with its reset. As over TCP, the reader or the writer is told of the
     * reset, and the other meets the end or a broken pipe.
     */
    @Test
    void aPeerThatResetsBeforeItsSwitchWasRead() throws Exception {
        pair = lab.lab.connectOnly();
        SocketChannel channel = Lab.channel(pair.client());
        channel.configureBlocking(false);
        ByteBuffer much = ByteBuffer.allocateDirect(1 << 20);
        int n;
        do { // as it did when it had no link
            n = channel.write(much.clear());
            pair.client().outgoing().gave(n);
        } while (n > 0);
        Streams.write(waits, pair.client(), ByteBuffer.allocate(100));
        assertThat(pair.client().outgoing().link()).isNotNull();
        Streams.write(waits, pair.server(), ByteBuffer.allocate(3));
        Background<Long> writer = writerThatWaitsForRoom(pair.server());
        lab.faults.newsMicros = -1;
        pair.server().attached().link().breakNow();
        Awaitility.await().until(() -> pair.client().anchor().available() > 1); // the record, behind the announcement
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        channel.close();
        boolean isReaders = false;
        try {
            readToTheEnd(pair.server(), much);
        } catch (SocketException e) {
            assertThat(e).hasMessage("Connection reset");
            isReaders = true;
        }
        assertThatThrownBy(() -> writer.get(10, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(IOException.class)
                .hasMessage(isReaders ? "Broken pipe" : "Connection reset by peer");
    }

    /**
     * Directions come and go by themselves when the link breaks, anywhere. Some of those connections are reset, which each end's
     * program hears, in one thread or the other; no byte is wrong.
     */
    @Test
    @Timeout(150)
    void restlessConnections() throws Exception {
        lab.close();
        open("balanced", Map.of("ring.size", RING + "B", "handover.after", "random"));
        SplittableRandom random = new SplittableRandom(11);
        int whole = 0;
        for (int round = 0; round < 60; round++) {
            lab.faults.disarm(); // the last link may have been given back before
            pair = lab.lab.connectOnly();
            breakAt(
                    random.nextBoolean() ? Side.CLIENT : Side.SERVER,
                    random.nextBoolean() ? Call.PUBLISH : Call.PUBLISHED,
                    1 + random.nextInt(60));
            List<FutureTask<Long>> atClient = program(pair.client(), 1, 2);
            List<FutureTask<Long>> atServer = program(pair.server(), 2, 1);
            String client = outcome(atClient.get(0)) + ", " + outcome(atClient.get(1));
            String server = outcome(atServer.get(0)) + ", " + outcome(atServer.get(1));
            assertThat(client + server).doesNotContain("wrong byte");
            assertThat(List.of(client, server)).allMatch(end -> !end.contains("end after") || end.contains("IOExc"));
            whole += (client + server).equals("all, allall, all") ? 1 : 0;
            pair.close();
        }
        assertThat(whole).as("connections that went on").isGreaterThan(30);
    }

    private static String outcome(FutureTask<Long> task) throws Exception {
        try {
            return task.get(60, TimeUnit.SECONDS) == TOTAL ? "all" : "not all";
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            return cause instanceof IOException ? "IOException: " + cause.getMessage() : cause.getMessage();
        }
    }
}
