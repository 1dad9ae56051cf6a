// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.core.fabric.Link;
import io.accel.core.fabric.Shortage;
import io.accel.core.observe.Connections;
import io.accel.core.observe.Figure;
import io.accel.core.observe.PathName;
import io.accel.core.poll.Poller;
import io.accel.testing.Background;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A connection gives its link back while it lives on, and gets another when there is traffic. */
@Timeout(60)
class LinkRetirementTest {
    private static final Map<String, String> SETTINGS = Map.of("ring.size", "16KiB", "handover.idle", "300ms");
    /** A peer's word out of turn would be heard at once, and would show in one of these exchanges. */
    private static final Duration AT_ONCE = Duration.ofMillis(50);

    private Lab lab;
    private BlockingWaits waits;
    private Lab.Pair pair;

    @BeforeEach
    void connect() throws Exception {
        open(Map.of());
    }

    private void open(Map<String, String> settings) throws Exception {
        // For some seconds after a shortage in an earlier test, no link that is idle for a second is kept.
        await().until(() -> !Shortage.isOn(System.nanoTime()));
        Map<String, String> all = new HashMap<>(SETTINGS);
        all.putAll(settings);
        lab = new Lab("balanced", all);
        waits = lab.accelerator.waits();
        pair = lab.connectOnly();
    }

    private void openAnew(Map<String, String> settings) throws Exception {
        close();
        open(settings);
    }

    @AfterEach
    void close() throws Exception {
        pair.close();
        await().until(() -> lab.mappings() == 0);
        lab.close();
    }

    private void send(StreamSocket from, StreamSocket to, int bytes) throws Exception {
        FutureTask<Long> sent = Streams.start(() -> {
            Streams.send(waits, from, bytes, 7);
            return (long) bytes;
        });
        assertThat(Streams.receive(waits, to, bytes, 7)).isEqualTo(bytes);
        assertThat(sent.get(20, TimeUnit.SECONDS)).isEqualTo(bytes);
    }

    private void exchange(int bytes) throws Exception {
        send(pair.client(), pair.server(), bytes);
        send(pair.server(), pair.client(), bytes);
    }

    /** A direction whose reader gets no processor for long goes back from a full ring, and returns to the link. */
    private void exchangeUntilBothGoByTheLink() {
        await().pollDelay(Duration.ZERO).atMost(20, TimeUnit.SECONDS).until(() -> {
            exchange(40_000);
            exchange(10);
            return pair.client().outgoing().link() != null
                    && pair.server().outgoing().link() != null;
        });
    }

    private void awaitGivenBack() {
        await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> {
            for (StreamSocket each : List.of(pair.client(), pair.server())) {
                assertThat(each.attached()).isNull();
                assertThat(each.path().reason()).isEqualTo(FallbackReason.IDLE);
            }
            assertThat(lab.mappings()).isZero();
        });
    }

    /** The number of links when none has been closed for a while. */
    private static long settledSockets() {
        AtomicLong last = new AtomicLong(-1);
        await().pollInterval(100, TimeUnit.MILLISECONDS).until(() -> {
            long now = Lab.sockets();
            return last.getAndSet(now) == now;
        });
        return last.get();
    }

    /** Another connection, which is idle from now on, gives its link back, and does so once more. */
    private void assertKept() throws Exception {
        try (Lab others = new Lab("balanced", SETTINGS)) {
            for (int i = 0; i < 2; i++) {
                Lab.Pair other = others.connect();
                await().atMost(20, TimeUnit.SECONDS).until(() -> other.client().attached() == null);
                other.close();
            }
        }
        assertThat(pair.client().attached()).isNotNull();
    }

    private void awaitLinked() {
        FaultLab.soon(
                () -> { // before it is idle again
                    assertThat(pair.client().handover().isSettled())
                            .as("client: %s", pair.client().path())
                            .isTrue();
                    assertThat(pair.server().handover().isSettled())
                            .as("server: %s", pair.server().path())
                            .isTrue();
                });
    }

    @Test
    void anIdleConnectionGivesItsMemoryBackAndMovesAgainWithTraffic() throws Exception {
        exchange(40_000);
        assertThat(pair.client().path().isAccelerated()).isTrue();
        awaitGivenBack();
        long without = settledSockets();
        for (int round = 0; round < 3; round++) {
            send(pair.client(), pair.server(), 1);
            awaitLinked();
            exchangeUntilBothGoByTheLink();
            assertThat(Lab.sockets()).as("with a doorbell at each end").isEqualTo(without + 2);
            awaitGivenBack();
            FaultLab.soon(() -> assertThat(Lab.sockets()).as("as before").isEqualTo(without));
        }
    }

    @Test
    void aConnectionThatOnlyOneEndWritesTo() throws Exception {
        send(pair.server(), pair.client(), 40_000);
        awaitGivenBack();
        send(pair.server(), pair.client(), 40_000);
        awaitLinked();
        send(pair.server(), pair.client(), 40_000);
        send(pair.server(), pair.client(), 10); // a direction that has gone back from a full ring meanwhile comes again
        assertThat(pair.server().outgoing().link()).isNotNull();
    }

    @Test
    void blockedReadersAreInNobodysWay() throws Exception {
        exchange(1_000);
        Background<Integer> client = reader(pair.client());
        Background<Integer> server = reader(pair.server());
        awaitGivenBack();
        assertThat(client.isDone() || server.isDone()).isFalse();
        Streams.write(waits, pair.client(), ByteBuffer.allocate(3));
        assertThat(server.get(10, TimeUnit.SECONDS)).isEqualTo(3);
        Streams.write(waits, pair.server(), ByteBuffer.allocate(4));
        assertThat(client.get(10, TimeUnit.SECONDS)).isEqualTo(4);
    }

    private Background<Integer> reader(StreamSocket of) throws Exception {
        Background<Integer> reader = Background.start(() -> Streams.read(waits, of, ByteBuffer.allocate(9)));
        reader.awaitAsleep();
        return reader;
    }

    @Test
    void aSelectorSleepsThroughIt() throws Exception {
        exchange(1_000);
        Lab.channel(pair.server()).configureBlocking(false);
        AtomicBoolean over = new AtomicBoolean();
        try (Poller poller = lab.accelerator.openPoller()) {
            var registration = poller.register(pair.server().readiness(), SelectionKey.OP_READ, null);
            for (int round = 0; round < 3; round++) {
                Background<Integer> asleep = Background.start(() -> {
                    int[] found = new int[1];
                    while (found[0] == 0 && !over.get()) {
                        poller.poll(TimeUnit.SECONDS.toNanos(10), (r, ops) -> found[0] |= ops);
                    }
                    return found[0];
                });
                asleep.awaitAsleep();
                awaitGivenBack();
                assertThat(asleep.isDone()).as("woken for nothing").isFalse();
                Streams.write(waits, pair.client(), ByteBuffer.allocate(7));
                assertThat(asleep.get(10, TimeUnit.SECONDS)).isEqualTo(SelectionKey.OP_READ);
                assertThat(Streams.read(waits, pair.server(), ByteBuffer.allocate(9)))
                        .isEqualTo(7);
                awaitLinked();
            }
            registration.close();
        } finally {
            over.set(true);
        }
    }

    @Test
    void aSelectorThatNobodyAsksIsInNobodysWay() throws Exception {
        exchange(1_000);
        Lab.channel(pair.server()).configureBlocking(false);
        try (Poller poller = lab.accelerator.openPoller()) {
            var registration = poller.register(pair.server().readiness(), SelectionKey.OP_READ, null);
            poller.poll(0, (r, ops) -> {});
            awaitGivenBack();
            Streams.write(waits, pair.client(), ByteBuffer.allocate(7));
            int[] found = new int[1];
            poller.poll(TimeUnit.SECONDS.toNanos(10), (r, ops) -> found[0] |= ops);
            assertThat(found[0]).isEqualTo(SelectionKey.OP_READ);
            registration.close();
        }
    }

    @Test
    void aBusyLinkIsKept() throws Exception {
        openAnew(Map.of("handover.idle", "1s")); // much longer than others keep this thread from the next exchange
        LinkStream used = pair.client().attached();
        Duration severalTimes = Duration.ofSeconds(3);
        await().pollInterval(Duration.ofMillis(5)).during(severalTimes).until(() -> {
            exchange(10);
            return pair.client().attached() == used;
        });
    }

    @Test
    void whatIsUnreadIsNotIdle() throws Exception {
        exchange(1_000);
        Streams.write(waits, pair.client(), ByteBuffer.allocate(3));
        assertKept();
        assertThat(Streams.read(waits, pair.server(), ByteBuffer.allocate(9))).isEqualTo(3);
        awaitGivenBack();
    }

    @Test
    void aHalfClosedOneKeepsIts() throws Exception {
        exchange(1_000);
        pair.client().shutdownOutput();
        assertKept();
        send(pair.server(), pair.client(), 1_000);
        assertThat(Streams.read(waits, pair.server(), ByteBuffer.allocate(9))).isEqualTo(-1);
    }

    /** A direction that stays where it is cannot leave the link. */
    @Test
    void oneWithADirectionThatIsFixedKeepsIts() throws Exception {
        for (boolean atClient : new boolean[] {true, false}) {
            exchange(1_000);
            StreamSocket fixed = atClient ? pair.client() : pair.server();
            assertThat(fixed.outgoing().fix()).isNotNull();
            assertKept();
            exchange(1_000);
            assertThat(pair.client().outgoing().link()).isNotNull();
            assertThat(pair.server().outgoing().link()).isNotNull();
            pair.close();
            pair = lab.connectOnly();
        }
    }

    /** Nobody could ask for another. */
    @Test
    void oneWhoseListenerHasClosedKeepsIts() throws Exception {
        exchange(1_000);
        lab.listener.close();
        assertKept();
        exchange(1_000);
    }

    @Test
    void oneThatMustBeAcceleratedKeepsIts() throws Exception {
        openAnew(Map.of("fallback", "fail"));
        exchange(1_000);
        assertKept();
    }

    @Test
    void oneThatIsNeverIdleKeepsIts() throws Exception {
        openAnew(Map.of("handover.idle", "forever"));
        exchange(1_000);
        assertKept();
    }

    /** A peer that speaks out of turn speaks only about itself. */
    @Test
    void aPeerThatSaysOutOfTurnThatItHasLeft() throws Exception {
        openAnew(Map.of("handover.idle", "forever"));
        exchange(1_000);
        pair.client().attached().link().signal(Link.RETIRED);
        await().during(AT_ONCE).until(() -> {
            exchange(1_000);
            return pair.server().attached() != null && pair.server().outgoing().link() != null;
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eitherEndMayBeginToGiveItBack(boolean client) throws Exception {
        openAnew(Map.of("handover.idle", "forever"));
        exchange(1_000);
        (client ? pair.client() : pair.server()).attached().link().signal(Link.RETIRING);
        awaitGivenBack();
        exchange(1_000);
    }

    /** There is room for one link: the idle connection makes way for one that carries something, and cannot drive that out again. */
    @Test
    void oneThatIsIdleMakesWayForAnother() throws Exception {
        openAnew(Map.of("handover.idle", "forever", "handover.after", "0", "shm.max", "100KiB"));
        Lab.Pair other = new Lab.Pair(lab.client(), lab.accept());
        await().until(() -> other.client().path().reason() == FallbackReason.SHM_CAP);
        assertThat(pair.client().path().isAccelerated()).isTrue();
        await().atMost(20, TimeUnit.SECONDS).until(() -> {
            send(other.client(), other.server(), 10);
            return other.client().path().isAccelerated()
                    && other.server().path().isAccelerated();
        });
        assertThat(pair.client().path().reason()).isEqualTo(FallbackReason.IDLE);
        LinkStream used = other.client().attached();
        Duration longEnoughToAskAgain = Duration.ofSeconds(4);
        await().pollInterval(Duration.ofMillis(5)).during(longEnoughToAskAgain).until(() -> {
            exchange(10);
            send(other.client(), other.server(), 10);
            return other.client().attached() == used;
        });
        assertThat(pair.client().path().reason()).isEqualTo(FallbackReason.SHM_CAP);
        other.close();
    }

    @Test
    void allIsCountedOnce() throws Exception {
        // Less than a ring holds, so that no byte goes through the kernel if a reader gets no processor for long.
        int bytes = 10_000;
        long before = Connections.totals(PathName.SHM).get(Figure.BYTES_OUT);
        exchange(bytes);
        assertThat(Connections.totals(PathName.SHM).get(Figure.BYTES_OUT) - before)
                .isEqualTo(2L * bytes);
        awaitGivenBack();
        assertThat(Connections.totals(PathName.SHM).get(Figure.BYTES_OUT) - before)
                .isEqualTo(2L * bytes);
        send(pair.client(), pair.server(), 1);
        awaitLinked();
        exchange(bytes);
        assertThat(Connections.totals(PathName.SHM).get(Figure.BYTES_OUT) - before)
                .isEqualTo(4L * bytes);
        pair.close();
        assertThat(Connections.totals(PathName.SHM).get(Figure.BYTES_OUT) - before)
                .isEqualTo(4L * bytes);
    }

    @Test
    void aCloseInTheMidstOfItIsAnEnd() throws Exception {
        openAnew(Map.of("handover.idle", "100ms"));
        for (int round = 0; round < 30; round++) {
            LinkStream used = pair.client().attached();
            exchange(100);
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> used.retirement().hasBegun() || used.isClosed());
            Streams.write(waits, pair.client(), ByteBuffer.allocate(5));
            Lab.close(pair.client(), false, true);
            assertThat(readAll(pair.server())).isEqualTo(5);
            pair.close();
            pair = lab.connectOnly();
        }
    }

    private int readAll(StreamSocket socket) throws IOException {
        ByteBuffer got = ByteBuffer.allocate(100);
        int n;
        do {
            n = Streams.read(waits, socket, got);
        } while (n >= 0);
        return got.position();
    }

    /** Links come and go all the time, under load in both directions. */
    @Test
    void restlessConnections() throws Exception {
        openAnew(Map.of("handover.after", "random"));
        int bytes = 3_000_000;
        LinkStream first = pair.client().attached();
        for (int round = 0; round < 5; round++) {
            FutureTask<Long> there = Streams.start(() -> {
                Streams.send(waits, pair.client(), bytes, 1);
                return (long) bytes;
            });
            FutureTask<Long> back = Streams.start(() -> {
                Streams.send(waits, pair.server(), bytes, 2);
                return (long) bytes;
            });
            FutureTask<Long> read = Streams.start(() -> Streams.receive(waits, pair.client(), bytes, 2));
            assertThat(Streams.receive(waits, pair.server(), bytes, 1)).isEqualTo(bytes);
            for (FutureTask<Long> each : List.of(there, back, read)) {
                assertThat(each.get(20, TimeUnit.SECONDS)).isEqualTo(bytes);
            }
        }
        await().until(() -> pair.client().attached() != first);
    }

    /** Each selector finds the bytes that come, over whichever link. */
    @Test
    void registrationsComeAndGoWithLinks() throws Exception {
        openAnew(Map.of("handover.after", "random"));
        Lab.channel(pair.server()).configureBlocking(false);
        try (Poller first = lab.accelerator.openPoller();
                Poller second = lab.accelerator.openPoller()) {
            var lasting = first.register(pair.server().readiness(), SelectionKey.OP_READ, null);
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
            for (int round = 0; System.nanoTime() - end < 0; round++) {
                var passing = second.register(pair.server().readiness(), SelectionKey.OP_READ, null);
                Streams.write(waits, pair.client(), ByteBuffer.allocate(1));
                for (Poller each : List.of(second, first)) {
                    int[] found = new int[1];
                    long start = System.nanoTime();
                    while (found[0] == 0 && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(10)) {
                        each.poll(TimeUnit.SECONDS.toNanos(10), (r, ops) -> found[0] |= ops);
                    }
                    assertThat(found[0]).as("round %s", round).isEqualTo(SelectionKey.OP_READ);
                }
                assertThat(Streams.read(waits, pair.server(), ByteBuffer.allocate(2)))
                        .isEqualTo(1);
                Streams.write(waits, pair.server(), ByteBuffer.allocate(1));
                assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(2)))
                        .isEqualTo(1);
                passing.close();
            }
            lasting.close();
        }
    }
}
