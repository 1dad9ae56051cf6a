// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.observe.CaptureCounters;
import io.accel.core.observe.ConnectionState;
import io.accel.core.observe.Connections;
import io.accel.core.observe.Durations;
import io.accel.core.observe.Figure;
import io.accel.core.observe.MemoryUse;
import io.accel.core.observe.PathName;
import io.accel.core.observe.PollCounters;
import io.accel.core.observe.ProcessCounters;
import io.accel.core.poll.Poller;
import io.accel.profile.Role;
import io.accel.testing.Background;
import io.accel.testing.SettledCount;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Every counter moves when its event happens. The counters are of the whole process, in which no other test runs at the same time.
 * So each test looks at differences, once the connections of earlier tests are gone.
 */
class CountersTest {
    private static final int RING = 16 * 1024;
    private static final Duration STALL = Duration.ofMillis(20);
    private static final Map<String, String> SMALL = Map.of("ring.size", "16KiB");

    /** Connections that earlier tests have closed give their memory back a moment later, and forgotten ones go with the collector. */
    @BeforeEach
    void awaitNothingElse() {
        await().atMost(20, TimeUnit.SECONDS).until(() -> {
            System.gc();
            return Connections.all().isEmpty();
        });
        long unused = SettledCount.of(() -> MemoryUse.rings(PathName.SHM));
    }

    @Test
    void connectionsByPathAndState() throws Exception {
        try (Lab lab = new Lab("balanced", SMALL)) {
            Moved established =
                    new Moved("established", () -> Connections.count(PathName.SHM, ConnectionState.ESTABLISHED));
            Moved half = new Moved("half-closed", () -> Connections.count(PathName.SHM, ConnectionState.HALF_CLOSED));
            Moved clients = opened(Role.CLIENT, PathName.SHM);
            Moved servers = opened(Role.SERVER, PathName.SHM);
            Moved memory = new Moved("memory", () -> MemoryUse.rings(PathName.SHM));
            Durations handshakes = ProcessCounters.handshakes(PathName.SHM);
            long before = handshakes.count();
            long timeBefore = handshakes.nanos();

            Lab.Pair pair = lab.connect();
            established.by(2);
            clients.by(1);
            servers.by(1);
            memory.by(2 * (4096 + 2 * RING)); // either end maps the file
            assertThat(handshakes.count() - before).isEqualTo(1);
            assertThat(handshakes.nanos() - timeBefore).isBetween(1_000L, 10_000_000_000L);

            pair.client().attached().writer().shutdown();
            established.by(0);
            half.by(2);

            pair.close();
            half.by(0);
            memory.by(0);
            clients.by(1);
        }
    }

    @Test
    void bytesMessagesAndPublishes() throws Exception {
        try (Lab lab = new Lab("balanced", SMALL)) {
            Lab.Pair pair = lab.connect();
            Moved in = figure(Figure.BYTES_IN);
            Moved out = figure(Figure.BYTES_OUT);
            Moved reads = figure(Figure.MESSAGES_IN);
            Moved writes = figure(Figure.MESSAGES_OUT);
            Moved publishes = figure(Figure.PUBLISHES);
            for (int i = 0; i < 10; i++) {
                Streams.writeLink(pair.client(), 100);
            }
            out.by(1_000);
            writes.by(10);
            publishes.by(10);
            in.by(0);
            assertThat(Streams.readLink(pair.server(), 600)).isEqualTo(600);
            assertThat(Streams.readLink(pair.server(), 600)).isEqualTo(400);
            in.by(1_000);
            reads.by(2);
            pair.close();
            out.by(1_000); // kept, although the connection is gone
            in.by(1_000);
            writes.by(10);
            publishes.by(10);
        }
    }

    @Test
    void stallsAndTheirTime() throws Exception {
        try (Lab lab = new Lab("balanced", SMALL)) {
            Moved stalls = figure(Figure.STALLS);
            Moved stallNanos = figure(Figure.STALL_NANOS);
            Lab.Pair pair = lab.connect();
            int room = RING - 64 - 1; // the preface and a byte, whose room comes back by the quarter
            assertThat(Streams.writeLink(pair.client(), RING + 1)).isEqualTo(room);
            assertThat(Streams.writeLink(pair.client(), 1)).isZero(); // the same stall still
            assertThat(stalls.now()).as("stalls of %s", pair.client().path()).isEqualTo(1);
            Lab.awaitStall(STALL);
            assertThat(Streams.readLink(pair.server(), RING)).isEqualTo(room);
            assertThat(Streams.writeLink(pair.client(), 1)).isEqualTo(1);
            assertThat(stalls.now()).isEqualTo(1);
            assertThat(stallNanos.now()).isGreaterThanOrEqualTo(STALL.toNanos());
            pair.close();
            assertThat(stalls.now()).isEqualTo(1);
        }
    }

    @Test
    void aSleepADoorbellAndAWakeUp() throws Exception {
        try (Lab lab = new Lab("low-cpu", SMALL);
                Poller poller = lab.accelerator.openPoller()) {
            Lab.Pair pair = lab.connect();
            var registration = poller.register(pair.server().readiness(), SelectionKey.OP_READ, null);
            Moved rung = figure(Figure.RINGS_OUT);
            Moved heard = figure(Figure.RINGS_IN);
            Moved sleeps = new Moved("sleeps", () -> PollCounters.totals().sleeps());
            Moved wakeups = new Moved("wakeups", () -> PollCounters.totals().wakeups());
            // Long enough for a sleep even if the thread has had no processor for a while.
            assertThat(poller.poll(200_000_000, (r, ops) -> {})).isZero();
            assertThat(sleeps.now()).isGreaterThanOrEqualTo(1);
            wakeups.by(0);

            Background<Integer> polling =
                    Background.start(() -> poller.poll(TimeUnit.SECONDS.toNanos(20), (r, ops) -> {}));
            polling.awaitAsleep();
            Streams.writeLink(pair.client(), 1);
            assertThat(polling.get(10, TimeUnit.SECONDS)).isEqualTo(1);
            assertThat(rung.now()).isGreaterThanOrEqualTo(1);
            assertThat(heard.now()).isGreaterThanOrEqualTo(1);
            assertThat(wakeups.now()).isGreaterThanOrEqualTo(1);
            registration.close();
            pair.close();
        }
    }

    @Test
    void turnsAndHitsOfPollers() throws Exception {
        Moved turns = new Moved("turns", () -> PollCounters.totals().turns());
        Moved hits = new Moved("hits", () -> PollCounters.totals().hits());
        try (Lab lab = new Lab("balanced", SMALL);
                Poller poller = lab.accelerator.openPoller()) {
            Lab.Pair pair = lab.connect();
            var registration = poller.register(pair.server().readiness(), SelectionKey.OP_READ, null);
            Streams.writeLink(pair.client(), 1);
            long before = hits.now();
            for (int i = 0; i < 10; i++) {
                assertThat(poller.poll(-1, (r, ops) -> {})).isEqualTo(1);
            }
            assertThat(hits.now() - before).isEqualTo(10);
            assertThat(turns.now()).isGreaterThanOrEqualTo(10);
            registration.close();
            pair.close();
        }
        assertThat(hits.now()).as("of a closed poller").isGreaterThanOrEqualTo(10);
    }

    @Test
    void looksAndHitsOfBlockingCalls() throws Exception {
        // The reader has to look until the byte is there, whatever other threads want the cores.
        Map<String, String> looking = new HashMap<>(SMALL);
        looking.put("poll.yield", "never");
        try (Lab lab = new Lab("latency", looking)) {
            Lab.Pair pair = lab.connect();
            Moved looks = figure(Figure.LOOKS);
            Moved hits = figure(Figure.HITS);
            Background<Integer> reading = Background.start(
                    () -> Streams.read(lab.accelerator.waits(), pair.server(), ByteBuffer.allocate(1)));
            reading.awaitIn(BlockingWaits.class, "await");
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            long before = threads.getThreadCpuTime(reading.thread().getId());
            await().until(() -> threads.getThreadCpuTime(reading.thread().getId()) - before > 10_000_000);
            Streams.writeLink(pair.client(), 1);
            assertThat(reading.get(20, TimeUnit.SECONDS)).isEqualTo(1);
            assertThat(looks.now()).isGreaterThanOrEqualTo(100);
            assertThat(hits.now()).isEqualTo(1);
            pair.close();
        }
    }

    @Test
    void fallbacksByReason() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("connect.probe-timeout", "50ms"))) {
            Moved timeouts = fallbacks(Role.CLIENT, FallbackReason.TIMEOUT);
            Moved unasked = fallbacks(Role.SERVER, FallbackReason.PEER_NOT_ACCELERATED);
            Moved kernel = new Moved("kernel", () -> Connections.count(PathName.KERNEL, ConnectionState.ESTABLISHED));
            Moved clients = opened(Role.CLIENT, PathName.KERNEL);
            Moved servers = opened(Role.SERVER, PathName.KERNEL);
            try (SocketChannel plain = JdkAccess.kernelProvider().openSocketChannel()) {
                plain.connect(lab.address);
                StreamSocket accepted = lab.accept();
                kernel.by(1);
                Lab.close(accepted);
                unasked.by(1);
                servers.by(1);
                kernel.by(0);
            }
            lab.silence();
            StreamSocket client = lab.client();
            // It asks more than once, where there is traffic, before it stays with the kernel.
            await().atMost(20, TimeUnit.SECONDS).until(() -> {
                Streams.write(lab.accelerator.waits(), client, ByteBuffer.allocate(1));
                return timeouts.now() > 0;
            });
            timeouts.by(1);
            clients.by(1);
            Lab.close(client);
        }
    }

    @Test
    void aRuleIsAReason() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("rule.1", "kernel client *:*"))) {
            Moved rules = fallbacks(Role.CLIENT, FallbackReason.RULE);
            StreamSocket client = lab.client();
            rules.by(1);
            Lab.close(client);
        }
    }

    @Test
    void resetsEitherWay() throws Exception {
        try (Lab lab = new Lab("balanced", SMALL)) {
            Moved did = new Moved("resets out", () -> ProcessCounters.resetsOut(PathName.SHM));
            Moved was = new Moved("resets in", () -> ProcessCounters.resetsIn(PathName.SHM));
            Lab.Pair pair = lab.connect();
            pair.client().close(() -> true, false);
            did.by(1);
            was.by(0);
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> Streams.readLink(pair.server(), 1)).hasMessage("Connection reset");
            }
            was.by(1);
            pair.close();
            was.by(1);
            did.by(1);
        }
    }

    @Test
    void capturesUnderWayAndWhatTheyKeep() throws Exception {
        try (Lab lab = new Lab("balanced", SMALL)) {
            Lab.Pair pair = lab.connect();
            Moved underWay = new Moved("captures", CaptureCounters::running);
            Moved kept = new Moved("packets kept", () -> CaptureCounters.packets(true));
            Moved dropped = new Moved("packets dropped", () -> CaptureCounters.packets(false));
            Recording recording = Recording.of(lab.address.getPort());
            underWay.by(1);
            assertThat(Streams.writeLink(pair.client(), 100)).isEqualTo(100);
            assertThat(Streams.readLink(pair.server(), 100)).isEqualTo(100);
            int packets = recording.end().packets();
            assertThat(packets).isPositive();
            kept.by(packets);
            dropped.by(0);
            underWay.by(0);
            pair.close();
        }
    }

    // ---- what has moved since

    private static final class Moved {
        private final String name;
        private final LongSupplier counter;
        private final long before;

        Moved(String name, LongSupplier counter) {
            this.name = name;
            this.counter = counter;
            this.before = counter.getAsLong();
        }

        long now() {
            return counter.getAsLong() - before;
        }

        void by(long expected) {
            // A server learns of its client's end a moment later.
            await(name).atMost(10, TimeUnit.SECONDS).until(() -> now() == expected);
        }
    }

    /** Of shared memory; no test has another link. */
    private static Moved figure(Figure figure) {
        return new Moved(figure.text(), () -> Connections.totals(PathName.SHM).get(figure));
    }

    private static Moved opened(Role role, PathName path) {
        return new Moved(role + "s by " + path, () -> ProcessCounters.connections(role, path));
    }

    private static Moved fallbacks(Role role, FallbackReason reason) {
        return new Moved(reason + " of " + role, () -> ProcessCounters.fallbacks(role, reason));
    }
}
