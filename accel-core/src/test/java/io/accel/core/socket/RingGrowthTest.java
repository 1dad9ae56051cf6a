// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.core.observe.MemoryUse;
import io.accel.core.observe.PathName;
import io.accel.core.poll.Poller;
import io.accel.testing.SettledCount;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection begins with small rings, and moves to larger ones when they are found full again and again. */
@Timeout(60)
class RingGrowthTest {
    private static final int FIRST = 16 * 1024;
    private static final int NEXT = 64 * 1024;
    private static final int LARGEST = 256 * 1024;
    private static final int BYTES = 4_000_000;
    private static final Map<String, String> SETTINGS =
            Map.of("ring.initial", "16KiB", "ring.size", "256KiB", "handover.idle", "forever");

    private FaultLab faulty;
    private Lab lab;
    private BlockingWaits waits;
    private Lab.Pair pair;

    @BeforeEach
    void connect() throws Exception {
        faulty = new FaultLab("balanced", SETTINGS);
        lab = faulty.lab;
        waits = lab.accelerator.waits();
        pair = lab.connectOnly();
        assertRings(FIRST);
    }

    @AfterEach
    void close() throws Exception {
        pair.close();
        await().until(() -> lab.mappings() == 0);
        faulty.close();
    }

    private void assertRings(int size) {
        assertThat(pair.client().attached().ringSize()).isEqualTo(size);
        assertThat(pair.server().attached().ringSize()).isEqualTo(size);
    }

    private static boolean hasRings(StreamSocket socket, int size) {
        LinkStream stream = socket.attached();
        return stream != null && stream.ringSize() == size && socket.handover().isSettled();
    }

    private void send(StreamSocket from, StreamSocket to, int bytes, int seed) throws Exception {
        FutureTask<Long> sent = Streams.start(() -> {
            Streams.send(waits, from, bytes, seed);
            return (long) bytes;
        });
        assertThat(Streams.receive(waits, to, bytes, seed)).isEqualTo(bytes);
        assertThat(sent.get(20, TimeUnit.SECONDS)).isEqualTo(bytes);
    }

    private void goOnUntil(Callable<Boolean> reached, StreamSocket from, StreamSocket to) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        for (int round = 0; !reached.call(); round++) {
            assertThat(System.nanoTime() - end)
                    .as(
                            "client %s, server %s",
                            pair.client().path(), pair.server().path())
                    .isNegative();
            send(from, to, BYTES, round);
        }
    }

    private void assertGrows(StreamSocket from, StreamSocket to) throws Exception {
        goOnUntil(() -> hasRings(pair.client(), LARGEST) && hasRings(pair.server(), LARGEST), from, to);
        assertThat(pair.client().path().isAccelerated()).isTrue();
        assertThat(pair.server().path().isAccelerated()).isTrue();
        await().until(() -> lab.mappings() == 2); // one at each end
        goOnUntil(() -> from.outgoing().link() != null, from, to);
    }

    @Test
    void whatTheClientSends() throws Exception {
        assertGrows(pair.client(), pair.server());
    }

    @Test
    void whatTheServerSends() throws Exception {
        assertGrows(pair.server(), pair.client());
    }

    /** As many bytes, in messages that fit. */
    @Test
    void staysAsItIsIfAllHasRoom() throws Exception {
        for (int i = 0; i < 2_000; i++) {
            send(pair.client(), pair.server(), 2_000, i);
            send(pair.server(), pair.client(), 2_000, i);
        }
        assertRings(FIRST);
    }

    /** A larger ring would be full, too. */
    @Test
    void staysAsItIsIfThePeerDoesNotRead() throws Exception {
        int bytes = 10 * FIRST;
        FutureTask<Long> sent = Streams.start(() -> {
            Streams.send(waits, pair.client(), bytes, 1);
            return (long) bytes;
        });
        assertThat(sent.get(20, TimeUnit.SECONDS)).isEqualTo(bytes); // the rest through the kernel
        Lab.Pair other = lab.connect();
        goOnUntil(() -> hasRings(other.client(), LARGEST), other.client(), other.server());
        other.close();
        assertRings(FIRST); // though another connection got larger ones meanwhile
        assertThat(Streams.receive(waits, pair.server(), bytes, 1)).isEqualTo(bytes);
    }

    @Test
    void staysAsItIsIfNobodyCouldAskForAnother() throws Exception {
        lab.listener.close();
        for (int round = 0; round < 10; round++) {
            send(pair.client(), pair.server(), BYTES, round);
            send(pair.server(), pair.client(), BYTES, round);
        }
        assertRings(FIRST);
        assertThat(pair.client().path().isAccelerated()).isTrue();
    }

    /** It gets a ring as large as before, and does not ask for a larger one again. */
    @Test
    void thereIsNoRoomForLargerOnes() throws Exception {
        LinkStream first = pair.client().attached();
        faulty.arm(Faults.Side.CLIENT, Faults.Call.CONNECT, 1, FallbackReason.SHM_FULL);
        goOnUntil(
                () -> pair.client().attached() != first && hasRings(pair.client(), FIRST),
                pair.client(),
                pair.server());
        faulty.faults.disarm();
        LinkStream second = pair.client().attached();
        for (int round = 0; round < 20; round++) {
            send(pair.client(), pair.server(), BYTES, round);
            send(pair.server(), pair.client(), BYTES, round);
        }
        assertThat(pair.client().attached()).isSameAs(second);
        assertRings(FIRST);
        assertThat(pair.client().path().isAccelerated()).isTrue();
    }

    /** Both ends are in this process: it may have the two mappings of the smallest rings, and of the next ones, and not of the largest. */
    @Test
    void theyGrowAsFarAsTheCapAllows() throws Exception {
        pair.close();
        await().until(() -> lab.mappings() == 0);
        faulty.close();
        long unused = SettledCount.of(() -> MemoryUse.rings(PathName.SHM)); // which the cap counts
        Map<String, String> capped = new HashMap<>(SETTINGS);
        capped.put("shm.max", "400KiB");
        faulty = new FaultLab("balanced", capped);
        lab = faulty.lab;
        waits = lab.accelerator.waits();
        pair = lab.connectOnly();
        assertRings(FIRST);
        goOnUntil(() -> hasRings(pair.client(), NEXT) && hasRings(pair.server(), NEXT), pair.client(), pair.server());
        LinkStream[] refused = new LinkStream[1];
        goOnUntil(
                () -> {
                    LinkStream now = pair.client().attached();
                    boolean isAnother = refused[0] != null && now != null && now != refused[0];
                    refused[0] = refused[0] == null ? now : refused[0];
                    return isAnother && hasRings(pair.client(), NEXT) && hasRings(pair.server(), NEXT);
                },
                pair.client(),
                pair.server()); // the larger ones were refused
        assertThat(MemoryUse.rings(PathName.SHM)).as("held").isLessThanOrEqualTo(400 << 10);
        assertThat(pair.client().path().isAccelerated()).isTrue();
    }

    /** Both directions under load, and a reader with a selector. */
    @Test
    void underLoad() throws Exception {
        Lab.channel(pair.server()).configureBlocking(false);
        FutureTask<Long> there = Streams.start(() -> {
            long total = 0;
            while (!hasRings(pair.client(), LARGEST) || total < BYTES) {
                Streams.send(waits, pair.client(), FIRST, 0);
                total += FIRST;
            }
            pair.client().shutdownOutput();
            return total;
        });
        FutureTask<Long> back = Streams.start(() -> Streams.receive(waits, pair.client(), BYTES, 2));
        FutureTask<Long> answers = Streams.start(() -> {
            Streams.send(waits, pair.server(), BYTES, 2);
            return (long) BYTES;
        });
        long read = 0;
        ByteBuffer buffer = ByteBuffer.allocate(50_000);
        try (Poller poller = lab.accelerator.openPoller()) {
            var registration = poller.register(pair.server().readiness(), SelectionKey.OP_READ, null);
            boolean over = false;
            while (!over) {
                int[] found = new int[1];
                poller.poll(TimeUnit.SECONDS.toNanos(20), (r, ops) -> found[0] |= ops);
                assertThat(found[0]).as("after %s bytes", read).isEqualTo(SelectionKey.OP_READ);
                int n = Streams.read(waits, pair.server(), buffer.clear());
                over = n < 0;
                read += Math.max(0, n);
            }
            registration.close();
        }
        assertThat(read).isEqualTo(there.get(30, TimeUnit.SECONDS));
        assertThat(back.get(30, TimeUnit.SECONDS)).isEqualTo(BYTES);
        assertThat(answers.get(30, TimeUnit.SECONDS)).isEqualTo(BYTES);
    }
}
