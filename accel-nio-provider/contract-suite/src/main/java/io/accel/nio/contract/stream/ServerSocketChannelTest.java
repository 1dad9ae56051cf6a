// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Listening and accepting. */
@Tag("stream")
class ServerSocketChannelTest extends ContractSupport {
    @Test
    void newListenerIsOpenBlockingAndUnbound() throws IOException {
        ServerSocketChannel listener = closing(ServerSocketChannel.open());
        assertThat(listener.isOpen()).isTrue();
        assertThat(listener.isBlocking()).isTrue();
        assertThat(listener.getLocalAddress()).isNull();
        assertThat(listener.validOps()).isEqualTo(SelectionKey.OP_ACCEPT);
        assertThat(listener.toString()).contains("unbound");
        assertThatThrownBy(listener::accept).isInstanceOf(NotYetBoundException.class);
        assertThat(listener.isOpen()).isTrue();
        listener.configureBlocking(false);
        assertThatThrownBy(listener::accept).isInstanceOf(NotYetBoundException.class);
    }

    @Test
    void portZeroIsReplacedByARealOne() throws IOException {
        ServerSocketChannel listener = listener();
        InetSocketAddress address = (InetSocketAddress) listener.getLocalAddress();
        assertThat(address.getAddress()).isEqualTo(host());
        assertThat(address.getPort()).isPositive();
        assertThat(listener.toString()).isNotEmpty();
        assertThat(listener().getLocalAddress()).isNotEqualTo(address);
    }

    @Test
    void bindToNullListensOnTheWildcard() throws IOException {
        ServerSocketChannel listener = closing(ServerSocketChannel.open()).bind(null);
        InetSocketAddress address = (InetSocketAddress) listener.getLocalAddress();
        assertThat(address.getAddress().isAnyLocalAddress()).isTrue();
        SocketChannel client = closing(SocketChannel.open(destination(listener)));
        assertThat(clientOf(closing(listener.accept()))).isEqualTo(client.getLocalAddress());
    }

    @Test
    void backlogIsAHint() throws IOException {
        for (int backlog : new int[] {-1, 0, 1, 5000}) {
            ServerSocketChannel listener = closing(ServerSocketChannel.open());
            assertThat(listener.bind(anyPort(), backlog)).isSameAs(listener);
            closing(SocketChannel.open(destination(listener)));
            assertThat(closing(listener.accept())).isNotNull();
        }
    }

    @Test
    void boundListenerIsNotBoundAgain() throws IOException {
        ServerSocketChannel listener = listener();
        assertThatThrownBy(() -> listener.bind(anyPort())).isInstanceOf(AlreadyBoundException.class);
        assertThatThrownBy(() -> listener.bind(null)).isInstanceOf(AlreadyBoundException.class);
        assertThat(listener.isOpen()).isTrue();
    }

    @Test
    void portInUseIsRefused() throws IOException {
        SocketAddress used = listener().getLocalAddress();
        ServerSocketChannel second = closing(ServerSocketChannel.open());
        assertThatThrownBy(() -> second.bind(used)).isInstanceOf(BindException.class);
        assertThat(second.isOpen()).isTrue();
        assertThat(second.getLocalAddress()).isNull();
        second.bind(anyPort());
        closing(SocketChannel.open(destination(second)));
        assertThat(closing(second.accept())).isNotNull();
    }

    @Test
    void closedListenersPortIsBoundAgain() throws IOException {
        SocketAddress address = keptAddress();
        ServerSocketChannel first = listener(address);
        Pair old = pair(first);
        first.close();
        ServerSocketChannel second = listener(address);
        Pair young = pair(second);
        for (Pair pair : List.of(old, young)) {
            Bytes.write(pair.client(), Bytes.ascii("both live"));
            assertThat(Bytes.readAscii(pair.server(), 9)).isEqualTo("both live");
        }
    }

    @Test
    void badAddressesAreRefused() throws IOException {
        ServerSocketChannel listener = closing(ServerSocketChannel.open());
        assertThatThrownBy(() -> listener.bind(new SocketAddress() {}))
                .isInstanceOf(UnsupportedAddressTypeException.class);
        assertThatThrownBy(() -> listener.bind(InetSocketAddress.createUnresolved("nowhere.invalid", 0)))
                .isInstanceOf(UnresolvedAddressException.class);
        assertThat(listener.isOpen()).isTrue();
    }

    @Test
    void nonBlockingAcceptReturnsNullWhenNobodyWaits() throws IOException {
        ServerSocketChannel listener = listener();
        listener.configureBlocking(false);
        assertThat(listener.accept()).isNull();
        closing(SocketChannel.open(destination(listener)));
        SocketChannel[] accepted = new SocketChannel[1];
        eventually().until(() -> (accepted[0] = listener.accept()) != null);
        closing(accepted[0]);
        assertThat(accepted[0].isBlocking()).as("whatever the listener's mode").isTrue();
        assertThat(listener.accept()).isNull();
    }

    @Test
    void blockingAcceptWaits() throws Exception {
        ServerSocketChannel listener = listener();
        Task<SocketChannel> acceptor = start(listener::accept).awaitInside("accept");
        SocketChannel client = closing(SocketChannel.open(destination(listener)));
        SocketChannel server = closing(acceptor.result());
        assertThat(clientOf(server)).isEqualTo(client.getLocalAddress());
    }

    @Test
    void connectionsOfOneThreadAreAcceptedInOrder() throws IOException {
        ServerSocketChannel listener = listener();
        List<SocketAddress> connected = new ArrayList<>();
        List<SocketAddress> accepted = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            connected.add(closing(SocketChannel.open(destination(listener))).getLocalAddress());
        }
        for (int i = 0; i < 20; i++) {
            accepted.add(clientOf(closing(listener.accept())));
        }
        assertThat(accepted).isEqualTo(connected);
    }

    @Test
    void manyClientsAtOnce() throws Exception {
        int clients = times(200);
        ServerSocketChannel listener = closing(ServerSocketChannel.open()).bind(anyPort(), clients);
        SocketAddress address = destination(listener);
        List<Task<SocketAddress>> tasks = IntStream.range(0, clients)
                .mapToObj(i -> start(() -> {
                    SocketChannel client = closing(SocketChannel.open(address));
                    Bytes.write(client, Bytes.random(i, 100));
                    Bytes.assertSame(Bytes.read(client, 100), Bytes.random(i, 100));
                    return client.getLocalAddress();
                }))
                .toList();
        Set<SocketAddress> seen = new HashSet<>();
        for (int i = 0; i < clients; i++) {
            SocketChannel server = closing(listener.accept());
            seen.add(clientOf(server));
            Bytes.write(server, Bytes.read(server, 100));
        }
        for (Task<SocketAddress> task : tasks) {
            assertThat(seen).contains(task.result());
        }
        assertThat(seen).hasSize(clients);
    }

    @Test
    void clientThatHasWrittenAndGoneIsStillHeard() throws IOException {
        ServerSocketChannel listener = listener();
        for (int i = 0; i < 10; i++) {
            try (SocketChannel client = SocketChannel.open(destination(listener))) {
                Bytes.write(client, Bytes.random(i, 1000));
            }
        }
        for (int i = 0; i < 10; i++) {
            SocketChannel server = closing(listener.accept());
            assertThat(server.isConnected()).isTrue();
            assertThat(server.getRemoteAddress()).isNotNull();
            Bytes.assertSame(Bytes.readToEnd(server), Bytes.random(i, 1000));
        }
    }

    @Test
    void acceptedConnectionsOutliveTheirListener() throws IOException {
        ServerSocketChannel listener = listener();
        Pair pair = pair(listener);
        listener.close();
        Bytes.write(pair.client(), Bytes.ascii("on our own"));
        assertThat(Bytes.readAscii(pair.server(), 10)).isEqualTo("on our own");
    }

    /** Nothing promises the order in which connections of several clients are accepted: the last ones come last. */
    @Test
    void severalThreadsAcceptFromOneListener() throws Exception {
        ServerSocketChannel listener = listener();
        AtomicInteger served = new AtomicInteger();
        List<Task<Void>> acceptors = IntStream.range(0, 4)
                .mapToObj(i -> run(() -> {
                    while (true) {
                        try (SocketChannel server = listener.accept()) {
                            if (Bytes.read(server, 1)[0] == 0) {
                                return;
                            }
                            served.incrementAndGet();
                        }
                    }
                }))
                .toList();
        connectAndSend(listener, 100, 1);
        eventually().until(() -> served.get() == 100);
        connectAndSend(listener, 4, 0);
        for (Task<Void> acceptor : acceptors) {
            acceptor.result();
        }
        assertThat(served).hasValue(100);
    }

    private void connectAndSend(ServerSocketChannel listener, int connections, int value) throws IOException {
        for (int i = 0; i < connections; i++) {
            try (SocketChannel client = SocketChannel.open(destination(listener))) {
                Bytes.write(client, new byte[] {(byte) value});
            }
        }
    }

    @Test
    void closeTurnsAwayThoseWhoWait() throws IOException {
        ServerSocketChannel listener = listener();
        SocketChannel client = closing(SocketChannel.open(destination(listener)));
        listener.close();
        assertThatThrownBy(() -> Bytes.readToEnd(client)).isInstanceOf(IOException.class);
    }

    @Test
    void twoListenersShareAPortWithReusePort() throws IOException {
        ServerSocketChannel first = closing(ServerSocketChannel.open());
        first.setOption(StandardSocketOptions.SO_REUSEPORT, true).bind(anyPort());
        ServerSocketChannel second = closing(ServerSocketChannel.open());
        second.setOption(StandardSocketOptions.SO_REUSEPORT, true).bind(first.getLocalAddress());
        first.configureBlocking(false);
        second.configureBlocking(false);
        for (int i = 0; i < 40; i++) {
            SocketChannel client = closing(SocketChannel.open(destination(first)));
            SocketChannel[] server = new SocketChannel[1];
            eventually().until(() -> (server[0] = first.accept()) != null || (server[0] = second.accept()) != null);
            assertThat(clientOf(closing(server[0]))).isEqualTo(client.getLocalAddress());
        }
    }
}
