// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.accel.profile.Profile;
import io.accel.testing.Background;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A channel of the JDK's own that was closed while registered: the next selection gives its descriptor back. */
class KernelChannelCloseTest {
    private final AccelSelectorProvider provider = new AccelSelectorProvider(Profile.fromSystem());
    private Selector selector;
    private DatagramChannel channel;
    private SocketAddress address;

    @BeforeEach
    void register() throws IOException {
        selector = provider.openSelector();
        channel = provider.openDatagramChannel();
        channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ);
        address = channel.getLocalAddress();
    }

    @AfterEach
    void close() throws IOException {
        channel.close();
        selector.close();
    }

    @Test
    void byTheNextSelection() throws IOException {
        selector.selectNow();
        channel.close();
        selector.selectNow();
        assertPortIsFree();
    }

    @Test
    void byTheSelectionUnderWay() throws Exception {
        Background<Integer> selecting = Background.start(() -> selector.select(10_000));
        selecting.awaitAsleep();
        channel.close();
        selector.wakeup();
        assertThat(selecting.get(10, TimeUnit.SECONDS)).isZero();
        assertPortIsFree();
    }

    @Test
    void byTheLastOfTwoSelectors() throws IOException {
        try (Selector other = provider.openSelector()) {
            channel.register(other, SelectionKey.OP_READ);
            other.selectNow();
            channel.close();
            selector.selectNow();
            other.selectNow();
            assertPortIsFree();
        }
    }

    @Test
    void byTheSelectorsClose() throws IOException {
        channel.close();
        selector.close();
        assertPortIsFree();
    }

    private void assertPortIsFree() throws IOException {
        assertThat(channel.isRegistered()).isFalse();
        try (DatagramChannel next = provider.openDatagramChannel()) {
            assertThatCode(() -> next.bind(address)).doesNotThrowAnyException();
        }
    }
}
