// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.profile.Profile;
import io.accel.testing.Background;
import io.accel.testing.DirectoryContent;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.DatagramChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A datagram socket while the kernel alone has it, and how that ends. The contract suite tests that it behaves as the JDK's all the time. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class DatagramYouthTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int QUERIES = 300;
    private static final int SHORT_MILLIS = 20;

    @TempDir
    private Path dir;

    private AccelSelectorProvider provider;

    @BeforeEach
    void load() {
        provider = new AccelSelectorProvider(
                Profile.load("latency", Map.of("shm.dir", dir.toString(), "handover.after", "8/64KiB")));
    }

    @Test
    void socketsOfOneQueryLeaveNothing() throws Exception {
        try (AccelDatagramChannel server = bound()) {
            for (int i = 0; i < QUERIES; i++) {
                try (AccelDatagramChannel client = bound()) {
                    trip(client, server);
                    assertThat(isAlone(client)).isTrue();
                }
            }
            assertThat(isAlone(server)).isTrue();
            assertThat(DirectoryContent.of(dir)).isEmpty();
        }
    }

    @Test
    void blockingPeersThatTalkAreLinked() throws Exception {
        try (AccelDatagramChannel server = bound();
                AccelDatagramChannel client = bound()) {
            await().pollInterval(Duration.ofMillis(2)).atMost(LIMIT).until(() -> {
                trip(client, server);
                return isLinked(client, server) && isLinked(server, client);
            });
            assertThat(isAlone(client)).isFalse();
            trip(client, server);
        }
    }

    /** Its next datagram ends the time in which it would not hear a link. */
    @Test
    void aThreadThatIsBlockedInTheKernelGoesOnWithTheLink() throws Exception {
        try (AccelDatagramChannel server = bound();
                AccelDatagramChannel client = bound()) {
            Background<Boolean> echo = Background.start(() -> {
                ByteBuffer buffer = ByteBuffer.allocate(64);
                InetSocketAddress from = (InetSocketAddress) server.receive(buffer);
                while (buffer.position() > 0) {
                    server.send(buffer.flip(), from);
                    from = (InetSocketAddress) server.receive(buffer.clear());
                }
                return true;
            });
            await().pollInterval(Duration.ofMillis(2)).atMost(LIMIT).until(() -> {
                client.send(ByteBuffer.allocate(8), address(server));
                client.receive(ByteBuffer.allocate(8));
                return isLinked(client, server) && isLinked(server, client);
            });
            client.send(ByteBuffer.allocate(0), address(server));
            assertThat(echo.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aCloseEndsABlockedReceive() throws Exception {
        AccelDatagramChannel channel = bound();
        Background<SocketAddress> blocked = Background.start(() -> channel.receive(ByteBuffer.allocate(8)));
        blocked.awaitIn(AccelDatagramChannel.class, "receive");
        channel.close();
        assertThatThrownBy(() -> blocked.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
                .hasCauseInstanceOf(AsynchronousCloseException.class);
    }

    @Test
    void anInterruptClosesTheChannelToo() throws Exception {
        try (AccelDatagramChannel channel = bound()) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> channel.receive(ByteBuffer.allocate(8)))
                    .isInstanceOf(ClosedByInterruptException.class);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(channel.isOpen()).isFalse();
        }
    }

    /** Under {@link DatagramSocket}. */
    @Test
    void anInterruptClosesNoSocket() throws Exception {
        try (DatagramSocket socket = provider.get().socket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            socket.setSoTimeout(SHORT_MILLIS);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> socket.receive(new DatagramPacket(new byte[8], 8)))
                    .isInstanceOf(SocketTimeoutException.class);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(socket.isClosed()).isFalse();
        }
    }

    @Test
    void aSocketThatIsClosedSaysSo() throws Exception {
        DatagramSocket socket = provider.get().socket();
        socket.close();
        assertThatThrownBy(() -> socket.receive(new DatagramPacket(new byte[8], 8)))
                .isInstanceOf(SocketException.class);
    }

    private AccelDatagramChannel bound() throws IOException {
        DatagramChannel channel = provider.openDatagramChannel();
        return (AccelDatagramChannel) channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private static InetSocketAddress address(DatagramChannel channel) throws IOException {
        return (InetSocketAddress) channel.getLocalAddress();
    }

    private static boolean isLinked(AccelDatagramChannel from, AccelDatagramChannel to) throws IOException {
        return from.path(address(to)).path().equals("shm");
    }

    /** Whether the JDK's channel does everything for it. */
    private static boolean isAlone(AccelDatagramChannel channel) {
        boolean alone = channel.enterKernel();
        if (alone) {
            channel.leaveKernel(null, 0, false);
        }
        return alone;
    }

    private static void trip(AccelDatagramChannel client, AccelDatagramChannel server) throws IOException {
        ByteBuffer message = ByteBuffer.allocate(8);
        client.send(message.clear(), address(server));
        InetSocketAddress from = (InetSocketAddress) server.receive(message.clear());
        server.send(message.flip(), from);
        assertThat(client.receive(message.clear())).isEqualTo(address(server));
        assertThat(message.position()).isEqualTo(8);
    }
}
