// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** connect and finishConnect, with a listener and without. */
@Tag("stream")
class ConnectTest extends ContractSupport {
    @Test
    void blockingConnectCompletesBeforeAnybodyAccepts() throws IOException {
        ServerSocketChannel listener = listener();
        SocketChannel client = channel();
        assertThat(client.connect(destination(listener))).isTrue();
        assertThat(client.isConnected()).isTrue();
        assertThat(client.isConnectionPending()).isFalse();
        Bytes.write(client, Bytes.ascii("early"));
        SocketChannel server = closing(listener.accept());
        assertThat(Bytes.readAscii(server, 5)).isEqualTo("early");
    }

    @Test
    void nonBlockingConnectIsFinished() throws IOException {
        ServerSocketChannel listener = listener();
        SocketChannel client = nonBlockingChannel();
        connectToEnd(client, destination(listener));
        assertThat(client.isConnected()).isTrue();
        assertThat(client.isConnectionPending()).isFalse();
        assertThat(client.finishConnect()).isTrue();
        SocketChannel server = closing(listener.accept());
        Bytes.write(server, Bytes.ascii("hello"));
        assertThat(Bytes.readAscii(client, 5)).isEqualTo("hello");
    }

    /** The connection exists in the system as soon as it is made, whether or not its client ever asks for it. */
    @Test
    void aClientThatNeverAsksIsServed() throws IOException {
        ServerSocketChannel listener = listener();
        SocketChannel client = nonBlockingChannel();
        client.connect(destination(listener));
        SocketChannel server = closing(listener.accept());
        Bytes.write(server, Bytes.ascii("unasked"));
        assertThat(server.getRemoteAddress()).isNotNull();
        client.configureBlocking(true);
        assertThat(client.finishConnect()).isTrue();
        assertThat(Bytes.readAscii(client, 7)).isEqualTo("unasked");
    }

    @Test
    void pendingConnectIsFinishedInBlockingMode() throws IOException {
        ServerSocketChannel listener = listener();
        SocketChannel client = nonBlockingChannel();
        client.connect(destination(listener));
        client.configureBlocking(true);
        assertThat(client.finishConnect()).isTrue();
        assertThat(client.isConnected()).isTrue();
    }

    @Test
    void pendingChannelRefusesWhatNeedsAConnection() throws IOException {
        SocketChannel client = nonBlockingChannel();
        InetSocketAddress address = destination(listener());
        boolean connected = client.connect(address);
        if (!connected) {
            assertThat(client.isConnectionPending()).isTrue();
            assertThat(client.isConnected()).isFalse();
            assertThat(client.getRemoteAddress()).isEqualTo(address);
            assertThatThrownBy(() -> client.connect(address)).isInstanceOf(ConnectionPendingException.class);
            assertThatThrownBy(() -> client.bind(anyPort())).isInstanceOf(ConnectionPendingException.class);
            assertThatThrownBy(() -> client.read(ByteBuffer.allocate(1))).isInstanceOf(NotYetConnectedException.class);
            assertThatThrownBy(() -> client.write(ByteBuffer.allocate(1))).isInstanceOf(NotYetConnectedException.class);
            assertThatThrownBy(client::shutdownOutput).isInstanceOf(NotYetConnectedException.class);
            assertThat(client.toString()).contains("connection-pending");
        }
        finish(client, connected);
        assertThat(client.isConnected()).isTrue();
    }

    @Test
    void pendingChannelHasTheLocalAddressThatItWasBoundTo() throws IOException {
        ServerSocketChannel listener = listener();
        SocketChannel unbound = nonBlockingChannel();
        boolean connected = unbound.connect(destination(listener));
        assertThat(unbound.getLocalAddress() != null)
                .as("an address before the connection is finished")
                .isEqualTo(connected);
        finish(unbound, connected);
        assertThat(unbound.getLocalAddress()).isNotNull();

        SocketChannel bound = nonBlockingChannel();
        bound.bind(null);
        int port = ((InetSocketAddress) bound.getLocalAddress()).getPort();
        connected = bound.connect(destination(listener));
        InetSocketAddress local = (InetSocketAddress) bound.getLocalAddress();
        assertThat(local.getPort()).isEqualTo(port);
        assertThat(local.getAddress().isAnyLocalAddress()).isEqualTo(!connected);
        finish(bound, connected);
        local = (InetSocketAddress) bound.getLocalAddress();
        assertThat(local.getPort()).isEqualTo(port);
        assertThat(local.getAddress().isAnyLocalAddress()).isFalse();
    }

    @Test
    void blockingConnectIsRefusedAndClosesTheChannel() throws IOException {
        SocketChannel client = channel();
        InetSocketAddress nobody = nobodyListens();
        assertThatThrownBy(() -> client.connect(nobody)).isInstanceOf(ConnectException.class);
        assertThat(client.isOpen()).isFalse();
        assertThatThrownBy(() -> client.connect(nobody)).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void nonBlockingConnectIsRefusedAndClosesTheChannel() throws IOException {
        SocketChannel client = nonBlockingChannel();
        InetSocketAddress nobody = nobodyListens();
        assertThatThrownBy(() -> connectToEnd(client, nobody)).isInstanceOf(ConnectException.class);
        assertThat(client.isOpen()).isFalse();
        assertThat(client.isConnectionPending()).isFalse();
        assertThatThrownBy(client::finishConnect).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void refusedConnectFinishedInBlockingModeThrows() throws IOException {
        SocketChannel client = nonBlockingChannel();
        InetSocketAddress nobody = nobodyListens();
        assertThatThrownBy(() -> {
                    client.connect(nobody);
                    client.configureBlocking(true);
                    client.finishConnect();
                })
                .isInstanceOf(ConnectException.class);
        assertThat(client.isOpen()).isFalse();
    }

    @Test
    void staticOpenIsRefused() throws IOException {
        InetSocketAddress nobody = nobodyListens();
        assertThatThrownBy(() -> SocketChannel.open(nobody)).isInstanceOf(ConnectException.class);
    }

    @Test
    void closedListenerRefuses() throws IOException {
        ServerSocketChannel listener = listener();
        InetSocketAddress address = destination(listener);
        closing(SocketChannel.open(address));
        closing(listener.accept());
        closeToAll(listener);
        assertThatThrownBy(() -> channel().connect(address)).isInstanceOf(ConnectException.class);
    }

    @Test
    void modeIsChangedBetweenConnectAndUse() throws Exception {
        ServerSocketChannel listener = listener();
        SocketChannel client = nonBlockingChannel();
        connectToEnd(client, destination(listener));
        client.configureBlocking(true);
        SocketChannel server = closing(listener.accept());
        Task<String> reader = start(() -> Bytes.readAscii(client, 4)).awaitInside("read");
        Bytes.write(server, Bytes.ascii("late"));
        assertThat(reader.result()).isEqualTo("late");
    }

    /** No provider has a part in a server that was not opened through a channel. */
    @Test
    void channelConnectsToAPlainServerSocket() throws IOException {
        try (ServerSocket plain = new ServerSocket()) {
            plain.bind(anyPort());
            SocketChannel client = channel();
            client.connect(plain.getLocalSocketAddress());
            try (var accepted = plain.accept()) {
                accepted.getOutputStream().write("plain".getBytes(StandardCharsets.US_ASCII));
                assertThat(Bytes.readAscii(client, 5)).isEqualTo("plain");
                Bytes.write(client, Bytes.ascii("channel"));
                assertThat(accepted.getInputStream().readNBytes(7)).asString().isEqualTo("channel");
            }
        }
    }

    /** And a client that was not. */
    @Test
    void listenerAcceptsAPlainSocket() throws IOException {
        ServerSocketChannel listener = listener();
        Socket plain = closing(new Socket());
        plain.connect(destination(listener), (int) LIMIT_MILLIS);
        SocketChannel server = closing(listener.accept());
        assertThat(clientOf(server)).isEqualTo(plain.getLocalSocketAddress());
        Bytes.write(server, Bytes.ascii("channel"));
        assertThat(plain.getInputStream().readNBytes(7)).asString().isEqualTo("channel");
        plain.close();
        assertThat(Bytes.readToEnd(server)).isEmpty();
    }

    @Test
    void connectingAndClosingManyTimesLeavesNothingBehind() throws IOException {
        ServerSocketChannel listener = listener();
        for (int i = 0; i < times(300); i++) {
            try (SocketChannel client = SocketChannel.open(destination(listener));
                    SocketChannel server = listener.accept()) {
                Bytes.write(client, Bytes.random(i, 1 + i));
                client.shutdownOutput();
                Bytes.assertSame(Bytes.readToEnd(server), Bytes.random(i, 1 + i));
            }
        }
    }

    private static void connectToEnd(SocketChannel client, InetSocketAddress address) throws IOException {
        finish(client, client.connect(address));
    }

    private static void finish(SocketChannel client, boolean connected) throws IOException {
        long deadline = System.nanoTime() + LIMIT_MILLIS * 1_000_000;
        boolean finished = connected;
        while (!finished) {
            assertThat(System.nanoTime()).as("connects in time").isLessThan(deadline);
            finished = client.finishConnect();
        }
    }
}
