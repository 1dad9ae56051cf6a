// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.core.Background;
import io.accel.core.SettledCount;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.observe.Connections;
import io.accel.core.observe.MemoryUse;
import io.accel.core.observe.PathName;
import io.accel.core.poll.Poller;
import io.accel.metrics.AccelMetrics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Every metric moves when its event happens. Metrics are of the whole process, in which no other test runs at the same time.
 * So each test looks at differences, once the connections of earlier tests are gone.
 */
class AccelMetricsTest {
    private static final int RING = 16 * 1024;
    private static final Map<String, String> SMALL = Map.of("ring.size", "16KiB");

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @BeforeEach
    void bind() {
        awaitNothingElse();
        new AccelMetrics().bindTo(registry);
    }

    /** Connections that earlier tests have closed give their memory back a moment later, and forgotten ones go with the collector. */
    private static void awaitNothingElse() {
        await().atMost(20, TimeUnit.SECONDS).until(() -> {
            System.gc();
            return Connections.all().isEmpty();
        });
        long unused = SettledCount.of(() -> MemoryUse.rings(PathName.SHM));
    }

    @Test
    void connectionsByPathAndState() throws Exception {
        try (Lab lab = new Lab("balanced", SMALL)) {
            Moved established = gauge("accel.connections", "path", "shm", "state", "established");
            Moved half = gauge("accel.connections", "path", "shm", "state", "half-closed");
            Moved clients = counter("accel.connections.opened", "path", "shm", "role", "client");
            Moved servers = counter("accel.connections.opened", "path", "shm", "role", "server");
            Moved memory = gauge("accel.memory.rings", "path", "shm");
            FunctionTimer handshakes = timer("accel.handshakes", "path", "shm");
            double before = handshakes.count();
            double timeBefore = handshakes.totalTime(TimeUnit.NANOSECONDS);

            Lab.Pair pair = lab.connect();
            established.by(2);
            clients.by(1);
            servers.by(1);
            memory.by(2 * (4096 + 2 * RING)); // either end maps the file
            assertThat(handshakes.count() - before).isEqualTo(1);
            assertThat(handshakes.totalTime(TimeUnit.NANOSECONDS) - timeBefore).isBetween(1_000.0, 1e10);

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
            Moved in = counter("accel.bytes", "path", "shm", "direction", "in");
            Moved out = counter("accel.bytes", "path", "shm", "direction", "out");
            Moved reads = counter("accel.messages", "path", "shm", "direction", "in");
            Moved writes = counter("accel.messages", "path", "shm", "direction", "out");
            Moved publishes = counter("accel.publishes", "path", "shm");
            for (int i = 0; i < 10; i++) {
                write(pair.client(), 100);
            }
            out.by(1_000);
            writes.by(10);
            publishes.by(10);
            in.by(0);
            assertThat(read(pair.server(), 600)).isEqualTo(600);
            assertThat(read(pair.server(), 600)).isEqualTo(400);
            in.by(1_000);
            reads.by(2);
            assertThat(registry.get("accel.publish.size")
                            .tags("path", "shm")
                            .gauge()
                            .value())
                    .isPositive();
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
            FunctionTimer stalls = timer("accel.stalls", "path", "shm");
            double before = stalls.count();
            double timeBefore = stalls.totalTime(TimeUnit.MILLISECONDS);
            Lab.Pair pair = lab.connect();
            int room = RING - 64 - 1; // the preface and a byte, whose room comes back by the quarter
            assertThat(write(pair.client(), RING + 1)).isEqualTo(room);
            assertThat(write(pair.client(), 1)).isZero(); // the same stall still
            assertThat(stalls.count() - before)
                    .as("stalls of %s", pair.client().path())
                    .isEqualTo(1);
            Thread.sleep(20);
            assertThat(read(pair.server(), RING)).isEqualTo(room);
            assertThat(write(pair.client(), 1)).isEqualTo(1);
            assertThat(stalls.count() - before).isEqualTo(1);
            assertThat(stalls.totalTime(TimeUnit.MILLISECONDS) - timeBefore).isGreaterThanOrEqualTo(20);
            pair.close();
            assertThat(stalls.count() - before).isEqualTo(1);
        }
    }

    @Test
    void aSleepADoorbellAndAWakeUp() throws Exception {
        try (Lab lab = new Lab("low-cpu", SMALL);
                Poller poller = lab.accelerator.openPoller()) {
            Lab.Pair pair = lab.connect();
            var registration = poller.register(pair.server().readiness(), SelectionKey.OP_READ, null);
            Moved rung = counter("accel.doorbells", "path", "shm", "direction", "out");
            Moved heard = counter("accel.doorbells", "path", "shm", "direction", "in");
            Moved sleeps = counter("accel.poll.sleeps");
            Moved wakeups = counter("accel.poll.wakeups");
            // Long enough for a sleep even if the thread has had no processor for a while.
            assertThat(poller.poll(200_000_000, (r, ops) -> {})).isZero();
            assertThat(sleeps.now()).isGreaterThanOrEqualTo(1);
            wakeups.by(0);

            FutureTask<Integer> polling =
                    Streams.start(() -> poller.poll(TimeUnit.SECONDS.toNanos(20), (r, ops) -> {}));
            // The thread may look once more just when the byte comes, and then does not sleep: so bytes are sent until
            // it has slept.
            await().until(() -> {
                Thread.sleep(20);
                write(pair.client(), 1);
                return polling.isDone();
            });
            assertThat(polling.get()).isEqualTo(1);
            assertThat(rung.now()).isGreaterThanOrEqualTo(1);
            assertThat(heard.now()).isGreaterThanOrEqualTo(1);
            assertThat(wakeups.now()).isGreaterThanOrEqualTo(1);
            registration.close();
            pair.close();
        }
    }

    @Test
    void turnsAndHitsOfPollers() throws Exception {
        Moved turns = counter("accel.poll.turns", "by", "poller");
        Moved hits = counter("accel.poll.hits", "by", "poller");
        try (Lab lab = new Lab("balanced", SMALL);
                Poller poller = lab.accelerator.openPoller()) {
            Lab.Pair pair = lab.connect();
            var registration = poller.register(pair.server().readiness(), SelectionKey.OP_READ, null);
            write(pair.client(), 1);
            double before = hits.now();
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
            Moved looks = counter("accel.poll.turns", "by", "blocking");
            Moved hits = counter("accel.poll.hits", "by", "blocking");
            Background<Integer> reading = Background.start(
                    () -> Streams.read(lab.accelerator.waits(), pair.server(), ByteBuffer.allocate(1)));
            reading.awaitIn(BlockingWaits.class, "await");
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            long before = threads.getThreadCpuTime(reading.thread().getId());
            await().until(() -> threads.getThreadCpuTime(reading.thread().getId()) - before > 10_000_000);
            write(pair.client(), 1);
            assertThat(reading.get(20, TimeUnit.SECONDS)).isEqualTo(1);
            assertThat(looks.now()).isGreaterThanOrEqualTo(100);
            assertThat(hits.now()).isEqualTo(1);
            pair.close();
        }
    }

    @Test
    void fallbacksByReason() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("connect.probe-timeout", "50ms"))) {
            Moved timeouts = counter("accel.fallbacks", "reason", "TIMEOUT", "role", "client");
            Moved unasked = counter("accel.fallbacks", "reason", "PEER_NOT_ACCELERATED", "role", "server");
            Moved kernel = gauge("accel.connections", "path", "kernel", "state", "established");
            Moved clients = counter("accel.connections.opened", "path", "kernel", "role", "client");
            Moved servers = counter("accel.connections.opened", "path", "kernel", "role", "server");
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
            Moved rules = counter("accel.fallbacks", "reason", "RULE", "role", "client");
            StreamSocket client = lab.client();
            rules.by(1);
            Lab.close(client);
        }
    }

    @Test
    void resetsEitherWay() throws Exception {
        try (Lab lab = new Lab("balanced", SMALL)) {
            Moved did = counter("accel.resets", "path", "shm", "direction", "out");
            Moved was = counter("accel.resets", "path", "shm", "direction", "in");
            Lab.Pair pair = lab.connect();
            pair.client().close(() -> true, false);
            did.by(1);
            was.by(0);
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> read(pair.server(), 1)).hasMessage("Connection reset");
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
            Moved underWay = gauge("accel.captures");
            Moved kept = counter("accel.capture.packets", "fate", "kept");
            Moved dropped = counter("accel.capture.packets", "fate", "dropped");
            Recording recording = Recording.of(lab.address.getPort());
            underWay.by(1);
            assertThat(write(pair.client(), 100)).isEqualTo(100);
            assertThat(read(pair.server(), 100)).isEqualTo(100);
            int packets = recording.end().packets();
            assertThat(packets).isPositive();
            kept.by(packets);
            dropped.by(0);
            underWay.by(0);
            pair.close();
        }
    }

    // ---- what has moved since

    private interface Meter {
        double value();
    }

    private static final class Moved {
        private final String name;
        private final Meter meter;
        private final double before;

        Moved(String name, Meter meter) {
            this.name = name;
            this.meter = meter;
            this.before = meter.value();
        }

        double now() {
            return meter.value() - before;
        }

        void by(double expected) {
            // A server learns of its client's end a moment later.
            await(name).atMost(10, TimeUnit.SECONDS).until(() -> now() == expected);
        }
    }

    private Moved gauge(String name, String... tags) {
        Gauge gauge = registry.get(name).tags(tags).gauge();
        return new Moved(name + List.of(tags), gauge::value);
    }

    private Moved counter(String name, String... tags) {
        FunctionCounter counter = registry.get(name).tags(tags).functionCounter();
        return new Moved(name + List.of(tags), counter::count);
    }

    private FunctionTimer timer(String name, String... tags) {
        return registry.get(name).tags(tags).functionTimer();
    }

    private static int write(StreamSocket socket, int bytes) throws IOException {
        LinkStream stream = socket.attached();
        stream.writer().lock();
        try {
            return stream.writer().write(ByteBuffer.allocate(bytes));
        } finally {
            stream.writer().unlock();
        }
    }

    private static int read(StreamSocket socket, int most) throws IOException {
        LinkStream stream = socket.attached();
        stream.reader().lock();
        try {
            return stream.reader().read(ByteBuffer.allocate(most));
        } finally {
            stream.reader().unlock();
        }
    }
}
