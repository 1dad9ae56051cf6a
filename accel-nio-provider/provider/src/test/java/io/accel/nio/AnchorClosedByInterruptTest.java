// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.core.socket.ChannelAnchor;
import io.accel.core.socket.PlainStream;
import io.accel.profile.Profile;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An interrupt has made the JDK's channel under a connection close itself, before it was the turn of the program's own bytes. */
@Timeout(60)
class AnchorClosedByInterruptTest {
    private ServerSocketChannel listener;
    private SocketChannel kernel;
    private SocketChannel client;

    @BeforeEach
    void connect() throws IOException {
        AccelSelectorProvider provider =
                new AccelSelectorProvider(Profile.load("balanced", Map.of("rule.1", "kernel * *:*")));
        listener = provider.openServerSocketChannel().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        kernel = provider.kernel().openSocketChannel();
        client = new AccelSocketChannel(
                provider, new PlainStream(provider.accelerator(), new ChannelAnchor(kernel)), kernel);
        client.connect(listener.getLocalAddress());
        kernel.close();
        Thread.currentThread().interrupt();
    }

    @AfterEach
    void close() throws IOException {
        boolean unused = Thread.interrupted();
        client.close();
        listener.close();
    }

    @Test
    void aWriteSaysSo() {
        assertThatThrownBy(() -> client.write(ByteBuffer.allocate(1))).isInstanceOf(ClosedByInterruptException.class);
        assertThat(client.isOpen()).isFalse();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aReadSaysSo() {
        assertThatThrownBy(() -> client.read(ByteBuffer.allocate(1))).isInstanceOf(ClosedByInterruptException.class);
        assertThat(client.isOpen()).isFalse();
        assertThat(Thread.interrupted()).isTrue();
    }
}
