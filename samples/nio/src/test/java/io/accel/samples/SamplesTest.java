// SPDX-License-Identifier: Apache-2.0
package io.accel.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.Child;
import io.accel.testing.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each sample does what it says, each end in a JVM of its own. */
class SamplesTest {
    private static final Duration SOON = Duration.ofSeconds(50);

    @TempDir
    private Path directory;

    private static Child start(Class<?> program, String... arguments) {
        return new ChildJvm(program).with("-Xmx256m").start(arguments);
    }

    private static String nextLine(Child program) {
        return program.awaitLine("another line", line -> true, SOON);
    }

    /** From the line {@code listening on ADDRESS:PORT}. */
    private static String portOf(Child server) {
        String line = server.awaitLine("listening on ", SOON);
        return line.substring(line.lastIndexOf(':') + 1);
    }

    @Test
    void echoSendsBackEachLine() throws Exception {
        String big = "x".repeat(100_000); // more than the server's buffer holds
        try (Child server = start(EchoServer.class);
                Child client = start(EchoClient.class, "127.0.0.1", portOf(server))) {
            for (String line : new String[] {"hello", "", "gr\u00fc\u00df dich", big}) {
                client.send(line);
                assertThat(nextLine(client)).isEqualTo(line);
            }
            client.closeInput();
            assertThat(client.awaitExit(SOON)).isZero();
        }
    }

    @Test
    void aFileArrivesUnchanged() throws Exception {
        byte[] content = new byte[20_000_003];
        new Random(1).nextBytes(content);
        assertThat(transfer(content)).isEqualTo(content);
    }

    @Test
    void anEmptyFileArrivesToo() throws Exception {
        assertThat(transfer(new byte[0])).isEmpty();
    }

    private byte[] transfer(byte[] content) throws Exception {
        Path source = Files.write(directory.resolve("source"), content);
        Path target = directory.resolve("target");
        try (Child receiver = start(FileReceiver.class, target.toString());
                Child sender = start(FileSender.class, "127.0.0.1", portOf(receiver), source.toString())) {
            assertThat(nextLine(sender)).startsWith("sent " + content.length + " bytes");
            assertThat(nextLine(receiver)).isEqualTo("received " + content.length + " bytes");
            assertThat(sender.awaitExit(SOON)).isZero();
            assertThat(receiver.awaitExit(SOON)).isZero();
        }
        return Files.readAllBytes(target);
    }

    @Test
    void inTheChatEverybodyHearsEverybody() throws Exception {
        try (Child server = start(ChatServer.class);
                Child crowd = start(ChatCrowd.class, "127.0.0.1", portOf(server), "200")) {
            assertThat(nextLine(crowd)).isEqualTo("200 members heard 200 lines each");
            assertThat(crowd.awaitExit(SOON)).isZero();
        }
    }
}
