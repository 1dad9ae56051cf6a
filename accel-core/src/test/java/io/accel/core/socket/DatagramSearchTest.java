// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Two sockets that go on talking come to a link, whichever of them was there first, and although each answers the other. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class DatagramSearchTest {
    /** Longer than a request and its answer take, so that the answer comes before the next search is due. */
    private static final Map<String, String> SETTINGS =
            Map.of("datagram.ring-size", "128KiB", "datagram.retry", "300ms");

    private static final Duration LIMIT = Duration.ofSeconds(20);

    @Test
    void aPeerThatCameLaterIsFound() throws Exception {
        try (DatagramLab lab = new DatagramLab("low-cpu", SETTINGS)) {
            DatagramLab.End gone = lab.end();
            gone.close();
            DatagramLab.End client = lab.end();
            client.send(0, gone);
            DatagramLab.End server = lab.end(gone.address.getPort());
            talkUntilLinked(client, server);
        }
    }

    @Test
    void aPeerThatIsStartedAgainIsFound() throws Exception {
        try (DatagramLab lab = new DatagramLab("low-cpu", SETTINGS)) {
            DatagramLab.End client = lab.end();
            DatagramLab.End server = lab.end();
            talkUntilLinked(client, server);
            for (int life = 0; life < 3; life++) {
                server.close();
                client.send(life, server);
                server = lab.end(server.address.getPort());
                talkUntilLinked(client, server);
            }
        }
    }

    /** The one that was there first is started again, and keeps its port: nobody looks but the one that only answers. */
    @Test
    void aPeerThatAsksAgainIsFound() throws Exception {
        try (DatagramLab lab = new DatagramLab("low-cpu", SETTINGS)) {
            DatagramLab.End server = lab.end();
            DatagramLab.End client = lab.end();
            for (int life = 0; life < 3; life++) {
                talkUntilLinked(client, server);
                client.close();
                client = lab.end(client.address.getPort());
            }
            talkUntilLinked(client, server);
        }
    }

    @Test
    void theFirstSearchForAPeerThatIsAnsweredIsThePeers() {
        DatagramPath path = new DatagramPath(null);
        assertThat(path.beginsSearch(true, TimeUnit.HOURS.toNanos(1))).isFalse();
        assertThat(new DatagramPath(null).beginsSearch(false, TimeUnit.HOURS.toNanos(1)))
                .isTrue();
    }

    /** A server of many clients without Accel does not look for each of them all the time. */
    @Test
    void aPeerThatIsOnlyAnsweredIsLookedForMoreAndMoreSeldom() {
        long interval = TimeUnit.MILLISECONDS.toNanos(1);
        DatagramPath path = new DatagramPath(null);
        for (int doublings = 0; doublings <= 6; doublings++) {
            await().pollInterval(Duration.ofMillis(1)).atMost(LIMIT).until(() -> path.beginsSearch(true, interval));
            long before = System.nanoTime();
            path.searched(false, interval);
            await().pollInterval(Duration.ofMillis(1)).atMost(LIMIT).until(() -> path.beginsSearch(true, interval));
            assertThat(System.nanoTime() - before)
                    .as("nanoseconds to the next search after " + (2 * doublings) + " others")
                    .isGreaterThanOrEqualTo(interval << Math.min(2 * doublings, 6));
            path.searched(false, interval);
        }
    }

    /** Requests of the one, and answers of the other, each to where the request came from, until both go over a link. */
    private static void talkUntilLinked(DatagramLab.End client, DatagramLab.End server) {
        await().pollInterval(Duration.ofMillis(5)).atMost(LIMIT).until(() -> {
            client.send(1, server);
            answerAll(server);
            while (client.tryReceive() != null) {
                // an answer, or one to an earlier life
            }
            return client.isLinkedTo(server) && server.isLinkedTo(client);
        });
    }

    private static void answerAll(DatagramLab.End server) throws IOException {
        for (DatagramLab.Datagram asked = server.tryReceive(); asked != null; asked = server.tryReceive()) {
            server.send(asked.bytes(), asked.from());
        }
    }
}
