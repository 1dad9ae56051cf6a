// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.core.jdk.JdkAccess;
import io.accel.profile.Profile;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** With {@code fallback=fail} a program hears why a connection is not accelerated, however it connects, and has a closed channel. */
@Timeout(60)
class RefusedConnectTest {
    private final AccelSelectorProvider provider =
            new AccelSelectorProvider(Profile.load("balanced", Map.of("fallback", "fail")));
    /** A listener of the JDK's own provider, which knows nothing of Accel. */
    private ServerSocketChannel listener;

    private SocketChannel channel;

    @BeforeEach
    void open() throws IOException {
        listener = JdkAccess.kernelProvider().openServerSocketChannel();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        channel = provider.openSocketChannel();
    }

    @AfterEach
    void close() throws IOException {
        channel.close();
        listener.close();
    }

    @Test
    void byABlockingConnect() throws IOException {
        assertRefused(() -> channel.connect(listener.getLocalAddress()));
    }

    @Test
    void byTheAdaptor() throws IOException {
        assertRefused(() -> channel.socket().connect(listener.getLocalAddress(), 30_000));
    }

    @Test
    void byFinishConnect() throws IOException {
        channel.configureBlocking(false);
        assertRefused(() -> {
            if (!channel.connect(listener.getLocalAddress())) {
                try (Selector selector = provider.openSelector()) {
                    channel.register(selector, SelectionKey.OP_CONNECT);
                    assertThat(selector.select(30_000)).isOne();
                    channel.finishConnect();
                }
            }
        });
    }

    private void assertRefused(Attempt attempt) {
        assertThatThrownBy(attempt::run)
                .isExactlyInstanceOf(ConnectException.class)
                .hasMessageStartingWith("not accelerated, and fallback=fail: ");
        assertThat(channel.isOpen()).isFalse();
        assertThatThrownBy(channel::getRemoteAddress).isExactlyInstanceOf(ClosedChannelException.class);
    }

    private interface Attempt {
        void run() throws IOException;
    }
}
