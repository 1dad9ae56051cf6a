// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes that come to a socket whose input was shut down can still be read, while the program reads the end. */
@Timeout(30)
class ShutInputTest {
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ofASocketWhoseEndWasReadBefore(boolean isConnecting) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = new Socket(listener.getInetAddress(), listener.getLocalPort());
                Socket server = listener.accept()) {
            Socket shut = isConnecting ? client : server;
            Socket peer = isConnecting ? server : client;
            InputStream program = shut.getInputStream();
            shut.shutdownInput();
            for (String text : new String[] {"first", "again"}) {
                assertThat(program.read()).isEqualTo(-1);
                peer.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
                assertThat(readShut(JdkAccess.implementation(shut), text.length()))
                        .isEqualTo(text);
            }
            assertThat(program.read()).isEqualTo(-1);
        }
    }

    @Test
    void ofAChannel() throws Exception {
        try (ServerSocketChannel listener =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                SocketChannel server = listener.accept()) {
            server.shutdownInput();
            assertThat(server.read(ByteBuffer.allocate(1))).isEqualTo(-1);
            client.write(ByteBuffer.wrap("text".getBytes(StandardCharsets.US_ASCII)));
            assertThat(readShut(server, 4)).isEqualTo("text");
            assertThat(server.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
    }

    private static String readShut(Object socket, int length) {
        ByteBuffer text = ByteBuffer.allocate(length);
        await().atMost(Duration.ofSeconds(10)).until(() -> read(socket, text));
        return StandardCharsets.US_ASCII.decode(text.flip()).toString();
    }

    private static boolean read(Object socket, ByteBuffer dst) throws IOException {
        int unused = JdkAccess.readShut(socket, dst);
        return !dst.hasRemaining();
    }
}
