// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.core.poll.Poller;
import io.accel.core.poll.Registration;
import io.accel.testing.Background;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A closed connection's memory and descriptors go at once, whatever else was going on, and nothing stays behind. */
@EnabledOnOs(OS.LINUX)
class MemoryGivenBackTest {
    private Lab lab;

    @BeforeEach
    void open() throws Exception {
        lab = new Lab("balanced", Map.of());
    }

    @AfterEach
    void close() throws Exception {
        lab.close();
    }

    @Test
    void whenNobodyIsInIt() throws Exception {
        Lab.Pair pair = lab.connect();
        assertThat(lab.mappings()).isEqualTo(2);
        assertThat(lab.content())
                .as("unlinked")
                .allMatch(file -> !file.getFileName().toString().startsWith("ring-"));
        pair.client().close(() -> false, false);
        awaitMappings(lab, 1);
        pair.server().close(() -> false, false);
        awaitMappings(lab, 0);
    }

    @Test
    void thoughItIsRegisteredWithAPollerThatNobodyPolls() throws Exception {
        Lab.Pair pair = lab.connect();
        try (Poller one = lab.accelerator.openPoller();
                Poller two = lab.accelerator.openPoller()) {
            one.register(pair.client().readiness(), SelectionKey.OP_READ, null);
            two.register(pair.client().readiness(), SelectionKey.OP_WRITE, null);
            one.poll(0, (registration, ops) -> {});
            pair.client().close(() -> false, false);
            awaitMappings(lab, 1);
            pair.server().close(() -> false, false);
        }
    }

    /** A socket that is being closed frees its link before it ends its registrations. */
    @Test
    void whoRegistersWhenItIsFreedIsRefused() throws Exception {
        Lab.Pair pair = lab.connect();
        pair.client().attached().close(null, false);
        awaitMappings(lab, 1);
        try (Poller poller = lab.accelerator.openPoller()) {
            assertThatThrownBy(() -> poller.register(pair.client().readiness(), SelectionKey.OP_READ, null))
                    .isInstanceOf(ClosedChannelException.class);
        }
        pair.close();
        awaitMappings(lab, 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"latency", "balanced", "low-cpu"})
    void whileAPollerSleepsOrSpinsOnIt(String preset) throws Exception {
        try (Lab other = new Lab(preset, Map.of());
                Poller poller = other.accelerator.openPoller()) {
            Lab.Pair pair = other.connect();
            poller.register(pair.client().readiness(), SelectionKey.OP_READ, null);
            Background<Integer> polling = Background.start(() -> poller.poll(-1, (registration, ops) -> {}));
            polling.awaitIn(Poller.class, "poll");
            pair.client().close(() -> false, false);
            await().pollInterval(Duration.ofMillis(1)).until(() -> other.mappings() == 1);
            poller.wakeup();
            polling.get(10, TimeUnit.SECONDS);
            pair.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"latency", "balanced", "low-cpu"})
    void whileAReaderWaits(String preset) throws Exception {
        try (Lab other = new Lab(preset, Map.of())) {
            Lab.Pair pair = other.connect();
            Background<Integer> reading = Background.start(
                    () -> Streams.read(other.accelerator.waits(), pair.client(), ByteBuffer.allocate(8)));
            reading.awaitIn(BlockingWaits.class, "await");
            pair.client().close(() -> false, false);
            assertThatThrownBy(() -> reading.get(10, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(AsynchronousCloseException.class);
            awaitMappings(other, 1);
            pair.close();
            awaitMappings(other, 0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"latency", "balanced", "low-cpu"})
    void whileAWriterWaits(String preset) throws Exception {
        try (Lab other = new Lab(preset, Map.of("ring.size", "16KiB"))) {
            Lab.Pair pair = other.connect();
            assertThat(pair.client().outgoing().fix())
                    .as("a direction that waits")
                    .isNotNull();
            Background<Void> writing = Background.start(() -> {
                Streams.write(other.accelerator.waits(), pair.client(), ByteBuffer.allocate(1 << 20));
                return null;
            });
            writing.awaitIn(BlockingWaits.class, "await");
            pair.client().close(() -> false, false);
            assertThatThrownBy(() -> writing.get(10, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(AsynchronousCloseException.class);
            awaitMappings(other, 1);
            pair.close();
            awaitMappings(other, 0);
        }
    }

    @Test
    void theHandshakesToo() throws Exception {
        lab.silence();
        StreamSocket client = lab.client();
        Lab.close(client);
        awaitMappings(lab, 0);
        assertThat(lab.content()).hasSize(2);
    }

    /** A client waits without memory until the program has accepted its connection. */
    @Test
    void connectionsThatNobodyAcceptedHaveNone() throws Exception {
        for (int i = 0; i < 10; i++) {
            StreamSocket client = lab.client();
            awaitMappings(lab, 0);
            Lab.close(client);
        }
        assertThat(lab.content()).hasSize(2);
    }

    @Test
    void twoThousandConnectionsLeaveNothing() throws Exception {
        try (Poller poller = lab.accelerator.openPoller()) {
            for (int i = 0; i < 20; i++) {
                exchange(lab.connect(), poller, i);
            }
            awaitCalm();
            long descriptors = Lab.descriptors();
            for (int i = 0; i < 2_000; i++) {
                exchange(lab.connect(), poller, i);
            }
            awaitCalm(); // the thread that moved the last connection may still be looking at it
            assertThat(lab.content()).hasSize(2);
            // The pool of pollers may have grown by one or two; a leak would be thousands.
            await().untilAsserted(() -> assertThat(Lab.descriptors()).isLessThanOrEqualTo(descriptors + 16));
        }
    }

    /** A socket that is closed before it could be waited for costs nothing either. */
    @Test
    void waitsForAClosedSocketLeaveNothing() throws Exception {
        Lab.Pair pair = lab.connect();
        LinkStream link = pair.client().attached();
        pair.close();
        BlockingWaits waits = lab.accelerator.waits();
        waits.await(link, SelectionKey.OP_READ, 1_000_000);
        long descriptors = Lab.descriptors();
        for (int i = 0; i < 100; i++) {
            waits.await(link, SelectionKey.OP_READ, 1_000_000);
        }
        assertThat(Lab.descriptors()).isLessThanOrEqualTo(descriptors + 4); // one selector
    }

    @Test
    void afterItClosedNothingCanBeDoneWithIt() throws Exception {
        Lab.Pair pair = lab.connect();
        LinkStream stream = pair.client().attached();
        pair.close();
        stream.reader().lock();
        try {
            assertThatThrownBy(() -> stream.reader().read(ByteBuffer.allocate(1)))
                    .isInstanceOf(AsynchronousCloseException.class);
        } finally {
            stream.reader().unlock();
        }
        stream.writer().lock();
        try {
            assertThatThrownBy(() -> stream.writer().write(ByteBuffer.allocate(1)))
                    .isInstanceOf(AsynchronousCloseException.class);
        } finally {
            stream.writer().unlock();
        }
        assertThat(stream.reader().available()).isZero();
        stream.writer().shutdown();
        pair.client().shutdownInput();
        try (Poller poller = lab.accelerator.openPoller()) {
            assertThatThrownBy(() -> poller.register(pair.client().readiness(), SelectionKey.OP_READ, null))
                    .isInstanceOf(ClosedChannelException.class);
        }
        assertThat(Path.of("/proc/self/maps")).exists();
    }

    private void exchange(Lab.Pair pair, Poller poller, int i) throws Exception {
        Lab.channel(pair.server()).configureBlocking(i % 2 != 0);
        Registration registration =
                i % 2 == 0 ? poller.register(pair.server().readiness(), SelectionKey.OP_READ, null) : null;
        Streams.write(lab.accelerator.waits(), pair.client(), ByteBuffer.allocate(10));
        if (registration != null) {
            assertThat(poller.poll(-1, (r, ops) -> {})).isPositive();
        }
        ByteBuffer got = ByteBuffer.allocate(20);
        assertThat(Streams.read(lab.accelerator.waits(), pair.server(), got)).isEqualTo(10);
        pair.close();
    }

    /** The daemon that brought the link about may hold a share in it for a moment more than those who use it. */
    private static void awaitMappings(Lab of, long expected) {
        await().pollInterval(Duration.ofMillis(1)).until(() -> of.mappings() == expected);
    }

    private void awaitCalm() throws Exception {
        await().during(Duration.ofMillis(150)).atMost(Duration.ofSeconds(10)).until(() -> lab.mappings() == 0);
    }
}
