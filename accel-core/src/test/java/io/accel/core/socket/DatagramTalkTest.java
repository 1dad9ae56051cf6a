// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Datagram sockets make nothing for links before they have exchanged enough with one peer; whoever comes late then gets a link all the same. */
@Timeout(60)
class DatagramTalkTest {
    private static final Map<String, String> USUAL =
            Map.of("handover.after", "8/64KiB", "datagram.ring-size", "128KiB");
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int QUERIES = 300;

    @Test
    void onePeerIsEnoughAndManyAreNot() throws Exception {
        DatagramTalk talk = new DatagramTalk();
        for (int i = 1; i < DatagramTalk.ENOUGH; i++) {
            assertThat(talk.isEnough(address(1), 53)).isFalse();
        }
        for (int port = 1_024; port < 30_000; port++) {
            assertThat(talk.isEnough(address(2), port))
                    .as("one datagram of port %d", port)
                    .isFalse();
        }
        assertThat(talk.isEnough(address(1), 53)).isTrue();
        assertThat(talk.isEnough(address(1), 53)).isTrue();
    }

    @Test
    void peersInTurnAreEachCounted() throws Exception {
        DatagramTalk talk = new DatagramTalk();
        boolean enough = false;
        for (int round = 0; round < DatagramTalk.ENOUGH; round++) {
            for (int peer = 1; peer <= 20; peer++) {
                enough |= talk.isEnough(address(peer), 53);
            }
        }
        assertThat(enough).isTrue();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void socketsOfOneQueryAndTheirServerLeaveNothingInTheSharedDirectory() throws Exception {
        try (DatagramLab lab = new DatagramLab("latency", USUAL)) {
            DatagramLab.End server = lab.end();
            for (int i = 0; i < QUERIES; i++) {
                DatagramLab.End client = lab.end();
                exchange(client, server, i);
                assertThat(lab.content()).isEmpty();
                client.close();
            }
            assertThat(server.socket.links()).isZero();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aPairThatTalksIsLinked() throws Exception {
        try (DatagramLab lab = new DatagramLab("low-cpu", USUAL)) {
            DatagramLab.End server = lab.end();
            DatagramLab.End client = lab.end();
            await().pollInterval(Duration.ofMillis(5)).atMost(LIMIT).until(() -> {
                exchange(client, server, 1);
                return client.isLinkedTo(server) && server.isLinkedTo(client);
            });
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aSenderThatHearsNothingIsLinked() throws Exception {
        try (DatagramLab lab = new DatagramLab("low-cpu", USUAL)) {
            DatagramLab.End sink = lab.end();
            DatagramLab.End source = lab.end();
            await().pollInterval(Duration.ofMillis(5)).atMost(LIMIT).until(() -> {
                source.send(1, sink);
                while (sink.tryReceive() != null) {
                    // the next
                }
                return source.isLinkedTo(sink);
            });
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aPeerThatComesLateIsFound() throws Exception {
        try (DatagramLab lab = new DatagramLab("low-cpu", USUAL)) {
            DatagramLab.End gone = lab.end();
            int port = gone.address.getPort();
            gone.close();
            DatagramLab.End client = lab.end();
            for (int i = 0; i < 3 * DatagramTalk.ENOUGH; i++) {
                client.send(ByteBuffer.allocate(Long.BYTES), gone.address); // to nobody
            }
            DatagramLab.End server = lab.end(port);
            await().pollInterval(Duration.ofMillis(5)).atMost(LIMIT).until(() -> {
                exchange(client, server, 1);
                return client.isLinkedTo(server) && server.isLinkedTo(client);
            });
        }
    }

    private static void exchange(DatagramLab.End client, DatagramLab.End server, long number) throws Exception {
        client.send(number, server);
        DatagramLab.Datagram asked = server.receive();
        server.send(asked.bytes(), asked.from());
        client.receive();
    }

    private static InetAddress address(int last) throws Exception {
        return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
    }
}
