// SPDX-License-Identifier: Apache-2.0
package io.accel.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.FallbackReason;
import io.accel.core.observe.CaptureCounters;
import io.accel.core.observe.ConnectionSample;
import io.accel.core.observe.ConnectionState;
import io.accel.core.observe.Connections;
import io.accel.core.observe.Drop;
import io.accel.core.observe.Figure;
import io.accel.core.observe.Figures;
import io.accel.core.observe.Listing;
import io.accel.core.observe.MemoryUse;
import io.accel.core.observe.ObservedConnection;
import io.accel.core.observe.OrdinaryBuffers;
import io.accel.core.observe.PathName;
import io.accel.core.observe.PollCounters;
import io.accel.core.observe.ProcessCounters;
import io.accel.core.observe.UpgradeCounters;
import io.accel.core.observe.WaitCounters;
import io.accel.profile.Role;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each meter shows its own counter. That counters move when what they count happens is tested where they are. */
class AccelMetricsTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @BeforeEach
    void bind() {
        new AccelMetrics().bindTo(registry);
    }

    @ParameterizedTest
    @EnumSource(
            value = PathName.class,
            names = {"SHM", "RDMA"})
    void connectionsAndWhatTheyCarry(PathName path) {
        String name = path.text();
        Connection connection = new Connection(path);
        double established = value("accel.connections", "path", name, "state", "established");
        double bytesIn = value("accel.bytes", "path", name, "direction", "in");
        double bytesOut = value("accel.bytes", "path", name, "direction", "out");
        double inPlace = value("accel.in.place", "path", name);
        double messagesIn = value("accel.messages", "path", name, "direction", "in");
        double messagesOut = value("accel.messages", "path", name, "direction", "out");
        double publishes = value("accel.publishes", "path", name);
        double stalls = value("accel.stalls", "path", name);
        double stalled = seconds("accel.stalls", "path", name);
        double heard = value("accel.doorbells", "path", name, "direction", "in");
        double rung = value("accel.doorbells", "path", name, "direction", "out");
        double looks = value("accel.poll.turns", "by", "blocking");
        double hits = value("accel.poll.hits", "by", "blocking");
        Listing listing = Connections.opened(connection);
        listing.established();
        try {
            assertThat(value("accel.connections", "path", name, "state", "established") - established)
                    .isEqualTo(1);
            assertThat(value("accel.bytes", "path", name, "direction", "in") - bytesIn)
                    .isEqualTo(2_000);
            assertThat(value("accel.bytes", "path", name, "direction", "out") - bytesOut)
                    .isEqualTo(3_000);
            assertThat(value("accel.in.place", "path", name) - inPlace).isEqualTo(4);
            assertThat(value("accel.messages", "path", name, "direction", "in") - messagesIn)
                    .isEqualTo(5);
            assertThat(value("accel.messages", "path", name, "direction", "out") - messagesOut)
                    .isEqualTo(6);
            assertThat(value("accel.publishes", "path", name) - publishes).isEqualTo(7);
            assertThat(value("accel.publish.size", "path", name)).isPositive();
            assertThat(value("accel.stalls", "path", name) - stalls).isEqualTo(8);
            assertThat(seconds("accel.stalls", "path", name) - stalled).isEqualTo(9);
            assertThat(value("accel.poll.turns", "by", "blocking") - looks).isEqualTo(10);
            assertThat(value("accel.poll.hits", "by", "blocking") - hits).isEqualTo(11);
            assertThat(value("accel.doorbells", "path", name, "direction", "in") - heard)
                    .isEqualTo(12);
            assertThat(value("accel.doorbells", "path", name, "direction", "out") - rung)
                    .isEqualTo(13);
        } finally {
            listing.closed();
        }
        assertThat(value("accel.connections", "path", name, "state", "established") - established)
                .isZero();
        assertThat(value("accel.bytes", "path", name, "direction", "in") - bytesIn)
                .as("kept, though the connection is no more")
                .isEqualTo(2_000);
    }

    @Test
    void beginningsAndEndsOfConnections() {
        assertMoves(
                () -> ProcessCounters.gotPath(Role.CLIENT, PathName.RDMA),
                "accel.connections.opened",
                "path",
                "rdma",
                "role",
                "client");
        assertMoves(
                () -> ProcessCounters.gotPath(Role.SERVER, PathName.KERNEL),
                "accel.connections.opened",
                "path",
                "kernel",
                "role",
                "server");
        assertMoves(
                () -> ProcessCounters.fellBack(Role.SERVER, FallbackReason.SHM_FULL),
                "accel.fallbacks",
                "reason",
                "SHM_FULL",
                "actionable",
                "true",
                "role",
                "server");
        assertTakes(
                () -> ProcessCounters.shookHands(PathName.SHM, TimeUnit.SECONDS.toNanos(3)),
                3,
                "accel.handshakes",
                "path",
                "shm");
        assertMoves(() -> ProcessCounters.wasReset(PathName.SHM), "accel.resets", "path", "shm", "direction", "in");
        assertMoves(() -> ProcessCounters.didReset(PathName.RDMA), "accel.resets", "path", "rdma", "direction", "out");
    }

    @ParameterizedTest
    @EnumSource(Drop.class)
    void drops(Drop drop) {
        assertMoves(() -> ProcessCounters.dropped(drop), "accel.drops", "kind", drop.text());
    }

    @Test
    void looksAndSleepsOfPollers() {
        try (PollCounters poller = new PollCounters()) {
            assertMoves(() -> poller.turn(false), "accel.poll.turns", "by", "poller");
            assertMoves(() -> poller.turn(true), "accel.poll.hits", "by", "poller");
            assertMoves(poller::sleep, "accel.poll.sleeps");
            assertMoves(poller::wakeup, "accel.poll.wakeups");
        }
    }

    @Test
    void waits() {
        for (WaitCounters.Why why : WaitCounters.Why.values()) {
            assertMoves(() -> WaitCounters.slept(why), "accel.wait.sleeps", "why", why.text());
        }
        assertTakes(() -> WaitCounters.offered(TimeUnit.SECONDS.toNanos(4)), 4, "accel.wait.offers");
        assertMoves(WaitCounters::handedOver, "accel.wait.handovers");
        assertTakes(() -> WaitCounters.keptWaiting(TimeUnit.SECONDS.toNanos(5)), 5, "accel.wait.delays");
        assertMoves(WaitCounters::crowded, "accel.wait.crowded");
    }

    @Test
    void upgrades() {
        UpgradeCounters.show("OPEN", 0, 0, 0);
        assertMoves(UpgradeCounters::slower, "accel.upgrade.slower");
        assertMoves(() -> UpgradeCounters.show("OPEN", 1, 0, 0), "accel.upgrade.waiting");
        assertMoves(() -> UpgradeCounters.show("OPEN", 1, 1_000_000_000, 0), "accel.upgrade.price");
        assertMoves(() -> UpgradeCounters.show("OPEN", 1, 0, 1_000_000_000), "accel.upgrade.saving");
    }

    @Test
    void memoryAndCaptures() {
        assertMoves(() -> MemoryUse.rings(PathName.SHM, 1), "accel.memory.rings", "path", "shm");
        MemoryUse.rings(PathName.SHM, -1);
        assertMoves(() -> MemoryUse.registered(1), "accel.memory.registered");
        MemoryUse.registered(-1);
        MemoryUse.cap(0);
        assertMoves(() -> MemoryUse.cap(1), "accel.memory.cap", "path", "shm");
        for (OrdinaryBuffers.Why why : OrdinaryBuffers.Why.values()) {
            assertMoves(() -> OrdinaryBuffers.allocated(why), "accel.in.place.refused", "why", why.text());
        }
        assertMoves(CaptureCounters::begun, "accel.captures");
        CaptureCounters.ended();
        assertMoves(() -> CaptureCounters.packet(true), "accel.capture.packets", "fate", "kept");
        assertMoves(() -> CaptureCounters.packet(false), "accel.capture.packets", "fate", "dropped");
    }

    private void assertMoves(Runnable event, String name, String... tags) {
        double before = value(name, tags);
        event.run();
        assertThat(value(name, tags) - before).as(name).isEqualTo(1);
    }

    private void assertTakes(Runnable event, double seconds, String name, String... tags) {
        double before = seconds(name, tags);
        assertMoves(event, name, tags);
        assertThat(seconds(name, tags) - before).as(name).isEqualTo(seconds);
    }

    /** Of a gauge or a counter; of a timer, how many events it has. */
    private double value(String name, String... tags) {
        return registry.get(name).tags(tags).meter().measure().iterator().next().getValue();
    }

    private double seconds(String name, String... tags) {
        return registry.get(name).tags(tags).functionTimer().totalTime(TimeUnit.SECONDS);
    }

    private record Connection(PathName path) implements ObservedConnection {
        @Override
        public ConnectionState state() {
            return ConnectionState.ESTABLISHED;
        }

        @Override
        public void addTo(Figures figures) {
            figures.add(Figure.BYTES_IN, 2_000)
                    .add(Figure.BYTES_OUT, 3_000)
                    .add(Figure.BYTES_IN_PLACE, 4)
                    .add(Figure.MESSAGES_IN, 5)
                    .add(Figure.MESSAGES_OUT, 6)
                    .add(Figure.PUBLISHES, 7)
                    .add(Figure.STALLS, 8)
                    .add(Figure.STALL_NANOS, TimeUnit.SECONDS.toNanos(9))
                    .add(Figure.LOOKS, 10)
                    .add(Figure.HITS, 11)
                    .add(Figure.RINGS_IN, 12)
                    .add(Figure.RINGS_OUT, 13);
        }

        @Override
        public ConnectionSample sample() {
            throw new UnsupportedOperationException("nobody asks for the figures of this connection");
        }
    }
}
