// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.adaptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Path;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** SocketChannel.socket(): the state that it shows, and its options. */
@Tag("adaptor")
class SocketAdaptorTest extends ContractSupport {
    /** The values of {@code handover.after} with which connections go back to the kernel at any moment. */
    private static final Set<String> GO_BACK = Set.of("random", "breaking");

    @Test
    void isAlwaysTheSameAndKnowsItsChannel() throws IOException {
        Pair pair = pair();
        for (SocketChannel channel : new SocketChannel[] {channel(), pair.client(), pair.server()}) {
            Socket socket = channel.socket();
            assertThat(channel.socket()).isSameAs(socket);
            assertThat(socket.getChannel()).isSameAs(channel);
            assertThat(socket.supportedOptions()).isEqualTo(channel.supportedOptions());
            assertThat(socket.toString()).startsWith("Socket[");
        }
    }

    @Test
    void stateBeforeConnect() throws IOException {
        Socket socket = channel().socket();
        assertThat(socket.isConnected()).isFalse();
        assertThat(socket.isBound()).isFalse();
        assertThat(socket.isClosed()).isFalse();
        assertThat(socket.isInputShutdown()).isFalse();
        assertThat(socket.isOutputShutdown()).isFalse();
        assertThat(socket.getInetAddress()).isNull();
        assertThat(socket.getPort()).isZero();
        assertThat(socket.getLocalPort()).isEqualTo(-1);
        assertThat(socket.getLocalAddress().isAnyLocalAddress()).isTrue();
        assertThat(socket.getLocalSocketAddress()).isNull();
        assertThat(socket.getRemoteSocketAddress()).isNull();
        assertThatThrownBy(socket::getInputStream).isInstanceOf(SocketException.class);
        assertThatThrownBy(socket::getOutputStream).isInstanceOf(SocketException.class);
        assertThatThrownBy(socket::shutdownInput).isInstanceOf(SocketException.class);
        assertThatThrownBy(socket::shutdownOutput).isInstanceOf(SocketException.class);
        assertThat(socket.isClosed()).isFalse();
    }

    @Test
    void stateOnceConnected() throws IOException {
        ServerSocketChannel listener = listener();
        Pair pair = pair(listener);
        Socket client = pair.client().socket();
        Socket server = pair.server().socket();
        InetSocketAddress local = (InetSocketAddress) pair.client().getLocalAddress();
        InetSocketAddress remote = (InetSocketAddress) pair.client().getRemoteAddress();
        for (Socket socket : new Socket[] {client, server}) {
            assertThat(socket.isConnected()).isTrue();
            assertThat(socket.isBound()).isTrue();
            assertThat(socket.isClosed()).isFalse();
        }
        assertThat(client.getLocalSocketAddress()).isEqualTo(local);
        assertThat(client.getLocalAddress()).isEqualTo(local.getAddress());
        assertThat(client.getLocalPort()).isEqualTo(local.getPort());
        assertThat(client.getRemoteSocketAddress()).isEqualTo(remote).isEqualTo(destination(listener));
        assertThat(client.getInetAddress()).isEqualTo(remote.getAddress());
        assertThat(client.getPort()).isEqualTo(remote.getPort());
        InetSocketAddress seen = (InetSocketAddress) pair.server().getRemoteAddress();
        assertThat(clientOf(seen)).isEqualTo(local);
        assertThat(server.getRemoteSocketAddress()).isEqualTo(seen);
        assertThat(server.getPort()).isEqualTo(seen.getPort());
        assertThat(server.getLocalSocketAddress()).isEqualTo(listener.getLocalAddress());
        assertThat(server.getLocalPort()).isEqualTo(listener.socket().getLocalPort());
        assertThat(client.toString()).contains(String.valueOf(remote.getPort()));
    }

    @Test
    void closingEitherClosesBoth() throws IOException {
        Pair pair = pair();
        pair.client().socket().close();
        assertThat(pair.client().isOpen()).isFalse();
        pair.server().close();
        assertThat(pair.server().socket().isClosed()).isTrue();
        pair.client().socket().close();
    }

    @Test
    void stateOnceClosed() throws IOException {
        Pair pair = pair();
        Socket socket = pair.client().socket();
        InetSocketAddress remote = (InetSocketAddress) pair.client().getRemoteAddress();
        int localPort = socket.getLocalPort();
        socket.close();
        assertThat(socket.isClosed()).isTrue();
        assertThat(socket.isConnected()).isFalse();
        assertThat(socket.isBound()).isTrue();
        assertThat(socket.getPort()).as("remembered").isEqualTo(remote.getPort());
        assertThat(socket.getInetAddress()).isEqualTo(remote.getAddress());
        assertThat(socket.getLocalPort()).isEqualTo(localPort);
        assertThat(socket.getLocalAddress().isAnyLocalAddress()).isTrue();
        assertThat(socket.toString()).isNotEmpty();
        assertThatThrownBy(socket::getInputStream).isInstanceOf(SocketException.class);
        assertThatThrownBy(socket::getOutputStream).isInstanceOf(SocketException.class);
        assertThatThrownBy(() -> socket.setTcpNoDelay(true)).isInstanceOf(SocketException.class);
        assertThatThrownBy(socket::getSoLinger).isInstanceOf(SocketException.class);
        assertThatThrownBy(() -> socket.setSoTimeout(1)).isInstanceOf(SocketException.class);
        assertThatThrownBy(socket::getSoTimeout).isInstanceOf(SocketException.class);
        assertThatThrownBy(() -> socket.connect(anyPort())).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> socket.bind(null)).isInstanceOf(IOException.class);
        assertThatThrownBy(socket::shutdownOutput).isInstanceOf(IOException.class);
    }

    @Test
    void bindAndConnect() throws IOException {
        ServerSocketChannel listener = listener();
        Socket socket = channel().socket();
        socket.bind(anyPort());
        assertThat(socket.isBound()).isTrue();
        assertThat(socket.isConnected()).isFalse();
        int port = socket.getLocalPort();
        assertThat(port).isPositive();
        assertThatThrownBy(() -> socket.bind(anyPort())).isInstanceOf(SocketException.class);
        socket.connect(destination(listener));
        assertThat(socket.getLocalPort()).isEqualTo(port);
        assertThat(socket.getChannel().isConnected()).isTrue();
        // JDK 17 does not translate it
        assertThatThrownBy(() -> socket.connect(destination(listener)))
                .isInstanceOfAny(SocketException.class, AlreadyConnectedException.class);
        assertThat(socket.isClosed()).as("still connected").isFalse();
        assertThat(clientOf(closing(listener.accept())).getPort()).isEqualTo(port);
    }

    @Test
    void badArgumentsOfConnectAreRefused() throws IOException {
        Socket socket = channel().socket();
        assertThatThrownBy(() -> socket.connect(null)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> socket.connect(anyPort(), -1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(socket.isClosed()).isFalse();
        assertThatThrownBy(() -> socket.connect(InetSocketAddress.createUnresolved("nowhere.invalid", 80)))
                .isInstanceOf(UnknownHostException.class);
    }

    @Test
    void shutdownIsShown() throws IOException {
        Pair pair = pair();
        Socket socket = pair.client().socket();
        socket.shutdownOutput();
        assertThat(socket.isOutputShutdown()).isTrue();
        assertThat(socket.isInputShutdown()).isFalse();
        assertThat(pair.server().read(ByteBuffer.allocate(1))).isEqualTo(-1);
        assertThatThrownBy(socket::getOutputStream).isInstanceOf(SocketException.class);
        pair.client().shutdownInput();
        assertThat(socket.isInputShutdown()).isTrue();
        assertThatThrownBy(socket::getInputStream).isInstanceOf(SocketException.class);
        assertThat(socket.isClosed()).isFalse();
        assertThat(socket.isConnected()).isTrue();
    }

    @Test
    void optionsAreTheChannels() throws IOException {
        SocketChannel channel = pair().client();
        Socket socket = channel.socket();
        socket.setTcpNoDelay(true);
        assertThat(socket.getTcpNoDelay()).isTrue();
        assertThat(channel.getOption(StandardSocketOptions.TCP_NODELAY)).isTrue();
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        assertThat(socket.getKeepAlive()).isTrue();
        socket.setKeepAlive(false);
        assertThat(channel.getOption(StandardSocketOptions.SO_KEEPALIVE)).isFalse();
        socket.setReuseAddress(true);
        assertThat(socket.getReuseAddress()).isTrue();
        socket.setOOBInline(true);
        assertThat(socket.getOOBInline()).isTrue();
        socket.setSoLinger(true, 9);
        assertThat(socket.getSoLinger()).isEqualTo(9);
        socket.setSoLinger(false, 9);
        assertThat(socket.getSoLinger()).isEqualTo(-1);
        socket.setTrafficClass(0x10);
        assertThat(socket.getTrafficClass()).isEqualTo(0x10);
        socket.setSendBufferSize(30_000);
        assertThat(socket.getSendBufferSize()).isPositive();
        socket.setReceiveBufferSize(30_000);
        assertThat(socket.getReceiveBufferSize()).isPositive();
        socket.setSoTimeout(77);
        assertThat(socket.getSoTimeout()).isEqualTo(77);
        socket.setPerformancePreferences(0, 1, 2);
        assertThat(socket.setOption(StandardSocketOptions.TCP_NODELAY, false)).isSameAs(socket);
        assertThat(socket.getOption(StandardSocketOptions.TCP_NODELAY)).isFalse();
    }

    @Test
    void badOptionsAreRefused() throws IOException {
        Socket socket = pair().client().socket();
        assertThatThrownBy(() -> socket.setSoTimeout(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> socket.setSendBufferSize(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> socket.setReceiveBufferSize(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> socket.setTrafficClass(256)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> socket.setOption(StandardSocketOptions.IP_MULTICAST_TTL, 1))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(socket.isClosed()).isFalse();
    }

    @Test
    void urgentByteIsDroppedUnlessWantedInline() throws IOException {
        Pair pair = pair();
        Socket client = pair.client().socket();
        Bytes.write(pair.client(), Bytes.ascii("a"));
        client.sendUrgentData('!');
        Bytes.write(pair.client(), Bytes.ascii("b"));
        assertThat(Bytes.readAscii(pair.server(), 2)).isEqualTo("ab");

        pair.server().socket().setOOBInline(true);
        client.sendUrgentData('?');
        Bytes.write(pair.client(), Bytes.ascii("c"));
        assertThat(Bytes.readAscii(pair.server(), 2)).isEqualTo("?c");
    }

    /** A direction that uses a faster path does not learn of it. */
    @Test
    void urgentByteOnceItIsNoLongerWantedInline() throws IOException {
        Pair pair = pair();
        Bytes.write(pair.client(), Bytes.ascii("a"));
        assertThat(Bytes.readAscii(pair.server(), 1)).isEqualTo("a");
        pair.server().socket().setOOBInline(true);
        Bytes.write(pair.client(), Bytes.ascii("b"));
        assertThat(Bytes.readAscii(pair.server(), 1)).isEqualTo("b");
        pair.server().socket().setOOBInline(false);
        pair.client().socket().sendUrgentData('!');
        Bytes.write(pair.client(), Bytes.ascii("c"));
        pair.client().shutdownOutput();
        String read = new String(Bytes.readToEnd(pair.server()), StandardCharsets.US_ASCII);
        if (Path.current().isKernels()) {
            assertThat(read).isEqualTo("c");
        } else if (GO_BACK.contains(System.getProperty("accel.handover.after", ""))) {
            assertThat(read).isIn("!c", "c"); // it may be on the kernel's path just then
        } else {
            assertThat(read).isEqualTo("!c");
        }
    }
}
