// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.core.fabric.Link;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An end that has shut down both directions, when the link has carried only one of them, tells its peer so on the path on which
 * the peer sends.
 */
@Timeout(30)
class DeafEndTest {
    private static final int MANY = 100;

    private static void shutDown(StreamSocket socket) throws IOException {
        Lab.channel(socket).shutdownInput();
        socket.shutdownInput();
        socket.shutdownOutput();
    }

    /** Acts like an adapter that has no link for this direction. */
    private static void writeToKernel(StreamSocket socket) throws IOException {
        assertThat(socket.outgoing().enter(true)).isNull();
        try {
            assertThat(Lab.channel(socket).write(ByteBuffer.allocate(1))).isEqualTo(1);
            socket.outgoing().gave(1);
        } finally {
            socket.outgoing().leave();
        }
    }

    private static void writeUntilRefused(StreamSocket socket) throws IOException {
        writeToKernel(socket);
        await().pollInterval(Duration.ofMillis(1)).untilAsserted(() -> assertThatThrownBy(() -> writeToKernel(socket))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("Broken pipe"));
    }

    @Test
    void endsTheKernelsConnectionByWhichItsPeerSends() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of())) {
            Lab.Pair pair = lab.connectOnly();
            Streams.write(lab.accelerator.waits(), pair.client(), ByteBuffer.allocate(3));
            shutDown(pair.client());
            writeUntilRefused(pair.server());
            ByteBuffer all = ByteBuffer.allocate(4);
            assertThat(Streams.read(lab.accelerator.waits(), pair.server(), all))
                    .isEqualTo(3);
            assertThat(Streams.read(lab.accelerator.waits(), pair.server(), all))
                    .isEqualTo(-1);
            pair.close();
        }
    }

    /** It may be needed: docs/LIMITS.md. */
    @Test
    void keepsTheKernelsConnectionUnderALinkThatCanBreak() throws Exception {
        try (FaultLab faulty = new FaultLab("balanced", Map.of())) {
            faulty.faults.isResumable = true;
            Lab lab = faulty.lab;
            Lab.Pair pair = lab.connectOnly();
            Streams.write(lab.accelerator.waits(), pair.client(), ByteBuffer.allocate(3));
            shutDown(pair.client());
            for (int i = 0; i < MANY; i++) {
                writeToKernel(pair.server());
            }
            pair.close();
        }
    }

    /** It also does so over a later link, since its peer would send over that. */
    @Test
    void saysSoByALinkThatComesLater() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of("handover.after", "2/1MiB"))) {
            StreamSocket client = lab.client();
            for (int i = 0; i < MANY; i++) {
                writeToKernel(client); // which asks for a link, of an end that has not accepted
            }
            shutDown(client);
            Lab.Pair pair = new Lab.Pair(client, lab.accept());
            await().until(() -> client.attached() != null && pair.server().attached() != null);
            await().until(() -> (pair.server().attached().peer().listen() & Link.CLOSED) != 0);
            writeUntilRefused(pair.server());
            pair.close();
        }
    }
}
