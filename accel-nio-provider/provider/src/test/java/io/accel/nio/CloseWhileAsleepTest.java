// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.observe.PollCounters;
import io.accel.profile.Profile;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections that never moved are closed while their selector sleeps: it sleeps on, as the JDK's does. */
class CloseWhileAsleepTest {
    private static final int CONNECTIONS = 20;

    private final AccelSelectorProvider provider =
            new AccelSelectorProvider(Profile.load("balanced", Map.of("handover.after", "1000000/1GiB")));
    private final List<SocketChannel> clients = new ArrayList<>();
    private final List<SocketChannel> accepted = new ArrayList<>();
    private Selector selector;
    private Thread sleeper;

    @BeforeEach
    void connect() throws Exception {
        selector = provider.openSelector();
        try (ServerSocketChannel listener = provider.openServerSocketChannel()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            for (int i = 0; i < CONNECTIONS; i++) {
                SocketChannel client = provider.openSocketChannel();
                clients.add(client);
                client.connect(listener.getLocalAddress());
                SocketChannel channel = listener.accept();
                accepted.add(channel);
                channel.configureBlocking(false);
                channel.register(selector, SelectionKey.OP_READ);
            }
        }
        sleeper = new Thread(this::select, "sleeper");
        sleeper.start();
        await().until(() -> PollCounters.totals().sleeps() > 0);
        await().until(() -> {
            long before = PollCounters.totals().sleeps();
            Thread.sleep(100);
            return PollCounters.totals().sleeps() == before;
        });
    }

    private void select() {
        try {
            selector.select();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void end() throws Exception {
        selector.wakeup();
        sleeper.join();
        for (SocketChannel client : clients) {
            client.close();
        }
        selector.close();
    }

    @Test
    void theSelectorSleepsOnAndThePeersSeeTheEnd() throws Exception {
        long before = PollCounters.totals().sleeps();
        for (int i = 0; i < CONNECTIONS; i++) {
            accepted.get(i).close();
            assertThat(clients.get(i).read(ByteBuffer.allocate(1))).isEqualTo(-1);
            Thread.sleep(3); // enough to wake up and to go to sleep again
        }
        assertThat(PollCounters.totals().sleeps() - before)
                .as("how often the selector went to sleep again")
                .isLessThan(CONNECTIONS / 4);
        assertThat(sleeper.isAlive()).isTrue();

        selector.wakeup();
        sleeper.join();
        selector.selectNow();
        for (SocketChannel channel : accepted) {
            assertThat(channel.isRegistered()).isFalse();
        }
    }
}
