// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.observe.PollCounters;
import io.accel.profile.Profile;
import io.accel.testing.Background;
import io.accel.testing.SettledCount;
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
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections that never moved are closed while their selector sleeps: it sleeps on, as the JDK's does. */
class CloseWhileAsleepTest {
    private static final int CONNECTIONS = 20;
    /** Enough to wake up and to go to sleep again; that a thread sleeps on shows in time alone. */
    private static final int ENOUGH_TO_WAKE_UP_MILLIS = 3;

    private final AccelSelectorProvider provider =
            new AccelSelectorProvider(Profile.load("balanced", Map.of("handover.after", "1000000/1GiB")));
    private final List<SocketChannel> clients = new ArrayList<>();
    private final List<SocketChannel> accepted = new ArrayList<>();
    private Selector selector;
    private Background<Integer> sleeper;

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
        sleeper = Background.start(selector::select);
        sleeper.awaitAsleep();
    }

    @AfterEach
    void end() throws Exception {
        selector.wakeup();
        assertThat(sleeper.get(10, TimeUnit.SECONDS)).isZero();
        for (SocketChannel client : clients) {
            client.close();
        }
        selector.close();
    }

    @Test
    void theSelectorSleepsOnAndThePeersSeeTheEnd() throws Exception {
        long before = SettledCount.of(() -> PollCounters.totals().sleeps());
        for (int i = 0; i < CONNECTIONS; i++) {
            accepted.get(i).close();
            assertThat(clients.get(i).read(ByteBuffer.allocate(1))).isEqualTo(-1);
            Thread.sleep(ENOUGH_TO_WAKE_UP_MILLIS);
        }
        assertThat(PollCounters.totals().sleeps() - before)
                .as("how often the selector went to sleep again")
                .isLessThan(CONNECTIONS / 4);
        assertThat(sleeper.isDone()).isFalse();

        selector.wakeup();
        assertThat(sleeper.get(10, TimeUnit.SECONDS)).isZero();
        selector.selectNow();
        for (SocketChannel channel : accepted) {
            assertThat(channel.isRegistered()).isFalse();
        }
    }
}
