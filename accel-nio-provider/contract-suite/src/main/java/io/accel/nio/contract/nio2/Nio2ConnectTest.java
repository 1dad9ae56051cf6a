// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.nio2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.MachineClock;
import io.accel.nio.contract.Path;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An asynchronous channel before, while and after it connects: state, addresses, options. */
@Tag("nio2")
class Nio2ConnectTest extends Nio2Support {
    private static final SocketAddress STRANGE = new SocketAddress() {
        private static final long serialVersionUID = 1;
    };

    @Test
    void theProviderIsTheOneOfThisRun() throws IOException {
        String name = AsynchronousChannelProvider.provider().getClass().getName();
        assertThat(name).startsWith(Path.current() == Path.JDK ? "sun.nio.ch." : "io.accel.nio.");
        assertThat(asyncChannel().provider()).isSameAs(AsynchronousChannelProvider.provider());
        assertThat(asyncListener().provider()).isSameAs(AsynchronousChannelProvider.provider());
    }

    @Test
    void connectTellsAHandler() throws Exception {
        AsynchronousServerSocketChannel listener = asyncListener();
        Outcome<AsynchronousSocketChannel> accepted = new Outcome<>();
        listener.accept("accept", accepted);
        AsynchronousSocketChannel client = asyncChannel();
        Outcome<Void> connected = new Outcome<>();
        client.connect(destination(listener), "connect", connected);
        assertThat(connected.get()).isNull();
        assertThat(connected.attachment()).isEqualTo("connect");
        assertWorks(new AsyncPair(client, closing(accepted.get())));
        assertThat(accepted.attachment()).isEqualTo("accept");
    }

    @Test
    void addressesAndState() throws Exception {
        AsynchronousServerSocketChannel listener = asyncListener();
        AsynchronousSocketChannel client = asyncChannel();
        assertThat(client.isOpen()).isTrue();
        assertThat(client.getLocalAddress()).isNull();
        assertThat(client.getRemoteAddress()).isNull();
        assertThat(client.toString()).contains("[unconnected");
        Future<AsynchronousSocketChannel> accept = listener.accept();
        InetSocketAddress destination = destination(listener);
        assertThat(value(client.connect(destination))).isNull();
        assertThat(client.getRemoteAddress()).isEqualTo(destination);
        AsynchronousSocketChannel server = closing(value(accept));
        assertThat(clientOf(server.getRemoteAddress())).isEqualTo(client.getLocalAddress());
        assertThat(server.getLocalAddress()).isEqualTo(listener.getLocalAddress());
        assertThat(client.toString()).contains("[connected", "local=", "remote=");
        client.close();
        assertThat(client.isOpen()).isFalse();
        assertThat(client.toString()).contains("[closed]");
        assertThatThrownBy(client::getLocalAddress).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(client::getRemoteAddress).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void refusedConnectClosesTheChannel() throws Exception {
        AsynchronousSocketChannel client = asyncChannel();
        assertThat(failureOf(client.connect(nobodyListens()))).isInstanceOf(ConnectException.class);
        assertThat(client.isOpen()).isFalse();
        AsynchronousSocketChannel other = asyncChannel();
        Outcome<Void> outcome = new Outcome<>();
        other.connect(nobodyListens(), null, outcome);
        assertThat(outcome.failure()).isInstanceOf(ConnectException.class).hasMessage("Connection refused");
        assertThat(other.isOpen()).isFalse();
    }

    @Test
    void secondConnectIsRefused() throws Exception {
        AsyncPair pair = asyncPair();
        InetSocketAddress anywhere = anyPort();
        assertThatThrownBy(() -> pair.client().connect(anywhere)).isInstanceOf(AlreadyConnectedException.class);
        assertThatThrownBy(() -> pair.server().connect(anywhere, null, new Outcome<>()))
                .isInstanceOf(AlreadyConnectedException.class);
        assertWorks(pair);
    }

    @Test
    void connectOfAClosedChannel() throws Exception {
        AsynchronousSocketChannel client = asyncChannel();
        client.close();
        client.close();
        assertThat(failureOf(client.connect(anyPort()))).isExactlyInstanceOf(ClosedChannelException.class);
        Outcome<Void> outcome = new Outcome<>();
        client.connect(anyPort(), null, outcome);
        assertThat(outcome.failure()).isExactlyInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> client.connect(anyPort(), null, null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void addressesThatNobodyConnectsTo() throws IOException {
        AsynchronousSocketChannel client = asyncChannel();
        assertThatThrownBy(() -> client.connect(STRANGE)).isInstanceOf(UnsupportedAddressTypeException.class);
        assertThatThrownBy(() -> client.connect(InetSocketAddress.createUnresolved("nowhere.invalid", 1)))
                .isInstanceOf(UnresolvedAddressException.class);
        assertThatThrownBy(() -> client.bind(STRANGE)).isInstanceOf(UnsupportedAddressTypeException.class);
        assertThat(client.isOpen()).isTrue();
        assertThat(client.toString()).contains("[unconnected");
    }

    @Test
    void bindIsAskedOnce() throws Exception {
        AsynchronousSocketChannel client = asyncChannel();
        assertThat(client.bind(anyPort())).isSameAs(client);
        assertThat(((InetSocketAddress) client.getLocalAddress()).getPort()).isPositive();
        assertThatThrownBy(() -> client.bind(null)).isInstanceOf(AlreadyBoundException.class);
        assertThatThrownBy(() -> asyncPair().client().bind(null)).isInstanceOf(AlreadyBoundException.class);
        client.close();
        assertThatThrownBy(() -> client.bind(null)).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void pendingConnect() throws Exception {
        WaitingAsyncConnect waiting = waitingAsyncConnect();
        AsynchronousSocketChannel client = waiting.client();
        assertThatThrownBy(() -> client.connect(anyPort())).isInstanceOf(ConnectionPendingException.class);
        assertThatThrownBy(() -> client.bind(null)).isInstanceOf(ConnectionPendingException.class);
        assertThatThrownBy(() -> client.read(Bytes.ascii("x"))).isInstanceOf(NotYetConnectedException.class);
        assertThatThrownBy(client::shutdownInput).isInstanceOf(NotYetConnectedException.class);
        assertThat(client.getRemoteAddress()).isNull();
        assertThat(client.toString()).contains("[connection-pending");
        client.close();
        assertThat(failureOf(waiting.connect())).isExactlyInstanceOf(AsynchronousCloseException.class);
    }

    @Test
    void cancelledConnect() throws Exception {
        WaitingAsyncConnect waiting = waitingAsyncConnect();
        assertThat(waiting.connect().cancel(false)).isTrue();
        assertThat(waiting.connect().isCancelled()).isTrue();
        assertThat(waiting.client().isOpen()).isTrue();
        assertThatThrownBy(() -> waiting.client().connect(anyPort())).isInstanceOf(ConnectionPendingException.class);
        WaitingAsyncConnect other = waitingAsyncConnect();
        assertThat(other.connect().cancel(true)).isTrue();
        assertThatThrownBy(other.connect()::get).isInstanceOf(CancellationException.class);
        assertThat(other.client().isOpen()).isFalse();
    }

    private record WaitingAsyncConnect(AsynchronousSocketChannel client, Future<Void> connect) {}

    /** A connect to a listener whose backlog is full, or to the address that nobody answers on: a connect that is not merely slow. */
    private WaitingAsyncConnect waitingAsyncConnect() throws Exception {
        String silent = System.getProperty("contract.silent");
        if (silent != null) {
            AsynchronousSocketChannel client = asyncChannel();
            return new WaitingAsyncConnect(client, client.connect(new InetSocketAddress(silent, 9)));
        }
        ServerSocketChannel listener = closing(ServerSocketChannel.open()).bind(anyPort(), 1);
        for (int i = 0; i < 20; i++) {
            AsynchronousSocketChannel client = asyncChannel();
            Future<Void> connect = client.connect(destination(listener));
            try {
                MachineClock.get(connect, 1);
            } catch (TimeoutException e) {
                return new WaitingAsyncConnect(client, connect);
            }
        }
        return Assumptions.abort("no connect had to wait");
    }

    @Test
    void whatNeedsAConnectionIsRefusedWithoutOne() throws IOException {
        AsynchronousSocketChannel client = asyncChannel();
        assertThatThrownBy(() -> client.read(Bytes.ascii("x"))).isInstanceOf(NotYetConnectedException.class);
        assertThatThrownBy(() -> client.write(Bytes.ascii("x"))).isInstanceOf(NotYetConnectedException.class);
        assertThatThrownBy(() -> client.read(Bytes.ascii("x"), null, new Outcome<>()))
                .isInstanceOf(NotYetConnectedException.class);
        assertThatThrownBy(() -> client.write(Bytes.ascii("x"), null, new Outcome<>()))
                .isInstanceOf(NotYetConnectedException.class);
        assertThatThrownBy(client::shutdownInput).isInstanceOf(NotYetConnectedException.class);
        assertThatThrownBy(client::shutdownOutput).isInstanceOf(NotYetConnectedException.class);
    }

    @Test
    void options() throws Exception {
        AsynchronousSocketChannel client = asyncChannel();
        assertThat(client.supportedOptions())
                .contains(
                        StandardSocketOptions.SO_SNDBUF,
                        StandardSocketOptions.SO_RCVBUF,
                        StandardSocketOptions.SO_KEEPALIVE,
                        StandardSocketOptions.SO_REUSEADDR,
                        StandardSocketOptions.TCP_NODELAY)
                .doesNotContain(StandardSocketOptions.SO_LINGER, StandardSocketOptions.IP_TOS);
        assertThat(client.setOption(StandardSocketOptions.TCP_NODELAY, true)).isSameAs(client);
        assertThat(client.getOption(StandardSocketOptions.TCP_NODELAY)).isTrue();
        assertThat(client.setOption(StandardSocketOptions.SO_SNDBUF, 1 << 16)
                        .getOption(StandardSocketOptions.SO_SNDBUF))
                .isGreaterThanOrEqualTo(1 << 16);
        assertThatThrownBy(() -> client.setOption(StandardSocketOptions.SO_SNDBUF, -1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> client.setOption(StandardSocketOptions.SO_LINGER, 1))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> client.getOption(StandardSocketOptions.IP_MULTICAST_TTL))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> client.getOption(null)).isInstanceOf(NullPointerException.class);
        client.close();
        assertThatThrownBy(() -> client.setOption(StandardSocketOptions.TCP_NODELAY, true))
                .isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> client.getOption(StandardSocketOptions.TCP_NODELAY))
                .isInstanceOf(ClosedChannelException.class);
    }

    /** A peer with a channel of the other kind. */
    @Test
    void itConnectsToABlockingListener() throws Exception {
        var listener = listener();
        AsynchronousSocketChannel client = asyncChannel();
        value(client.connect(destination(listener)));
        SocketChannel server = closing(listener.accept());
        send(client, new byte[] {1, 2, 3});
        assertThat(Bytes.read(server, 3)).containsExactly(1, 2, 3);
        Bytes.write(server, new byte[] {4});
        assertThat(receive(client, 1)).containsExactly(4);
    }
}
