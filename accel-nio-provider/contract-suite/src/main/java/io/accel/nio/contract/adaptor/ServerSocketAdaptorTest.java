// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.adaptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** ServerSocketChannel.socket(). */
@Tag("adaptor")
class ServerSocketAdaptorTest extends ContractSupport {
    @Test
    void isAlwaysTheSameAndKnowsItsChannel() throws IOException {
        ServerSocketChannel channel = listener();
        ServerSocket socket = channel.socket();
        assertThat(channel.socket()).isSameAs(socket);
        assertThat(socket.getChannel()).isSameAs(channel);
        assertThat(socket.supportedOptions()).isEqualTo(channel.supportedOptions());
    }

    @Test
    void stateBeforeBind() throws IOException {
        ServerSocket socket = closing(ServerSocketChannel.open()).socket();
        assertThat(socket.isBound()).isFalse();
        assertThat(socket.isClosed()).isFalse();
        assertThat(socket.getInetAddress()).isNull();
        assertThat(socket.getLocalPort()).isEqualTo(-1);
        assertThat(socket.getLocalSocketAddress()).isNull();
        assertThat(socket.toString()).contains("unbound");
        assertThatThrownBy(socket::accept).isInstanceOf(SocketException.class);
        assertThat(socket.isClosed()).isFalse();
    }

    @Test
    void stateOnceBound() throws IOException {
        ServerSocketChannel channel = closing(ServerSocketChannel.open());
        ServerSocket socket = channel.socket();
        socket.bind(anyPort(), 10);
        InetSocketAddress address = (InetSocketAddress) channel.getLocalAddress();
        assertThat(socket.isBound()).isTrue();
        assertThat(socket.getLocalSocketAddress()).isEqualTo(address);
        assertThat(socket.getInetAddress()).isEqualTo(address.getAddress());
        assertThat(socket.getLocalPort()).isEqualTo(address.getPort());
        assertThat(socket.toString()).contains(String.valueOf(address.getPort()));
        assertThatThrownBy(() -> socket.bind(anyPort())).isInstanceOf(SocketException.class);
    }

    @Test
    void bindToNullListensOnTheWildcard() throws IOException {
        ServerSocket socket = closing(ServerSocketChannel.open()).socket();
        socket.bind(null);
        assertThat(socket.getInetAddress().isAnyLocalAddress()).isTrue();
        assertThat(socket.getLocalPort()).isPositive();
    }

    @Test
    void closingEitherClosesBoth() throws IOException {
        ServerSocketChannel channel = listener();
        ServerSocket socket = channel.socket();
        int port = socket.getLocalPort();
        socket.close();
        assertThat(channel.isOpen()).isFalse();
        assertThat(socket.isClosed()).isTrue();
        assertThat(socket.isBound()).as("remembered").isTrue();
        assertThat(socket.getLocalPort()).isEqualTo(port);
        socket.close();
        assertThatThrownBy(socket::accept).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> socket.setSoTimeout(1)).isInstanceOf(SocketException.class);
        assertThatThrownBy(socket::getSoTimeout).isInstanceOf(SocketException.class);
        assertThatThrownBy(() -> socket.setReuseAddress(true)).isInstanceOf(SocketException.class);
        assertThatThrownBy(() -> socket.bind(null)).isInstanceOf(IOException.class);
        ServerSocketChannel other = listener();
        other.close();
        assertThat(other.socket().isClosed()).isTrue();
    }

    @Test
    void acceptsSocketsThatHaveChannels() throws Exception {
        ServerSocketChannel channel = listener();
        Task<Socket> acceptor = start(channel.socket()::accept).awaitInside("accept");
        SocketChannel client = closing(SocketChannel.open(destination(channel)));
        Socket accepted = closing(acceptor.result());
        assertThat(accepted.getChannel()).isNotNull();
        assertThat(accepted.getChannel().socket()).isSameAs(accepted);
        assertThat(clientOf(accepted.getRemoteSocketAddress())).isEqualTo(client.getLocalAddress());
        accepted.getOutputStream().write(3);
        assertThat(Bytes.read(client, 1)).containsExactly(3);
    }

    @Test
    void timeoutEndsAnAcceptAndLeavesTheSocketUsable() throws IOException {
        ServerSocketChannel channel = listener();
        ServerSocket socket = channel.socket();
        socket.setSoTimeout(60);
        assertThat(socket.getSoTimeout()).isEqualTo(60);
        for (int i = 0; i < 3; i++) {
            long start = System.nanoTime();
            assertThatThrownBy(socket::accept).isInstanceOf(SocketTimeoutException.class);
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)).isBetween(60L, 60 + LIMIT_MILLIS);
        }
        assertThat(socket.isClosed()).isFalse();
        assertThat(channel.isBlocking()).isTrue();
        SocketChannel client = closing(SocketChannel.open(destination(channel)));
        socket.setSoTimeout((int) LIMIT_MILLIS);
        assertThat(clientOf(closing(socket.accept()).getRemoteSocketAddress())).isEqualTo(client.getLocalAddress());
    }

    @Test
    void closeEndsABlockedAccept() throws Exception {
        for (int timeout : new int[] {0, 60_000}) {
            ServerSocket socket = listener().socket();
            socket.setSoTimeout(timeout);
            Task<Socket> acceptor = start(socket::accept).awaitInside("accept");
            socket.close();
            assertThat(acceptor.failure()).isInstanceOf(AsynchronousCloseException.class);
        }
    }

    @Test
    void channelInNonBlockingModeIsRefusedUnlessSomebodyWaits() throws IOException {
        ServerSocketChannel channel = listener();
        channel.configureBlocking(false);
        assertThatThrownBy(() -> channel.socket().accept()).isInstanceOf(IllegalBlockingModeException.class);
        SocketChannel client = closing(SocketChannel.open(destination(channel)));
        Socket[] accepted = new Socket[1];
        eventually().ignoreException(IllegalBlockingModeException.class).until(() -> {
            accepted[0] = closing(channel.socket().accept());
            return true;
        });
        assertThat(clientOf(accepted[0].getRemoteSocketAddress())).isEqualTo(client.getLocalAddress());
        channel.socket().setSoTimeout(10);
        assertThatThrownBy(() -> channel.socket().accept()).isInstanceOf(IllegalBlockingModeException.class);
    }

    @Test
    void channelInNonBlockingModeAcceptsAClientThatNeverAsks() throws IOException {
        ServerSocketChannel channel = listener();
        channel.configureBlocking(false);
        SocketChannel client = nonBlockingChannel();
        client.connect(destination(channel));
        Socket[] accepted = new Socket[1];
        eventually().ignoreException(IllegalBlockingModeException.class).until(() -> {
            accepted[0] = closing(channel.socket().accept());
            return true;
        });
        Bytes.write(accepted[0].getChannel(), Bytes.ascii("unasked"));
        assertThat(client.isConnected()).as("its program knows of it").isFalse();
        client.configureBlocking(true);
        assertThat(client.finishConnect()).isTrue();
        assertThat(clientOf(accepted[0].getRemoteSocketAddress())).isEqualTo(client.getLocalAddress());
        assertThat(Bytes.readAscii(client, 7)).isEqualTo("unasked");
    }

    @Test
    void optionsAreTheChannels() throws IOException {
        ServerSocketChannel channel = listener();
        ServerSocket socket = channel.socket();
        socket.setReuseAddress(false);
        assertThat(channel.getOption(StandardSocketOptions.SO_REUSEADDR)).isFalse();
        channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        assertThat(socket.getReuseAddress()).isTrue();
        socket.setReceiveBufferSize(30_000);
        assertThat(socket.getReceiveBufferSize()).isPositive();
        socket.setPerformancePreferences(1, 2, 3);
        assertThat(socket.setOption(StandardSocketOptions.SO_REUSEADDR, false)).isSameAs(socket);
        assertThat(socket.getOption(StandardSocketOptions.SO_REUSEADDR)).isFalse();
        assertThatThrownBy(() -> socket.setReceiveBufferSize(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> socket.setSoTimeout(-1)).isInstanceOf(IllegalArgumentException.class);
    }
}
