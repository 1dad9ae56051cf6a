// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.observe.CaptureRequest;
import io.accel.core.poll.Poller;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Many threads that send, receive, poll and close at any moment, while links come and go, and captures, too: memory that was given back too early
 * ends the JVM, memory that was not shows in its map, a datagram in the wrong place by its content.
 */
@Timeout(90)
class DatagramStressTest {
    private static final int LIVES = 50;

    @ParameterizedTest
    @CsvSource({"0, false", "20us, false", "20us, true"})
    void atAnyMoment(String spin, boolean captured) throws Exception {
        Map<String, String> settings = Map.of(
                "poll.spin", spin, "datagram.ring-size", "128KiB", "datagram.retry", "1ms", "datagram.idle", "2ms");
        try (DatagramLab lab = new DatagramLab("balanced", settings);
                Poller poller = lab.accelerator.openPoller()) {
            AtomicBoolean stop = new AtomicBoolean();
            FutureTask<Void> polling = Streams.start(() -> {
                while (!stop.get()) {
                    poller.poll(-1, (registration, ops) -> {});
                }
                return null;
            });
            FutureTask<Void> capturing = Streams.start(() -> {
                while (captured && !stop.get()) {
                    new Recording(new CaptureRequest(Set.of(), 2_000, 0)).end();
                }
                return null;
            });
            AtomicLong received = new AtomicLong();
            AtomicLong linked = new AtomicLong();
            try {
                for (int life = 0; life < LIVES; life++) {
                    live(lab, poller, life, received, linked);
                }
            } finally {
                stop.set(true);
                poller.wakeup();
                polling.get(10, TimeUnit.SECONDS);
                capturing.get(10, TimeUnit.SECONDS);
            }
            assertThat(received).hasPositiveValue();
            assertThat(linked).as("lives with links").hasPositiveValue();
            await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
                assertThat(lab.mappings()).isZero();
                assertThat(lab.content()).isEmpty(); // also of a search that was under way
            });
        }
    }

    private static void live(DatagramLab lab, Poller poller, int life, AtomicLong received, AtomicLong linked)
            throws Exception {
        List<DatagramLab.End> ends = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            ends.add(lab.end());
        }
        poller.register(ends.get(0).socket, SelectionKey.OP_READ, null);
        List<FutureTask<Void>> users = new ArrayList<>();
        for (DatagramLab.End end : ends) {
            users.add(Streams.start(() -> receiveAll(end, received)));
            users.add(Streams.start(() -> sendToAll(end, ends)));
            users.add(Streams.start(() -> sendToAll(end, ends)));
        }
        long enough = received.get() + 50L * (life % 40);
        await().pollInterval(Duration.ofMillis(1))
                .until(() -> life % 2 == 0
                        ? received.get() >= enough
                        : ends.stream().anyMatch(end -> end.socket.links() > 0));
        for (DatagramLab.End end : ends) {
            linked.addAndGet(end.socket.links());
            FutureTask<Void> closing = Streams.start(() -> {
                end.close();
                return null;
            });
            end.close();
            closing.get(10, TimeUnit.SECONDS);
        }
        for (FutureTask<Void> user : users) {
            user.get(10, TimeUnit.SECONDS);
        }
    }

    /** Each datagram says its length and whom it is from. */
    private static Void sendToAll(DatagramLab.End end, List<DatagramLab.End> ends) throws IOException {
        try {
            for (int i = 0; ; i++) {
                int length = 8 + i * 37 % 5_000;
                ByteBuffer datagram = ByteBuffer.allocate(length);
                datagram.putInt(0, length).putInt(4, end.address.getPort());
                datagram.put(length - 1, length > 8 ? (byte) 77 : datagram.get(length - 1));
                end.send(datagram, ends.get(i % ends.size()).address);
            }
        } catch (ClosedChannelException e) {
            return null;
        }
    }

    private static Void receiveAll(DatagramLab.End end, AtomicLong received) throws IOException {
        try {
            for (DatagramLab.Datagram got = end.receive(); got != null; got = end.receive()) {
                int length = got.bytes().limit();
                assertThat(got.bytes().getInt(0)).isEqualTo(length);
                assertThat(got.bytes().getInt(4)).isEqualTo(got.from().getPort());
                if (length > 8) {
                    assertThat(got.bytes().get(length - 1)).isEqualTo((byte) 77);
                }
                received.incrementAndGet();
            }
            return null;
        } catch (ClosedChannelException e) {
            return null;
        }
    }
}
