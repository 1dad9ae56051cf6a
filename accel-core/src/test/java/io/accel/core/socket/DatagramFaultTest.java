// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.observe.Drop;
import io.accel.core.observe.ProcessCounters;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Slow receivers, peers that start again or have no Accel, lengths at every limit. */
@Timeout(60)
class DatagramFaultTest {
    private static final int RING = 128 * 1024;

    private DatagramLab lab;

    @BeforeEach
    void open() throws Exception {
        lab = new DatagramLab("balanced", Map.of("datagram.ring-size", "128KiB", "datagram.retry", "5ms"));
    }

    @AfterEach
    void close() throws Exception {
        lab.close();
    }

    @Test
    void aReceiverThatIsTooSlowLosesWhatHasNoRoomAndHoldsNobodyUp() throws Exception {
        DatagramLab.End sender = lab.end();
        DatagramLab.End receiver = lab.end();
        DatagramLab.link(sender, receiver);
        long mappings = lab.mappings();
        long drops = ProcessCounters.drops(Drop.DATAGRAM);
        int sent = 50_000;
        long begin = System.nanoTime();
        for (int i = 0; i < sent; i++) {
            sender.send(i, receiver);
        }
        assertThat(System.nanoTime() - begin).as("nothing waits").isLessThan(TimeUnit.SECONDS.toNanos(10));
        long dropped = ProcessCounters.drops(Drop.DATAGRAM) - drops;
        assertThat(lab.mappings()).as("no more memory").isEqualTo(mappings);
        int received = 0;
        for (DatagramLab.Datagram next = receiver.tryReceive(); next != null; next = receiver.tryReceive()) {
            assertThat(next.number()).as("the first that had room, in order").isEqualTo(received);
            received++;
        }
        assertThat(received).isEqualTo(RING / 16);
        assertThat(dropped).isEqualTo(sent - received);
        sender.send(77, receiver);
        assertThat(receiver.receive().number()).isEqualTo(77);
    }

    @Test
    void everyLengthAtTheLimitsAndOneAbove() throws Exception {
        DatagramLab.End sender = lab.end();
        DatagramLab.End receiver = lab.end();
        DatagramLab.link(sender, receiver);
        for (int length : new int[] {0, 1, 7, 8, 9, 1_472, 1_473, 65_506, 65_507}) {
            byte[] bytes = new byte[length];
            java.util.Arrays.fill(bytes, (byte) length);
            assertThat(sender.send(ByteBuffer.wrap(bytes), receiver.address)).isEqualTo(length);
            DatagramLab.Datagram got = receiver.receive();
            assertThat(got.bytes()).isEqualTo(ByteBuffer.wrap(bytes));
            assertThat(got.from()).isEqualTo(sender.address);
        }
        assertThat(sender.isLinkedTo(receiver)).isTrue();
        for (int length : new int[] {65_508, 65_527, 65_528, 200_000}) {
            ByteBuffer tooLong = ByteBuffer.allocate(length);
            assertThatThrownBy(() -> sender.send(tooLong, receiver.address))
                    .as("as the kernel has it, %s bytes", length)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Message too long");
        }
        sender.send(5, receiver);
        assertThat(receiver.receive().number()).isEqualTo(5);
    }

    @Test
    void aReceiverThatStartsAgainOnItsPortGetsAPathOfItsOwn() throws Exception {
        DatagramLab.End sender = lab.end();
        for (int life = 0; life < 10; life++) {
            int port = life == 0 ? 0 : lastPort;
            DatagramLab.End receiver = lab.end(port);
            lastPort = receiver.address.getPort();
            sender.send(1_000L * life, receiver);
            assertThat(receiver.receive().number())
                    .as("the first to life %s, and none of another's", life)
                    .isEqualTo(1_000L * life);
            DatagramLab.link(sender, receiver);
            for (int i = 1; i < 100; i++) {
                sender.send(1_000L * life + i, receiver);
                assertThat(receiver.receive().number()).isEqualTo(1_000L * life + i);
            }
            // Left unread: what is lost with its receiver.
            sender.send(1_000L * life + 500, receiver);
            receiver.close();
        }
        await().atMost(Duration.ofSeconds(10)).until(() -> {
            sender.tryReceive();
            return lab.mappings() == 0;
        });
    }

    private int lastPort;

    @Test
    void peersWithoutAccelAreHeardAndAnswered() throws Exception {
        DatagramLab.End end = lab.end();
        try (DatagramChannel plain = JdkAccess.kernelProvider().openDatagramChannel()) {
            plain.bind(DatagramLab.loopback(0));
            InetSocketAddress there = (InetSocketAddress) plain.getLocalAddress();
            AtomicInteger asked = new AtomicInteger();
            await("searches that find nothing").until(() -> {
                int i = asked.getAndIncrement();
                ByteBuffer question = ByteBuffer.allocate(8).putLong(0, i);
                assertThat(plain.send(question, end.address)).isEqualTo(8);
                DatagramLab.Datagram got = end.receive();
                assertThat(got.number()).isEqualTo(i);
                assertThat(got.from()).isEqualTo(there);
                end.send(got.bytes(), got.from());
                ByteBuffer answer = ByteBuffer.allocate(8);
                assertThat(plain.receive(answer)).isEqualTo(end.address);
                assertThat(answer.getLong(0)).isEqualTo(i);
                return end.socket.path(there).reason() == FallbackReason.PEER_NOT_ACCELERATED;
            });
            assertThat(end.socket.path(there).path()).isEqualTo("kernel");
            assertThat(end.socket.links()).isZero();
        }
    }

    @Test
    void aFloodOfFirstContactsIsBoundedAndAllArrive() throws Exception {
        int most = 8;
        int peers = 60;
        try (DatagramLab few = new DatagramLab(
                "low-cpu",
                Map.of(
                        "datagram.ring-size",
                        "128KiB",
                        "datagram.peers-max",
                        String.valueOf(most),
                        "datagram.retry",
                        "5ms"))) {
            DatagramLab.End server = few.end();
            few.end().send(1, server);
            server.receive();
            List<DatagramLab.End> clients = new ArrayList<>();
            for (int i = 0; i < peers; i++) {
                clients.add(few.end());
            }
            long descriptors = Lab.descriptors();
            for (int round = 0; round < 30 || (server.socket.links() < most && round < 1_000); round++) {
                for (DatagramLab.End client : clients) {
                    client.send(round, server);
                    DatagramLab.Datagram got = server.receive();
                    assertThat(got.number()).isEqualTo(round);
                    assertThat(got.from()).isEqualTo(client.address);
                    server.send(round, client);
                    assertThat(client.receive().from()).isEqualTo(server.address);
                }
                assertThat(server.socket.links()).isLessThanOrEqualTo(most);
            }
            assertThat(server.socket.links()).isEqualTo(most);
            await().atMost(Duration.ofSeconds(10)).until(() -> few.mappings() <= 2L * most);
            await().untilAsserted(() -> assertThat(few.content().stream()
                            .filter(file -> file.getFileName().toString().startsWith("ring-")))
                    .as("files whose links are established are gone from the directory")
                    .isEmpty());
            // Each link has a doorbell at both ends; each client a poller of its own to wait in, the server one.
            assertThat(Lab.descriptors() - descriptors).isLessThan(2L * most + 4L * (peers + 2));
        }
    }
}
