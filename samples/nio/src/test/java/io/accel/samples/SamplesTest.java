// SPDX-License-Identifier: Apache-2.0
package io.accel.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each sample does what it says, each end in a JVM of its own. */
class SamplesTest {
    @TempDir
    private Path directory;

    @Test
    void echoSendsBackEachLine() throws Exception {
        String big = "x".repeat(100_000); // more than the server's buffer holds
        try (SampleProgram server = new SampleProgram(EchoServer.class);
                SampleProgram client = new SampleProgram(EchoClient.class, "127.0.0.1", server.port())) {
            try (BufferedWriter input = client.input()) {
                for (String line : new String[] {"hello", "", "gr\u00fc\u00df dich", big}) {
                    input.append(line).append('\n').flush();
                    assertThat(client.readLine()).isEqualTo(line);
                }
            }
            assertThat(client.exitStatus()).isZero();
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
        try (SampleProgram receiver = new SampleProgram(FileReceiver.class, target.toString());
                SampleProgram sender =
                        new SampleProgram(FileSender.class, "127.0.0.1", receiver.port(), source.toString())) {
            assertThat(sender.readLine()).startsWith("sent " + content.length + " bytes");
            assertThat(receiver.readLine()).isEqualTo("received " + content.length + " bytes");
            assertThat(sender.exitStatus()).isZero();
            assertThat(receiver.exitStatus()).isZero();
        }
        return Files.readAllBytes(target);
    }

    @Test
    void inTheChatEverybodyHearsEverybody() throws Exception {
        try (SampleProgram server = new SampleProgram(ChatServer.class);
                SampleProgram crowd = new SampleProgram(ChatCrowd.class, "127.0.0.1", server.port(), "200")) {
            assertThat(crowd.readLine()).isEqualTo("200 members heard 200 lines each");
            assertThat(crowd.exitStatus()).isZero();
        }
    }
}
