// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.jdk.JdkAccess;
import io.accel.testing.Background;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The options that Accel sets on the anchor for a moment are not the program's: it neither sees them nor loses its own. */
@Timeout(60)
class AnchorOptionsTest {
    /** Sends a byte as an announcement is sent, while a program uses the option. */
    private static Background<Boolean> sendBeside(SocketChannel channel, Callable<Boolean> program, Lab lab)
            throws Exception {
        AtomicReference<Background<Boolean>> beside = new AtomicReference<>();
        AtomicReference<StreamSocket> stream = new AtomicReference<>();
        ChannelAnchor anchor = new ChannelAnchor(new SlowChannel(channel, () -> {
            AtomicReference<Thread> thread = new AtomicReference<>();
            beside.set(Background.start(() -> {
                thread.set(Thread.currentThread());
                synchronized (stream.get().optionsMonitor()) {
                    return program.call();
                }
            }));
            // In the middle of the send: the program has to wait, or would be through by now.
            await().until(() -> thread.get() != null
                    && (thread.get().getState() == Thread.State.BLOCKED
                            || !thread.get().isAlive()));
        }));
        stream.set(new StreamSocket(lab.accelerator, anchor));
        assertThat(anchor.send(ByteBuffer.allocate(1))).isEqualTo(1);
        return beside.get();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theProgramsValueWinsOverTheOneOfAnAnnouncement(boolean wanted) throws Exception {
        try (Lab lab = new Lab("balanced", Map.of());
                ServerSocketChannel listener = JdkAccess.kernelProvider().openServerSocketChannel();
                SocketChannel channel = connect(listener)) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, !wanted);
            boolean set = sendBeside(
                            channel,
                            () -> {
                                channel.setOption(StandardSocketOptions.TCP_NODELAY, wanted);
                                return true;
                            },
                            lab)
                    .get(20, TimeUnit.SECONDS);
            assertThat(set).isTrue();
            assertThat(channel.getOption(StandardSocketOptions.TCP_NODELAY)).isEqualTo(wanted);
        }
    }

    @Test
    void theProgramDoesNotSeeTheValueOfAnAnnouncement() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of());
                ServerSocketChannel listener = JdkAccess.kernelProvider().openServerSocketChannel();
                SocketChannel channel = connect(listener)) {
            boolean seen = sendBeside(channel, () -> channel.getOption(StandardSocketOptions.TCP_NODELAY), lab)
                    .get(20, TimeUnit.SECONDS);
            assertThat(seen).isFalse();
        }
    }

    private static SocketChannel connect(ServerSocketChannel listener) throws IOException {
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        SocketChannel channel = JdkAccess.kernelProvider().openSocketChannel();
        channel.connect(listener.getLocalAddress());
        channel.configureBlocking(false);
        return channel;
    }
}
