// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A receiver's process that is killed, and another in its place: whatever the sender does beside sending. */
@Timeout(60)
class DatagramKilledPeerTest {
    /** A receiver's process, and what it says. */
    private static final class Child implements AutoCloseable {
        private final Process process;
        private final BufferedReader output;

        Child(Path dir, int port) throws IOException {
            ProcessBuilder builder = new ProcessBuilder(List.of(
                            Path.of(System.getProperty("java.home"), "bin/java").toString(),
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            DatagramReceiverProbe.class.getName(),
                            dir.toString(),
                            String.valueOf(port)))
                    .redirectErrorStream(true);
            builder.environment().keySet().removeAll(List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"));
            process = builder.start();
            output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        }

        /** What it says after a word. */
        String said(String word) throws IOException {
            StringBuilder all = new StringBuilder();
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                all.append(line).append('\n');
                if (line.startsWith(word)) {
                    return line.substring(word.length()).trim();
                }
            }
            throw new AssertionError("the receiver's process ended: " + all);
        }

        void kill() {
            process.destroyForcibly().onExit().join();
        }

        @Override
        public void close() throws IOException {
            kill();
            output.close();
        }
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
            try (Child first = new Child(lab.dir, 0)) {
                port = Integer.parseInt(first.said("port"));
                target = DatagramLab.loopback(port);
                send(end, 1, target);
                assertThat(first.said("first")).isEqualTo("1");
                sendUntilLinked(end, 2, target);
                first.said("linked");
                first.kill();
                await().atMost(Duration.ofSeconds(5)).until(() -> lab.mappings() == 0);
            }
            try (Child second = new Child(lab.dir, port)) {
                assertThat(second.said("port")).isEqualTo(String.valueOf(port));
                send(end, 42, target);
                assertThat(second.said("first"))
                        .as("none of the old life's, and the first is not lost")
                        .isEqualTo("42");
                sendUntilLinked(end, 43, target);
                second.said("linked");
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
