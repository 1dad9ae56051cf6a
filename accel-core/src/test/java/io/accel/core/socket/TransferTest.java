// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocking transfers over shared memory: every byte, both ways at once, whether waiting threads spin or sleep. */
class TransferTest {
    /** Both halves of a socket wait at one doorbell: a ring that one takes must not be lost to the other. */
    @ParameterizedTest
    @ValueSource(strings = {"0", "5us", "20us", "1ms"})
    void bothWaysAtOnceThroughSmallRings(String spin) throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("poll.spin", spin, "ring.size", "16KiB"))) {
            BlockingWaits waits = lab.accelerator.waits();
            Lab.Pair pair = lab.connect();
            long total = 8 << 20;
            List<FutureTask<Long>> tasks = new ArrayList<>();
            for (boolean forth : new boolean[] {true, false}) {
                StreamSocket from = forth ? pair.client() : pair.server();
                StreamSocket to = forth ? pair.server() : pair.client();
                tasks.add(Streams.start(() -> {
                    Streams.send(waits, from, total, 3);
                    return total;
                }));
                tasks.add(Streams.start(() -> Streams.receive(waits, to, total, 3)));
            }
            for (FutureTask<Long> task : tasks) {
                assertThat(task.get(50, TimeUnit.SECONDS)).isEqualTo(total);
            }
            pair.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "10us"})
    void pingPongOfSleepers(String spin) throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("poll.spin", spin))) {
            BlockingWaits waits = lab.accelerator.waits();
            Lab.Pair pair = lab.connect();
            int rounds = 5_000;
            FutureTask<Integer> echo = Streams.start(() -> {
                ByteBuffer buffer = ByteBuffer.allocate(64);
                for (int i = 0; i < rounds; i++) {
                    Streams.read(waits, pair.server(), buffer.clear());
                    Streams.write(waits, pair.server(), buffer.flip());
                }
                return rounds;
            });
            FutureTask<Integer> asking = Streams.start(() -> {
                ByteBuffer buffer = ByteBuffer.allocate(64);
                for (int i = 0; i < rounds; i++) {
                    Streams.write(waits, pair.client(), buffer.clear().putInt(i).flip());
                    Streams.read(waits, pair.client(), buffer.clear());
                    assertThat(buffer.getInt(0)).isEqualTo(i);
                }
                return rounds;
            });
            assertThat(asking.get(50, TimeUnit.SECONDS)).isEqualTo(rounds);
            assertThat(echo.get(10, TimeUnit.SECONDS)).isEqualTo(rounds);
            pair.close();
        }
    }

    @Test
    void theEndComesAfterTheLastByte() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("ring.size", "16KiB"))) {
            BlockingWaits waits = lab.accelerator.waits();
            for (int i = 0; i < 200; i++) {
                Lab.Pair pair = lab.connect();
                long total = 10_000 + i * 97L;
                FutureTask<Long> sending = Streams.start(() -> {
                    Streams.send(waits, pair.client(), total, 5);
                    pair.client().close(() -> false, false);
                    return total;
                });
                assertThat(Streams.receive(waits, pair.server(), total, 5)).isEqualTo(total);
                assertThat(Streams.read(waits, pair.server(), ByteBuffer.allocate(1)))
                        .isEqualTo(-1);
                sending.get(10, TimeUnit.SECONDS);
                pair.close();
            }
        }
    }
}
