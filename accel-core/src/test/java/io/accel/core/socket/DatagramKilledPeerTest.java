// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.testing.Child;
import io.accel.testing.ChildJvm;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A receiver's process that is killed, and another in its place: whatever the sender does beside sending. */
@Timeout(60)
class DatagramKilledPeerTest {
    /** How long a process may take to say what it has to. */
    private static final Duration PATIENCE = Duration.ofSeconds(50);

    /** A receiver's process. */
    private static Child receiver(Path dir, int port) {
        return new ChildJvm(DatagramReceiverProbe.class)
                .with("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
                .start(dir.toString(), String.valueOf(port));
    }

    @ParameterizedTest
    @ValueSource(strings = {"only sends", "waits in receive", "was waiting before"})
    void theNextLifeGetsTheDatagrams(String sender) throws Exception {
        try (DatagramLab lab =
                new DatagramLab("low-cpu", Map.of("datagram.ring-size", "128KiB", "datagram.retry", "5ms"))) {
            DatagramLab.End end = lab.end();
            FutureTask<DatagramLab.Datagram> receiving = new FutureTask<>(end::receive);
            if (sender.equals("waits in receive")) {
                Thread thread = new Thread(receiving, "receiving");
                thread.setDaemon(true);
                thread.start();
            } else if (sender.equals("was waiting before")) {
                end.socket.lockRead();
                end.socket.awaitReadable(1_000_000);
                end.socket.unlockRead();
            }
            int port;
            InetSocketAddress target;
            try (Child first = receiver(lab.dir, 0)) {
                port = (int) first.awaitNumber("port", PATIENCE);
                target = DatagramLab.loopback(port);
                send(end, 1, target);
                assertThat(first.awaitNumber("first", PATIENCE)).isEqualTo(1);
                sendUntilLinked(end, 2, target);
                first.awaitLine("linked", PATIENCE);
                first.kill();
                await().atMost(Duration.ofSeconds(5)).until(() -> lab.mappings() == 0);
            }
            try (Child second = receiver(lab.dir, port)) {
                assertThat(second.awaitNumber("port", PATIENCE)).isEqualTo(port);
                send(end, 42, target);
                assertThat(second.awaitNumber("first", PATIENCE))
                        .as("none of the old life's, and the first is not lost")
                        .isEqualTo(42);
                sendUntilLinked(end, 43, target);
                second.awaitLine("linked", PATIENCE);
            }
            await().atMost(Duration.ofSeconds(10)).until(() -> lab.mappings() == 0);
            end.close();
            if (sender.equals("waits in receive")) {
                assertThat(receiving.get(10, TimeUnit.SECONDS)).isNull();
            }
        }
    }

    private static void sendUntilLinked(DatagramLab.End end, long number, InetSocketAddress target) {
        await().pollInterval(Duration.ofMillis(5)).until(() -> {
            send(end, number, target);
            return end.socket.path(target).path().equals("shm");
        });
    }

    private static void send(DatagramLab.End end, long number, InetSocketAddress target) throws IOException {
        assertThat(end.send(ByteBuffer.allocate(8).putLong(0, number), target)).isEqualTo(8);
    }
}
