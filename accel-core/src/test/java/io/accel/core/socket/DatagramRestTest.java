// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.poll.Poller;
import io.accel.testing.Background;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One socket with many links, most of which rest: what comes by any of them is received, in time, however the socket is waited for. */
@Timeout(120)
class DatagramRestTest {
    private static final int PEERS = 24;
    private static final int ROUNDS = 300;
    /** Much more than a ring takes and a busy machine delays it, and much less than the second or two after which a thread looks in any case. */
    private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final Map<String, String> SETTINGS =
            Map.of("datagram.ring-size", "128KiB", "datagram.retry", "5ms", "poll.spin", "50us");

    private final Random random = new Random(7);
    private final List<DatagramLab.End> peers = new ArrayList<>();
    private DatagramLab lab;
    private DatagramLab.End server;

    @BeforeEach
    void link() throws Exception {
        lab = new DatagramLab("balanced", SETTINGS);
        server = lab.end();
        for (int i = 0; i < PEERS; i++) {
            peers.add(lab.end());
            DatagramLab.link(peers.get(i), server);
        }
        await().until(() ->
                server.socket.links() == PEERS); // the server hears a moment later that a client has the link
        while (server.tryReceive() != null) {
            // what was sent until there was a link
        }
    }

    @AfterEach
    void close() throws Exception {
        lab.close();
    }

    /** The first peer talks until all others rest, and on for a while. */
    private void letOthersRest() throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (server.socket.busyLinks() > 1) {
            assertThat(System.nanoTime() - end).as("time beyond the limit").isNegative();
            talk();
        }
    }

    private void talk() throws IOException {
        for (int i = 0; i < 200; i++) {
            peers.get(0).send(i, server);
            assertThat(server.tryReceive().number()).isEqualTo(i);
        }
    }

    private DatagramLab.End anyQuietPeer() {
        return peers.get(1 + random.nextInt(PEERS - 1));
    }

    @Test
    void linksWithoutDatagramsRest() throws Exception {
        assertThat(server.socket.links()).isEqualTo(PEERS);
        letOthersRest();
        assertThat(server.socket.busyLinks()).isEqualTo(1);
        assertThat(server.socket.links()).isEqualTo(PEERS);
    }

    /** Whoever never selects has only its receives to learn by. */
    @Test
    void aReceiveThatFindsNothingHasLookedEverywhere() throws Exception {
        for (int round = 0; round < 20; round++) {
            letOthersRest();
            assertThat(server.tryReceive()).isNull();
            DatagramLab.End quiet = anyQuietPeer();
            quiet.send(1_000 + round, server);
            DatagramLab.Datagram got = server.tryReceive();
            assertThat(got).as("round %s", round).isNotNull();
            assertThat(got.from()).isEqualTo(quiet.address);
            assertThat(got.number()).isEqualTo(1_000 + round);
        }
    }

    /** Though the socket is never empty, so that no receive looks everywhere. */
    @Test
    void aPeerThatFloodsDoesNotKeepARestingOneOut() throws Exception {
        letOthersRest();
        DatagramLab.End quiet = anyQuietPeer();
        quiet.send(5_000, server);
        DatagramLab.Datagram got = null;
        for (int i = 0; i < 200 && (got == null || got.from().equals(peers.get(0).address)); i++) {
            peers.get(0).send(i, server);
            peers.get(0).send(i, server);
            got = server.tryReceive();
        }
        assertThat(got.number()).isEqualTo(5_000);
    }

    @Test
    void manyThatAreBusyTakeTurns() throws Exception {
        letOthersRest();
        int each = 50;
        for (int i = 0; i < each; i++) {
            for (DatagramLab.End peer : peers) {
                peer.send(i, server);
            }
        }
        int[] counts = new int[PEERS];
        for (int i = 0; i < each * PEERS; i++) {
            DatagramLab.Datagram got = server.tryReceive();
            assertThat(got).isNotNull();
            int from = indexOf(got);
            assertThat(got.number()).as("in order").isEqualTo(counts[from]);
            counts[from]++;
            if (i > 100 && (i + 1) % PEERS == 0) {
                assertThat(Arrays.stream(counts).max().getAsInt()
                                - Arrays.stream(counts).min().getAsInt())
                        .as("no more than the first 64 receives are ahead")
                        .isLessThanOrEqualTo(65);
            }
        }
        assertThat(counts).containsOnly(each);
        assertThat(server.tryReceive()).isNull();
    }

    private int indexOf(DatagramLab.Datagram got) {
        for (int i = 0; i < PEERS; i++) {
            if (peers.get(i).address.equals(got.from())) {
                return i;
            }
        }
        throw new AssertionError("from nobody: " + got.from());
    }

    /** Now and then peers speak, in any order, while one goes on, or none does. */
    @ParameterizedTest
    @ValueSource(strings = {"blocks", "selects", "selects, and receives one at a time", "two select", "only receives"})
    void whatARestingPeerSendsComesSoon(String how) throws Exception {
        letOthersRest();
        BlockingQueue<DatagramLab.Datagram> received = new LinkedBlockingQueue<>();
        boolean polls = how.contains("select");
        try (Poller one = lab.accelerator.openPoller();
                Poller other = lab.accelerator.openPoller()) {
            List<Background<Void>> threads = new ArrayList<>();
            if (polls) {
                boolean single = how.contains("one at a time");
                one.register(server.socket, SelectionKey.OP_READ, null);
                threads.add(Background.start(() -> select(one, single, received)));
            }
            if (how.equals("two select")) {
                other.register(server.socket, SelectionKey.OP_READ, null);
                threads.add(Background.start(() -> select(other, false, received)));
            }
            if (!polls) {
                boolean blocks = how.equals("blocks");
                threads.add(Background.start(() -> receive(blocks, received)));
            }
            int late = 0;
            for (int round = 0; round < ROUNDS; round++) {
                boolean busy = round % 3 != 0;
                DatagramLab.End quiet = anyQuietPeer();
                long from = System.nanoTime();
                for (int i = 0; i < (busy ? 80 : 1); i++) {
                    if (busy) {
                        peers.get(0).send(-1, server);
                    }
                    if (i == (busy ? 40 : 0)) {
                        from = System.nanoTime();
                        quiet.send(round, server);
                    }
                }
                DatagramLab.Datagram got = received.poll(20, TimeUnit.SECONDS);
                assertThat(got).as("round %s", round).isNotNull();
                late += System.nanoTime() - from > SOON_NANOS ? 1 : 0;
                assertThat(late).as("of %s rounds came late", round).isLessThan(ROUNDS / 10);
                assertThat(got.number()).isEqualTo(round);
                assertThat(got.from()).isEqualTo(quiet.address);
                if (round % 8 == 0 && !how.equals("only receives")) {
                    threads.forEach(polls ? Background::awaitAsleep : DatagramRestTest::awaitBlocked);
                }
            }
            server.close();
            one.wakeup();
            other.wakeup();
            for (Background<Void> thread : threads) {
                thread.get(10, TimeUnit.SECONDS);
            }
        }
        assertThat(received).isEmpty();
    }

    private static void awaitBlocked(Background<Void> receiver) {
        receiver.awaitIn(DatagramSocket.class, "awaitReadable");
    }

    private Void select(Poller poller, boolean single, BlockingQueue<DatagramLab.Datagram> received)
            throws IOException {
        while (server.kernel.isOpen()) {
            if (poller.poll(-1, (registration, ops) -> {}) > 0) {
                boolean more = true;
                while (more) {
                    DatagramLab.Datagram got = tryReceive();
                    keep(got, received);
                    more = got != null && !single;
                }
            }
        }
        return null;
    }

    private DatagramLab.Datagram tryReceive() throws IOException {
        try {
            return server.tryReceive();
        } catch (ClosedChannelException e) {
            return null;
        }
    }

    private Void receive(boolean blocks, BlockingQueue<DatagramLab.Datagram> received) throws IOException {
        while (server.kernel.isOpen()) {
            if (blocks) {
                keep(server.receive(), received);
            } else {
                keep(tryReceive(), received);
                Thread.yield();
            }
        }
        return null;
    }

    /** Those of the one that goes on count for nothing. */
    private static void keep(DatagramLab.Datagram got, BlockingQueue<DatagramLab.Datagram> received) {
        if (got != null && got.number() >= 0) {
            received.add(got);
        }
    }
}
