// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.poll.Poller;
import io.accel.core.poll.Registration;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Connections that are closed at any moment of others' reads, writes, polls and looks: memory that was given back too early
 * crashes the JVM, and memory that was not given back shows in its map.
 */
class CloseStressTest {
    private static final long DURATION = TimeUnit.MILLISECONDS.toNanos(2_000);
    private static final int ENOUGH = 50;

    @ParameterizedTest
    @ValueSource(strings = {"0", "20us"})
    void closedAtAnyMoment(String spin) throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("poll.spin", spin, "ring.size", "16KiB"));
                Poller poller = lab.accelerator.openPoller()) {
            AtomicBoolean stop = new AtomicBoolean();
            FutureTask<Void> polling = Streams.start(() -> {
                while (!stop.get()) {
                    poller.poll(-1, (registration, ops) -> {});
                }
                return null;
            });
            int lives = 0;
            try {
                BlockingWaits waits = lab.accelerator.waits();
                long start = System.nanoTime();
                while (goesOn(start, lives)) {
                    Lab.Pair pair = lab.connect();
                    poller.register(pair.client().readiness(), SelectionKey.OP_READ, null);
                    List<FutureTask<Void>> users = List.of(
                            Streams.start(
                                    () -> use(() -> Streams.read(waits, pair.client(), ByteBuffer.allocate(5_000)))),
                            Streams.start(
                                    () -> use(() -> Streams.write(waits, pair.client(), ByteBuffer.allocate(9_000)))),
                            Streams.start(
                                    () -> use(() -> Streams.write(waits, pair.server(), ByteBuffer.allocate(3_000)))));
                    spinFor(lives * 7_919L % 400_000);
                    FutureTask<Void> closing = Streams.start(() -> {
                        pair.client().close(() -> false, false);
                        return null;
                    });
                    pair.client().attached().reader().available();
                    pair.client().close(() -> false, false);
                    closing.get(30, TimeUnit.SECONDS);
                    spinFor(lives * 104_729L % 50_000);
                    pair.close();
                    for (FutureTask<Void> user : users) {
                        user.get(30, TimeUnit.SECONDS);
                    }
                    lives++;
                }
            } finally {
                stop.set(true); // a poller that somebody is in cannot be closed
                poller.wakeup();
            }
            polling.get(10, TimeUnit.SECONDS);
            assertThat(lives).isGreaterThan(ENOUGH);
            await().atMost(Duration.ofSeconds(10)).until(() -> lab.mappings() == 0);
        }
    }

    /** The link comes, with the doorbells of registered pollers, while the program closes. */
    @Test
    void closedAtAnyMomentOfTheUpgrade() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("handover.after", "0", "ring.size", "16KiB"));
                Poller poller = lab.accelerator.openPoller()) {
            int lives = 0;
            int linked = 0;
            long start = System.nanoTime();
            while (goesOn(start, lives)) {
                StreamSocket client = lab.client();
                StreamSocket server = lab.accept();
                FutureTask<Void> registering = Streams.start(() -> register(poller, client));
                look(poller, 1 + lives % 4);
                spinFor(lives * 7_919L % 400_000);
                linked += client.attached() != null ? 1 : 0;
                Lab.close(client);
                look(poller, 1);
                registering.get(30, TimeUnit.SECONDS);
                Lab.close(server);
                look(poller, 1);
                lives++;
            }
            assertThat(lives).isGreaterThan(ENOUGH);
            assertThat(linked).as("upgrades that were in time").isPositive();
            await().atMost(Duration.ofSeconds(10)).until(() -> {
                look(poller, 1);
                return lab.mappings() == 0;
            });
        }
    }

    /** Until the time is over, and much longer where the machine has others to serve. */
    private static boolean goesOn(long start, int lives) {
        long passed = System.nanoTime() - start;
        return passed < DURATION || (lives <= ENOUGH && passed < 10 * DURATION);
    }

    private static void look(Poller poller, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            int unused = poller.poll(0, (registration, ops) -> {});
        }
    }

    private static Void register(Poller poller, StreamSocket socket) {
        try {
            Registration unused = poller.register(socket.readiness(), SelectionKey.OP_READ, null);
        } catch (ClosedChannelException e) {
            return null; // which is right for a socket that has closed
        }
        return null;
    }

    private interface Use {
        void once() throws IOException;
    }

    private static void spinFor(long nanos) {
        long until = System.nanoTime() + nanos;
        while (System.nanoTime() - until < 0) {
            Thread.onSpinWait();
        }
    }

    /** Goes on until the connection ends, by either side. */
    private static Void use(Use use) {
        while (true) {
            try {
                use.once();
            } catch (ClosedChannelException e) {
                return null; // by this side
            } catch (IOException e) {
                assertThat(e).hasMessageMatching("Connection reset( by peer)?|Broken pipe");
                return null; // by the other
            }
        }
    }
}
