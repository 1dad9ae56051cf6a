// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.observe.ConnectionSample;
import io.accel.core.observe.Connections;
import io.accel.core.observe.Figure;
import io.accel.core.observe.ObservedConnection;
import io.accel.profile.Profile;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The limit on files in docs/LIMITS.md where there is no agent: the JDK transfers them to a channel that is not its own in pieces
 * of 8 KiB, each a write, and a mapped file that a program writes goes as one.
 */
@Timeout(60)
class FileTransferPiecesTest {
    private static final int PIECE = 8 * 1024;
    private static final int PIECES = 4;

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"connect", "1000000/1GiB"})
    void transferIsInPiecesAndAMappedFileIsNot(String handover) throws Exception {
        assertThat(Connections.observe()).isNotNull(); // from now on connections are listed from the beginning
        Path path = directory.resolve("file");
        Files.write(path, new byte[PIECES * PIECE]);
        AccelSelectorProvider provider =
                new AccelSelectorProvider(Profile.load("balanced", Map.of("handover.after", handover)));
        try (FileChannel file = FileChannel.open(path);
                ServerSocketChannel listener = provider.openServerSocketChannel()
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel client = provider.openSocketChannel()) {
            client.connect(listener.getLocalAddress());
            try (SocketChannel server = listener.accept()) {
                boolean accelerated = handover.equals("connect");
                assertThat(((AccelSocketChannel) server).path().isAccelerated()).isEqualTo(accelerated);
                client.write(ByteBuffer.allocate(1));
                read(server, 1);
                await().until(() -> writes(client) == 1); // a link's counts are reported once both ends have it

                long before = writes(client);
                assertThat(file.transferTo(0, PIECES * PIECE, client)).isEqualTo(PIECES * PIECE);
                assertThat(writes(client) - before).as("writes of a transfer").isEqualTo(PIECES);
                read(server, PIECES * PIECE);

                before = writes(client);
                assertThat(client.write(file.map(FileChannel.MapMode.READ_ONLY, 0, PIECES * PIECE)))
                        .isEqualTo(PIECES * PIECE);
                assertThat(writes(client) - before)
                        .as("writes of a mapped file")
                        .isEqualTo(1);
                read(server, PIECES * PIECE);
            }
        }
    }

    private static void read(SocketChannel channel, int count) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(count);
        while (all.hasRemaining()) {
            assertThat(channel.read(all)).isPositive();
        }
    }

    private static long writes(SocketChannel channel) throws IOException {
        int port = ((InetSocketAddress) channel.getLocalAddress()).getPort();
        return Connections.all().stream()
                .map(ObservedConnection::sample)
                .filter(sample ->
                        sample.role().equals("client") && sample.local().endsWith(":" + port))
                .map(ConnectionSample::figures)
                .findFirst()
                .orElseThrow()
                .get(Figure.MESSAGES_OUT);
    }
}
