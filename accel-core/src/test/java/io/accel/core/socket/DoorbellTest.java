// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.poll.Poller;
import io.accel.testing.Background;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One doorbell with several waiters: whichever takes the ring, the others must not miss it. */
class DoorbellTest {
    private static final long SECONDS_10 = TimeUnit.SECONDS.toNanos(10);

    private Lab lab;
    private Lab.Pair pair;
    private int found;
    private final Poller.Sink sink = (registration, ops) -> found |= ops;

    @BeforeEach
    void open() throws Exception {
        lab = new Lab("low-cpu", Map.of("ring.size", "16KiB"));
        pair = lab.connect();
        // As in the adapters: a selector takes only channels in non-blocking mode.
        Lab.channel(pair.client()).configureBlocking(false);
        // Else a direction whose ring stays full for long goes back to the kernel, which has room.
        assertThat(pair.client().outgoing().fix()).isNotNull();
    }

    @AfterEach
    void close() throws Exception {
        pair.close();
        lab.close();
    }

    @Test
    void aSpinningReaderDoesNotTakeASleepingWritersRing() throws Exception {
        try (Poller poller = lab.accelerator.openPoller()) {
            fill(pair.client());
            poller.register(pair.client().readiness(), SelectionKey.OP_WRITE, null);
            assertThat(poller.poll(2_000_000, sink)).isZero(); // it is armed now
            drain(pair.server());
            pair.client().attached().kernelReady(SelectionKey.OP_READ, 0); // as a reader does that spins
            assertThat(poller.poll(SECONDS_10, sink)).isPositive();
            assertThat(found).isEqualTo(SelectionKey.OP_WRITE);
            pair.client().close(() -> false, false);
        }
    }

    @Test
    void ofTwoPollersBothFindWhatOneRingTells() throws Exception {
        try (Poller one = lab.accelerator.openPoller();
                Poller two = lab.accelerator.openPoller()) {
            fill(pair.client());
            one.register(pair.client().readiness(), SelectionKey.OP_READ, null);
            two.register(pair.client().readiness(), SelectionKey.OP_WRITE, null);
            for (int round = 0; round < 200; round++) {
                Background<Integer> reading = Background.start(() -> one.poll(SECONDS_10, (r, ops) -> {}));
                Background<Integer> writing = Background.start(() -> two.poll(SECONDS_10, (r, ops) -> {}));
                if (round % 3 == 0) { // otherwise they may be about to
                    reading.awaitAsleep();
                    writing.awaitAsleep();
                }
                drain(pair.server());
                Streams.write(lab.accelerator.waits(), pair.server(), ByteBuffer.allocate(1));
                assertThat(writing.get(15, TimeUnit.SECONDS)).isPositive();
                assertThat(reading.get(15, TimeUnit.SECONDS)).isPositive();
                fill(pair.client());
                drain(pair.client());
                assertThat(one.poll(0, sink)).isZero();
                assertThat(two.poll(0, sink)).isZero();
            }
            pair.client().close(() -> false, false);
        }
    }

    @Test
    void thePeersEndIsFoundByAll() throws Exception {
        try (Poller one = lab.accelerator.openPoller();
                Poller two = lab.accelerator.openPoller()) {
            one.register(pair.client().readiness(), SelectionKey.OP_READ, null);
            two.register(pair.client().readiness(), SelectionKey.OP_READ, null);
            assertThat(one.poll(1_000_000, sink)).isZero();
            assertThat(two.poll(1_000_000, sink)).isZero();
            pair.server().close(() -> false, false);
            assertThat(one.poll(SECONDS_10, sink)).isPositive();
            assertThat(two.poll(SECONDS_10, sink)).isPositive();
            // Its end of the doorbell, which is readable for ever, does not keep a poller awake that waits for nothing.
            pair.client().readiness().endRegistrations(attachment -> true);
            one.register(pair.client().readiness(), 0, null);
            long start = System.nanoTime();
            assertThat(one.poll(50_000_000, sink)).isZero();
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(50_000_000);
            pair.client().close(() -> false, false);
        }
    }

    private void fill(StreamSocket socket) throws Exception {
        LinkStream stream = socket.attached();
        stream.writer().lock();
        try {
            while (stream.writer().write(ByteBuffer.allocate(4096)) > 0) {
                // until it is full
            }
        } finally {
            stream.writer().unlock();
        }
    }

    private void drain(StreamSocket socket) throws Exception {
        LinkStream stream = socket.attached();
        stream.reader().lock();
        try {
            while (stream.reader().read(ByteBuffer.allocate(4096)) > 0) {
                // until it is empty
            }
        } finally {
            stream.reader().unlock();
        }
    }
}
