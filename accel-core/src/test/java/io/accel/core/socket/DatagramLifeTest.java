// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.poll.Poller;
import io.accel.core.poll.Registration;
import io.accel.testing.Background;
import java.nio.channels.SelectionKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a datagram socket holds goes when it is closed or its links are idle, whoever waits for it in that moment. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class DatagramLifeTest {
    private static final Map<String, String> SHORT =
            Map.of("datagram.ring-size", "128KiB", "datagram.retry", "5ms", "datagram.idle", "100ms");
    /** A link that is idle after a millisecond is given back some milliseconds later: some of the pauses end in that moment. */
    private static final int LONGEST_PAUSE_MILLIS = 7;

    private static final Map<String, String> LONG = Map.of("datagram.ring-size", "128KiB", "datagram.retry", "5ms");

    @ParameterizedTest
    @ValueSource(strings = {"latency", "balanced", "low-cpu"})
    void closeWakesAReceiverThatWaits(String preset) throws Exception {
        try (DatagramLab lab = new DatagramLab(preset, LONG)) {
            for (boolean linked : new boolean[] {false, true}) {
                DatagramLab.End receiver = lab.end();
                DatagramLab.End sender = lab.end();
                if (linked) {
                    DatagramLab.link(sender, receiver);
                }
                Background<DatagramLab.Datagram> receiving = Background.start(receiver::receive);
                receiving.awaitIn(DatagramSocket.class, "awaitReadable");
                receiver.close();
                assertThat(receiving.get(10, TimeUnit.SECONDS)).isNull();
                sender.close();
                await().atMost(Duration.ofSeconds(10)).until(() -> lab.mappings() == 0);
                assertThat(lab.content()).isEmpty();
            }
        }
    }

    @Test
    void idleLinksAreGivenBackAndComeBack() throws Exception {
        try (DatagramLab lab = new DatagramLab("low-cpu", SHORT)) {
            DatagramLab.End server = lab.end();
            List<DatagramLab.End> clients = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                clients.add(lab.end());
            }
            DatagramLab.link(clients.get(0), server); // loads what takes descriptors of its own
            await().atMost(Duration.ofSeconds(10)).until(() -> lab.mappings() == 0);
            long sockets = Lab.sockets();
            int listening = lab.content().size();
            for (int round = 0; round < 3; round++) {
                for (DatagramLab.End client : clients) {
                    DatagramLab.link(client, server);
                }
                await().atMost(Duration.ofSeconds(10)).until(() -> lab.mappings() == 0);
                await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
                    assertThat(server.socket.links()).isZero();
                    assertThat(server.socket.remembered())
                            .as("destinations that are remembered")
                            .isZero();
                    assertThat(lab.content()).hasSize(listening);
                });
                await().atMost(Duration.ofSeconds(10)).until(() -> Lab.sockets() <= sockets + 2);
                for (DatagramLab.End client : clients) {
                    assertThat(client.isLinkedTo(server)).isFalse();
                    client.send(round, server);
                    assertThat(server.receive().number()).isEqualTo(round);
                }
            }
        }
    }

    /** Also those of a socket of which threads wait, and which pollers watch, that nobody polls. */
    @Test
    void idleLinksGoWhoeverWaits() throws Exception {
        try (DatagramLab lab = new DatagramLab("low-cpu", SHORT);
                Poller poller = lab.accelerator.openPoller()) {
            DatagramLab.End waiting = lab.end();
            DatagramLab.End watched = lab.end();
            DatagramLab.link(waiting, watched);
            Registration registration = poller.register(watched.socket, SelectionKey.OP_READ, this);
            FutureTask<DatagramLab.Datagram> receiving = Streams.start(waiting::receive);
            await().atMost(Duration.ofSeconds(10)).until(() -> lab.mappings() == 0);
            watched.send(8, waiting);
            assertThat(receiving.get(10, TimeUnit.SECONDS).number()).isEqualTo(8);
            registration.close();
        }
    }

    /** As the kernel keeps what was not yet received. */
    @Test
    void whatWasSentBeforeTheLinkWasIdleIsStillReceived() throws Exception {
        try (DatagramLab lab = new DatagramLab("low-cpu", SHORT)) {
            DatagramLab.End sender = lab.end();
            DatagramLab.End receiver = lab.end();
            DatagramLab.link(sender, receiver);
            sender.send(1, receiver);
            await().atMost(Duration.ofSeconds(10)).until(() -> !sender.isLinkedTo(receiver));
            othersComeAndGo(lab);
            sender.close();
            othersComeAndGo(lab);
            assertThat(receiver.receive().number()).isEqualTo(1);
            await().atMost(Duration.ofSeconds(10)).until(() -> receiver.tryReceive() == null && lab.mappings() == 0);
        }
    }

    /** Two others have a link, which is idle and given back: by then what came before them was given up, if anything was. */
    private static void othersComeAndGo(DatagramLab lab) throws Exception {
        DatagramLab.End one = lab.end();
        DatagramLab.End other = lab.end();
        DatagramLab.link(one, other);
        await().atMost(Duration.ofSeconds(10)).until(() -> one.socket.links() == 0 && other.socket.links() == 0);
        one.close();
        other.close();
    }

    /** A link that goes idle at any moment loses nothing that is sent in that moment. */
    @Test
    void nothingIsLostWhenALinkGoesIdle() throws Exception {
        Map<String, String> settings =
                Map.of("datagram.ring-size", "128KiB", "datagram.retry", "1ms", "datagram.idle", "1ms");
        try (DatagramLab lab = new DatagramLab("low-cpu", settings)) {
            DatagramLab.End sender = lab.end();
            DatagramLab.End receiver = lab.end();
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(4);
            for (long i = 0; System.nanoTime() - end < 0; i++) {
                sender.send(i, receiver);
                assertThat(receiver.receive().number()).isEqualTo(i);
                if (i % 50 == 0) {
                    Thread.sleep(i / 50 % LONGEST_PAUSE_MILLIS);
                }
            }
        }
    }

    @Test
    void aThousandSocketsLeaveNothing() throws Exception {
        try (DatagramLab lab = new DatagramLab("balanced", LONG)) {
            DatagramLab.End server = lab.end();
            DatagramLab.End first = lab.end();
            DatagramLab.link(first, server);
            server.send(1, first);
            first.receive();
            long descriptors = Lab.descriptors();
            for (int i = 0; i < 1_000; i++) {
                DatagramLab.End client = lab.end();
                client.send(i, server);
                assertThat(server.receive().from()).isEqualTo(client.address);
                server.send(i, client);
                assertThat(client.receive().number()).isEqualTo(i);
                client.close();
            }
            first.close();
            await().atMost(Duration.ofSeconds(10)).until(() -> {
                DatagramLab.Datagram unused = server.tryReceive();
                return lab.mappings() == 0;
            });
            assertThat(lab.content()).hasSize(2);
            await().atMost(Duration.ofSeconds(10)).until(() -> Lab.descriptors() <= descriptors + 8);
        }
    }
}
