// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connecting, addresses, state and options of the socket adaptor; the streams have a test of their own. */
class SocketAdaptorTest {

    private static void assertSocketException(String message, ThrowingCallable call) {
        assertThatThrownBy(call).isExactlyInstanceOf(SocketException.class).hasMessage(message);
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void anUnboundSocketHasTheWildcardAddressAndNoPort(Adaptor adaptor) throws Exception {
        try (SocketChannel channel = SocketChannel.open()) {
            Socket socket = adaptor.over(channel);
            assertThat(socket.getLocalAddress().isAnyLocalAddress()).isTrue();
            assertThat(socket.getLocalPort()).isEqualTo(-1);
            assertThat(socket.getLocalSocketAddress()).isNull();
            assertThat(socket.getInetAddress()).isNull();
            assertThat(socket.getPort()).isZero();
            assertThat(socket.getRemoteSocketAddress()).isNull();
            assertThat(socket.isBound()).isFalse();
            assertThat(socket.isConnected()).isFalse();
            assertThat(socket.isClosed()).isFalse();
            assertThat(socket).hasToString("Socket[unconnected]");
            assertThat(socket.getChannel()).isSameAs(channel);
        }
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void bindingShowsInTheLocalAddress(Adaptor adaptor) throws Exception {
        try (SocketChannel channel = SocketChannel.open()) {
            Socket socket = adaptor.over(channel);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            assertThat(socket.isBound()).isTrue();
            assertThat(socket.getLocalSocketAddress()).isEqualTo(channel.getLocalAddress());
            assertThat(socket.getLocalPort()).isPositive();
            assertThat(socket.getLocalAddress().isLoopbackAddress()).isTrue();
            assertSocketException("Already bound", () -> socket.bind(null));
        }
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void bindRefusesAddressesOfAnotherKind(Adaptor adaptor) throws Exception {
        try (SocketChannel channel = SocketChannel.open()) {
            Socket socket = adaptor.over(channel);
            assertSocketException("Unsupported address type", () -> socket.bind(new SocketAddress() {}));
            assertSocketException(
                    "Unresolved address", () -> socket.bind(InetSocketAddress.createUnresolved("no.invalid", 0)));
            socket.close();
            assertThatThrownBy(() -> socket.bind(null)).isExactlyInstanceOf(ClosedChannelException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void connectsWithAndWithoutTimeout(Adaptor adaptor) throws Exception {
        for (int timeout : new int[] {0, 10_000}) {
            try (ServerSocketChannel listener = ConnectedPair.listen();
                    SocketChannel channel = SocketChannel.open()) {
                Socket socket = adaptor.over(channel);
                socket.connect(listener.getLocalAddress(), timeout);
                listener.accept().close();
                assertThat(socket.isConnected()).isTrue();
                assertThat(channel.isBlocking()).isTrue();
                assertThat(socket.getRemoteSocketAddress()).isEqualTo(listener.getLocalAddress());
                assertThat(socket.getPort()).isEqualTo(((InetSocketAddress) listener.getLocalAddress()).getPort());
                assertThat(socket)
                        .hasToString("Socket[addr=" + socket.getInetAddress() + ",port=" + socket.getPort()
                                + ",localport=" + socket.getLocalPort() + "]");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void aRefusedConnectClosesTheChannel(Adaptor adaptor) throws Exception {
        // It has its port, so that nobody else does, and does not listen.
        try (SocketChannel keeper = SocketChannel.open()) {
            SocketAddress nobody = keeper.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .getLocalAddress();
            for (int timeout : new int[] {0, 10_000}) {
                try (SocketChannel channel = SocketChannel.open()) {
                    Socket socket = adaptor.over(channel);
                    assertThatThrownBy(() -> socket.connect(nobody, timeout)).isInstanceOf(ConnectException.class);
                    assertThat(socket.isClosed()).isTrue();
                    assertThatThrownBy(() -> socket.connect(nobody, timeout))
                            .isInstanceOf(ClosedChannelException.class);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void connectChecksItsArguments(Adaptor adaptor) throws Exception {
        try (SocketChannel channel = SocketChannel.open()) {
            Socket socket = adaptor.over(channel);
            assertThatThrownBy(() -> socket.connect(null))
                    .isExactlyInstanceOf(IllegalArgumentException.class)
                    .hasMessage("connect: The address can't be null");
            assertThatThrownBy(() -> socket.connect(new InetSocketAddress(1), -1))
                    .isExactlyInstanceOf(IllegalArgumentException.class)
                    .hasMessage("connect: timeout can't be negative");
            assertSocketException(
                    "Unsupported address type", () -> socket.connect(UnixDomainSocketAddress.of("/nowhere")));
            assertThat(socket.isClosed()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void connectRefusesANonBlockingChannel(Adaptor adaptor) throws Exception {
        try (ServerSocketChannel listener = ConnectedPair.listen();
                SocketChannel channel = SocketChannel.open()) {
            channel.configureBlocking(false);
            Socket socket = adaptor.over(channel);
            for (int timeout : new int[] {0, 10_000}) {
                assertThatThrownBy(() -> socket.connect(listener.getLocalAddress(), timeout))
                        .isExactlyInstanceOf(IllegalBlockingModeException.class);
            }
            assertThat(socket.isClosed()).isFalse();
        }
    }

    /** Releases of the JDK differ in this. */
    @Test
    void connectingToAnUnresolvedAddressOrAgainIsTheJdks() throws Exception {
        assertThat(refusals(Adaptor.ACCEL)).isEqualTo(refusals(Adaptor.JDK));
    }

    private static List<String> refusals(Adaptor adaptor) throws Exception {
        List<String> all = new ArrayList<>();
        SocketAddress unresolved = InetSocketAddress.createUnresolved("no.invalid", 7);
        try (SocketChannel channel = SocketChannel.open()) {
            Socket socket = adaptor.over(channel);
            all.add(refusal(() -> socket.connect(unresolved)) + channel.isOpen());
            all.add(refusal(() -> socket.connect(unresolved)));
        }
        try (ConnectedPair pair = ConnectedPair.open()) {
            Socket socket = pair.nearSocket(adaptor);
            SocketAddress remote = pair.near().getRemoteAddress();
            all.add(refusal(() -> socket.connect(unresolved)) + pair.near().isOpen());
            all.add(refusal(() -> socket.connect(remote)));
            all.add(refusal(() -> socket.connect(remote, 1000)) + pair.near().isConnected());
        }
        return all;
    }

    private static String refusal(ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        return thrown.getClass().getName() + ": " + thrown.getMessage() + " ";
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void addressesOutliveTheConnection(Adaptor adaptor) throws Exception {
        try (ConnectedPair pair = ConnectedPair.open()) {
            Socket socket = pair.nearSocket(adaptor);
            SocketAddress local = socket.getLocalSocketAddress();
            SocketAddress remote = socket.getRemoteSocketAddress();
            int localPort = socket.getLocalPort();
            socket.close();
            assertThat(pair.near().isOpen()).isFalse();
            assertThat(socket.isClosed()).isTrue();
            assertThat(socket.isConnected()).isFalse();
            assertThat(socket.isBound()).isTrue();
            assertThat(socket.getLocalSocketAddress()).isEqualTo(local);
            assertThat(socket.getRemoteSocketAddress()).isEqualTo(remote);
            assertThat(socket.getInetAddress()).isEqualTo(((InetSocketAddress) remote).getAddress());
            assertThat(socket.getPort()).isEqualTo(((InetSocketAddress) remote).getPort());
            assertThat(socket.getLocalPort()).isEqualTo(localPort);
            assertThat(socket.getLocalAddress().isAnyLocalAddress()).isTrue();
            assertThat(socket).hasToString("Socket[unconnected]");
            socket.close();
        }
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void shutdownNeedsAConnection(Adaptor adaptor) throws Exception {
        try (SocketChannel channel = SocketChannel.open()) {
            Socket socket = adaptor.over(channel);
            assertSocketException("Socket is not connected", socket::shutdownInput);
            assertSocketException("Socket is not connected", socket::shutdownOutput);
            socket.close();
            assertThatThrownBy(socket::shutdownInput).isExactlyInstanceOf(ClosedChannelException.class);
            assertThatThrownBy(socket::shutdownOutput).isExactlyInstanceOf(ClosedChannelException.class);
            assertThat(socket.isInputShutdown()).isFalse();
            assertThat(socket.isOutputShutdown()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void optionsAreTheChannels(Adaptor adaptor) throws Exception {
        try (SocketChannel channel = SocketChannel.open()) {
            Socket socket = adaptor.over(channel);
            for (boolean on : new boolean[] {true, false}) {
                socket.setTcpNoDelay(on);
                assertThat(socket.getTcpNoDelay()).isEqualTo(on);
                assertThat(channel.getOption(StandardSocketOptions.TCP_NODELAY)).isEqualTo(on);
                socket.setKeepAlive(on);
                assertThat(socket.getKeepAlive()).isEqualTo(on);
                assertThat(channel.getOption(StandardSocketOptions.SO_KEEPALIVE))
                        .isEqualTo(on);
                socket.setReuseAddress(on);
                assertThat(socket.getReuseAddress()).isEqualTo(on);
                assertThat(channel.getOption(StandardSocketOptions.SO_REUSEADDR))
                        .isEqualTo(on);
                socket.setOOBInline(on);
                assertThat(socket.getOOBInline()).isEqualTo(on);
            }
            socket.setSoLinger(true, 7);
            assertThat(socket.getSoLinger()).isEqualTo(7);
            socket.setSoLinger(false, 7);
            assertThat(socket.getSoLinger()).isEqualTo(-1);
            socket.setTrafficClass(0x10);
            assertThat(socket.getTrafficClass()).isEqualTo(0x10);
            socket.setSendBufferSize(32_768);
            assertThat(socket.getSendBufferSize()).isEqualTo(channel.getOption(StandardSocketOptions.SO_SNDBUF));
            socket.setReceiveBufferSize(32_768);
            assertThat(socket.getReceiveBufferSize()).isEqualTo(channel.getOption(StandardSocketOptions.SO_RCVBUF));
            assertThat(socket.setOption(StandardSocketOptions.TCP_NODELAY, true))
                    .isSameAs(socket);
            assertThat(socket.getOption(StandardSocketOptions.TCP_NODELAY)).isTrue();
            assertThat(socket.supportedOptions()).isEqualTo(channel.supportedOptions());
            socket.setPerformancePreferences(1, 2, 3);
        }
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void optionsCheckTheirValues(Adaptor adaptor) throws Exception {
        try (SocketChannel channel = SocketChannel.open()) {
            Socket socket = adaptor.over(channel);
            assertThatThrownBy(() -> socket.setSendBufferSize(0))
                    .isExactlyInstanceOf(IllegalArgumentException.class)
                    .hasMessage("Invalid send size");
            assertThatThrownBy(() -> socket.setReceiveBufferSize(0))
                    .isExactlyInstanceOf(IllegalArgumentException.class)
                    .hasMessage("Invalid receive size");
            assertThatThrownBy(() -> socket.setSoTimeout(-1))
                    .isExactlyInstanceOf(IllegalArgumentException.class)
                    .hasMessage("timeout < 0");
            assertThatThrownBy(() -> socket.setTrafficClass(256)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> socket.setOption(null, 1)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> socket.getOption(StandardSocketOptions.IP_MULTICAST_TTL))
                    .isInstanceOf(UnsupportedOperationException.class);
            socket.setSoTimeout(5);
            assertThat(socket.getSoTimeout()).isEqualTo(5);
        }
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void optionsOfAClosedSocketAreSocketExceptions(Adaptor adaptor) throws Exception {
        SocketChannel channel = SocketChannel.open();
        Socket socket = adaptor.over(channel);
        channel.close();
        String closed = "Socket is closed";
        assertSocketException(closed, () -> socket.setTcpNoDelay(true));
        assertSocketException(closed, socket::getTcpNoDelay);
        assertSocketException(closed, () -> socket.setSoLinger(true, 1));
        assertSocketException(closed, socket::getSoLinger);
        assertSocketException(closed, () -> socket.setOOBInline(true));
        assertSocketException(closed, socket::getOOBInline);
        assertSocketException(closed, () -> socket.setSoTimeout(-1));
        assertSocketException(closed, socket::getSoTimeout);
        assertSocketException(closed, socket::getSendBufferSize);
        assertSocketException(closed, socket::getReceiveBufferSize);
        assertSocketException(closed, socket::getKeepAlive);
        assertSocketException(closed, socket::getTrafficClass);
        assertSocketException(closed, socket::getReuseAddress);
        assertThatThrownBy(() -> socket.getOption(StandardSocketOptions.TCP_NODELAY))
                .isExactlyInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> socket.sendUrgentData(1)).isExactlyInstanceOf(ClosedChannelException.class);
    }

    @ParameterizedTest
    @EnumSource(Adaptor.class)
    void urgentDataArrivesInline(Adaptor adaptor) throws Exception {
        try (ConnectedPair pair = ConnectedPair.open()) {
            Socket far = adaptor.over(pair.far());
            far.setOOBInline(true);
            pair.nearSocket(adaptor).sendUrgentData(0x1fe);
            assertThat(far.getInputStream().read()).isEqualTo(0xfe);
        }
    }
}
