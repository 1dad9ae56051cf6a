// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Both directions of one connection come to a link and go back, at random bytes and under load, again and again. Meanwhile the link is
 * given back and replaced. Every byte is checked. {@code -Daccel.test.switches} says how often, which is
 * a million times under {@code ./accel test --all}.
 */
class ManySwitchesTest {
    private static final int WANTED = Integer.getInteger("accel.test.switches", 10_000);
    private static final int MOST_AT_A_TIME = 700;
    private static final int LIMIT_SECONDS = 60 + WANTED / 500;

    @Test
    @Timeout(3_600)
    void noByteIsLostOrDoubled() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("handover.after", "random", "ring.size", "16KiB"))) {
            BlockingWaits waits = lab.accelerator.waits();
            Lab.Pair pair = new Lab.Pair(lab.client(), lab.accept());
            AtomicInteger busy = new AtomicInteger(2);
            FutureTask<Long> forth = Streams.start(() -> send(waits, pair.client(), 1, busy));
            FutureTask<Long> back = Streams.start(() -> send(waits, pair.server(), 2, busy));
            FutureTask<Long> there = Streams.start(() -> receive(waits, pair.server(), 1));
            FutureTask<Long> here = Streams.start(() -> receive(waits, pair.client(), 2));
            for (FutureTask<Long> each : List.of(forth, back, there, here)) {
                assertThat(each.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isPositive();
            }
            assertThat(there.get()).isEqualTo(forth.get());
            assertThat(here.get()).isEqualTo(back.get());
            pair.close();
        }
    }

    /**
     * Sends until both directions have switched so often, since a connection with an ended direction gets no other link; returns how
     * many bytes that took.
     */
    private static long send(BlockingWaits waits, StreamSocket socket, int seed, AtomicInteger busy)
            throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        ByteBuffer buffer = ByteBuffer.allocateDirect(MOST_AT_A_TIME);
        long at = 0;
        int switches = 0;
        while (busy.get() > 0) {
            boolean before = socket.outgoing().link() != null;
            buffer.clear().limit(1 + random.nextInt(MOST_AT_A_TIME));
            Streams.fill(buffer, at, seed);
            at += buffer.limit();
            Streams.write(waits, socket, buffer);
            boolean after = socket.outgoing().link() != null;
            if (before != after && ++switches == WANTED) {
                busy.decrementAndGet();
            }
        }
        socket.shutdownOutput();
        return at;
    }

    private static long receive(BlockingWaits waits, StreamSocket socket, int seed) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(4 * MOST_AT_A_TIME);
        long at = 0;
        while (true) {
            int n = Streams.read(waits, socket, buffer.clear());
            if (n < 0) {
                return at;
            }
            Streams.check(buffer, n, at, seed);
            at += n;
        }
    }
}
