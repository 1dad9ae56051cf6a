// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ServerSocketAdaptorTest {

    private static final SocketAddress LOOPBACK = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private ServerSocketChannel channel;

    @BeforeEach
    void open() throws Exception {
        channel = ServerSocketChannel.open();
    }

    @AfterEach
    void close() throws Exception {
        channel.close();
    }

    private static void assertSocketException(String message, ThrowingCallable call) {
        assertThatThrownBy(call).isExactlyInstanceOf(SocketException.class).hasMessage(message);
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void anUnboundSocketHasNoAddress(Adaptor adaptor) throws Exception {
        ServerSocket socket = adaptor.over(channel);
        assertThat(socket.isBound()).isFalse();
        assertThat(socket.getInetAddress()).isNull();
        assertThat(socket.getLocalPort()).isEqualTo(-1);
        assertThat(socket.getLocalSocketAddress()).isNull();
        assertThat(socket.getChannel()).isSameAs(channel);
        assertThat(socket).hasToString("ServerSocket[unbound]");
        assertSocketException("Socket is not bound yet", socket::accept);
        socket.setSoTimeout(10);
        assertSocketException("Socket is not bound yet", socket::accept);
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void bindsOnce(Adaptor adaptor) throws Exception {
        ServerSocket socket = adaptor.over(channel);
        assertSocketException("Unsupported address type", () -> socket.bind(new SocketAddress() {}));
        assertSocketException(
                "Unresolved address", () -> socket.bind(InetSocketAddress.createUnresolved("no.invalid", 0)));
        socket.bind(LOOPBACK);
        assertThat(socket.isBound()).isTrue();
        assertThat(socket.getLocalSocketAddress()).isEqualTo(channel.getLocalAddress());
        assertThat(socket.getInetAddress()).isEqualTo(InetAddress.getLoopbackAddress());
        assertThat(socket.getLocalPort()).isPositive();
        assertThat(socket)
                .hasToString(
                        "ServerSocket[addr=" + socket.getInetAddress() + ",localport=" + socket.getLocalPort() + "]");
        assertSocketException("Already bound", () -> socket.bind(LOOPBACK, 5));
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void bindingToNullIsTheWildcardAndAnyPort(Adaptor adaptor) throws Exception {
        ServerSocket socket = adaptor.over(channel);
        socket.bind(null, 0);
        assertThat(socket.getInetAddress().isAnyLocalAddress()).isTrue();
        assertThat(socket.getLocalPort()).isPositive();
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void acceptsWithAndWithoutTimeout(Adaptor adaptor) throws Exception {
        ServerSocket socket = adaptor.over(channel);
        socket.bind(LOOPBACK);
        for (int timeout : new int[] {0, 10_000}) {
            socket.setSoTimeout(timeout);
            assertThat(socket.getSoTimeout()).isEqualTo(timeout);
            try (SocketChannel client = SocketChannel.open(socket.getLocalSocketAddress());
                    Socket accepted = socket.accept()) {
                assertThat(accepted.getRemoteSocketAddress()).isEqualTo(client.getLocalAddress());
                assertThat(accepted.getChannel().socket()).isSameAs(accepted);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void acceptTimesOut(Adaptor adaptor) throws Exception {
        ServerSocket socket = adaptor.over(channel);
        socket.bind(LOOPBACK);
        socket.setSoTimeout(50);
        long start = System.nanoTime();
        assertThatThrownBy(socket::accept)
                .isExactlyInstanceOf(SocketTimeoutException.class)
                .hasMessage("Accept timed out");
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(50_000_000L);
        assertThat(socket.isClosed()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void aNonBlockingChannelGivesOnlyWhatIsThere(Adaptor adaptor) throws Exception {
        ServerSocket socket = adaptor.over(channel);
        socket.bind(LOOPBACK);
        channel.configureBlocking(false);
        assertThatThrownBy(socket::accept).isExactlyInstanceOf(IllegalBlockingModeException.class);
        try (SocketChannel client = SocketChannel.open(socket.getLocalSocketAddress());
                Socket accepted = acceptWhatComes(socket)) {
            assertThat(accepted.getRemoteSocketAddress()).isEqualTo(client.getLocalAddress());
            socket.setSoTimeout(1_000);
            assertThatThrownBy(socket::accept).isExactlyInstanceOf(IllegalBlockingModeException.class);
        }
    }

    /** If another processor has to tell the listener, a client knows that it is connected a moment before the listener does. */
    private static Socket acceptWhatComes(ServerSocket socket) {
        return await().pollInSameThread()
                .pollDelay(Duration.ZERO)
                .ignoreException(IllegalBlockingModeException.class)
                .until(socket::accept, accepted -> true);
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void aClosedSocketKeepsItsAddress(Adaptor adaptor) throws Exception {
        ServerSocket socket = adaptor.over(channel);
        socket.bind(LOOPBACK);
        SocketAddress local = socket.getLocalSocketAddress();
        socket.close();
        socket.close();
        assertThat(channel.isOpen()).isFalse();
        assertThat(socket.isClosed()).isTrue();
        assertThat(socket.isBound()).isTrue();
        assertThat(socket.getLocalSocketAddress()).isEqualTo(local);
        assertThatThrownBy(socket::accept).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> socket.bind(LOOPBACK)).isExactlyInstanceOf(ClosedChannelException.class);
        assertSocketException("Socket is closed", () -> socket.setSoTimeout(-1));
        assertSocketException("Socket is closed", socket::getSoTimeout);
        assertSocketException("Socket is closed", () -> socket.setReuseAddress(true));
        assertSocketException("Socket is closed", socket::getReuseAddress);
        assertSocketException("Socket is closed", () -> socket.setReceiveBufferSize(4_096));
        assertSocketException("Socket is closed", socket::getReceiveBufferSize);
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void optionsAreTheChannels(Adaptor adaptor) throws Exception {
        ServerSocket socket = adaptor.over(channel);
        for (boolean on : new boolean[] {false, true}) {
            socket.setReuseAddress(on);
            assertThat(socket.getReuseAddress()).isEqualTo(on);
            assertThat(channel.getOption(StandardSocketOptions.SO_REUSEADDR)).isEqualTo(on);
        }
        socket.setReceiveBufferSize(32_768);
        assertThat(socket.getReceiveBufferSize()).isEqualTo(channel.getOption(StandardSocketOptions.SO_RCVBUF));
        assertThatThrownBy(() -> socket.setReceiveBufferSize(0))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessage("size cannot be 0 or negative");
        assertThatThrownBy(() -> socket.setSoTimeout(-1))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessage("timeout < 0");
        assertThat(socket.setOption(StandardSocketOptions.SO_REUSEADDR, false)).isSameAs(socket);
        assertThat(socket.getOption(StandardSocketOptions.SO_REUSEADDR)).isFalse();
        assertThat(socket.supportedOptions()).isEqualTo(channel.supportedOptions());
        socket.setPerformancePreferences(1, 2, 3);
    }
}
