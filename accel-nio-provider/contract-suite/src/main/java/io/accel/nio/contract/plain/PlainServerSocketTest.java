// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.plain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.core.jdk.JdkAccess;
import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.Task;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** java.net.ServerSocket. */
@Tag("plain")
class PlainServerSocketTest extends PlainSocketSupport {
    @Test
    void stateBeforeAndAfterBind() throws Exception {
        ServerSocket server = closing(new ServerSocket());
        assertThat(server.isBound()).isFalse();
        assertThat(server.getLocalPort()).isEqualTo(-1);
        assertThatThrownBy(server::accept).isInstanceOf(SocketException.class).hasMessageContaining("not bound");
        server.bind(anyPort());
        assertThat(server.isBound()).isTrue();
        assertThat(server.getLocalPort()).isPositive();
        assertThat(server.getInetAddress()).isEqualTo(host());
        assertThat(server.toString()).contains("localport=" + server.getLocalPort());
        assertThatThrownBy(() -> server.bind(anyPort())).isInstanceOf(SocketException.class);
        server.close();
        assertThatThrownBy(server::accept).isInstanceOf(SocketException.class);
        assertThat(server.getLocalPort()).as("remembered").isPositive();
    }

    @Test
    void aPortThatIsTakenIsRefused() throws Exception {
        ServerSocket server = server();
        ServerSocket second = closing(new ServerSocket());
        assertThatThrownBy(() -> second.bind(server.getLocalSocketAddress())).isInstanceOf(BindException.class);
    }

    @Test
    void aClosedListenersPortRefusesAndIsFree() throws Exception {
        InetSocketAddress address = keptAddress();
        ServerSocket server = closing(new ServerSocket(address.getPort(), 50, address.getAddress()));
        server.close();
        assertThatThrownBy(() -> new Socket(address.getAddress(), address.getPort()))
                .isInstanceOf(ConnectException.class);
        ServerSocket again = closing(new ServerSocket(address.getPort(), 50, address.getAddress()));
        Sockets pair = sockets(again);
        write(pair.client(), "x");
        assertThat(read(pair.server(), 1)).isEqualTo("x");
    }

    @Test
    void acceptTimesOutAndGoesOn() throws Exception {
        ServerSocket server = server();
        server.setSoTimeout(50);
        assertThat(server.getSoTimeout()).isEqualTo(50);
        long start = System.nanoTime();
        assertThatThrownBy(server::accept)
                .isInstanceOf(SocketTimeoutException.class)
                .hasMessage("Accept timed out");
        assertThat(System.nanoTime() - start).isBetween(50_000_000L, 5_000_000_000L);
        server.setSoTimeout(5_000);
        Sockets pair = sockets(server);
        write(pair.client(), "x");
        assertThat(read(pair.server(), 1)).isEqualTo("x");
        assertThat(pair.server().getSoTimeout()).as("not inherited").isZero();
    }

    @Test
    void connectionsWaitUntilTheyAreAccepted() throws Exception {
        ServerSocket server = server();
        Set<Integer> ports = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            Socket client = closing(new Socket(server.getInetAddress(), server.getLocalPort()));
            write(client, String.valueOf((char) ('a' + i)));
            ports.add(client.getLocalPort());
        }
        for (int i = 0; i < 20; i++) {
            Socket accepted = closing(server.accept());
            assertThat(ports.remove(accepted.getPort())).isTrue();
            assertThat(read(accepted, 1)).isBetween("a", "t");
        }
        assertThat(ports).isEmpty();
    }

    @Test
    void clientsThatAreNotAcceleratedAreAcceptedAmongTheOthers() throws Exception {
        ServerSocket server = server();
        Set<Integer> ports = new HashSet<>();
        for (int i = 0; i < 30; i++) {
            if (i % 3 == 0) {
                SocketChannel plain = closing(JdkAccess.kernelProvider().openSocketChannel());
                plain.connect(server.getLocalSocketAddress());
                ports.add(plain.socket().getLocalPort());
            } else {
                ports.add(closing(new Socket(server.getInetAddress(), server.getLocalPort()))
                        .getLocalPort());
            }
        }
        for (int i = 0; i < 30; i++) {
            assertThat(ports.remove(closing(server.accept()).getPort())).isTrue();
        }
        Task<Socket> accepting = start(server::accept).awaitInside("accept");
        SocketChannel plain = closing(JdkAccess.kernelProvider().openSocketChannel());
        plain.connect(server.getLocalSocketAddress());
        Socket accepted = closing(accepting.result());
        assertThat(accepted.getPort()).isEqualTo(plain.socket().getLocalPort());
        Bytes.write(plain, Bytes.ascii("plain"));
        assertThat(read(accepted, 5)).isEqualTo("plain");
        accepted.setSoTimeout(50);
        assertThatThrownBy(() -> accepted.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void severalThreadsAccept() throws Exception {
        ServerSocket server = server();
        List<Task<Socket>> accepting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            accepting.add(start(server::accept));
        }
        Set<Integer> ports = new HashSet<>();
        for (int i = 0; i < 4; i++) {
            ports.add(closing(new Socket(server.getInetAddress(), server.getLocalPort()))
                    .getLocalPort());
        }
        for (Task<Socket> one : accepting) {
            assertThat(ports.remove(closing(one.result()).getPort())).isTrue();
        }
    }

    @Test
    void optionsAreTheKernels() throws Exception {
        ServerSocket server = closing(new ServerSocket());
        server.setReuseAddress(true);
        server.setReceiveBufferSize(30_000);
        server.bind(anyPort());
        assertThat(server.getReuseAddress()).isTrue();
        assertThat(server.getReceiveBufferSize()).isPositive();
        assertThat(server.supportedOptions()).contains(StandardSocketOptions.SO_RCVBUF);
        server.setOption(StandardSocketOptions.SO_REUSEADDR, false);
        assertThat(server.getOption(StandardSocketOptions.SO_REUSEADDR)).isFalse();
        assertThatThrownBy(() -> server.setOption(StandardSocketOptions.TCP_NODELAY, true))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void acceptedSocketInheritsTheListenersOptions() throws Exception {
        for (boolean shared : new boolean[] {true, false}) {
            ServerSocket server = closing(new ServerSocket());
            server.setReuseAddress(shared);
            server.setOption(StandardSocketOptions.SO_REUSEPORT, shared);
            server.setReceiveBufferSize(40_000);
            server.bind(anyPort());
            Socket accepted = sockets(server).server();
            assertThat(accepted.getReuseAddress()).isEqualTo(shared);
            assertThat(accepted.getOption(StandardSocketOptions.SO_REUSEPORT)).isEqualTo(shared);
            assertThat(accepted.getReceiveBufferSize()).isEqualTo(server.getReceiveBufferSize());
        }
    }

    /** Buffers that nobody has set are as large as those of a JDK listener. */
    @Test
    void buffersOfAConnectionAreAsLargeAsTheJdks() throws Exception {
        ServerSocketChannel kernels =
                closing(JdkAccess.kernelProvider().openServerSocketChannel()).bind(anyPort());
        SocketChannel client = closing(JdkAccess.kernelProvider().openSocketChannel());
        client.connect(kernels.getLocalAddress());
        SocketChannel accepted = closing(kernels.accept());
        Sockets sockets = sockets();
        assertThat(sockets.server().getReceiveBufferSize())
                .isEqualTo(accepted.getOption(StandardSocketOptions.SO_RCVBUF));
        assertThat(sockets.server().getSendBufferSize()).isEqualTo(accepted.getOption(StandardSocketOptions.SO_SNDBUF));
        assertThat(sockets.client().getReceiveBufferSize())
                .isEqualTo(client.getOption(StandardSocketOptions.SO_RCVBUF));
        assertThat(sockets.client().getSendBufferSize()).isEqualTo(client.getOption(StandardSocketOptions.SO_SNDBUF));
    }

    @Test
    void aCloseResetsWhatWasNotAccepted() throws Exception {
        ServerSocket server = server();
        Socket client = closing(new Socket(server.getInetAddress(), server.getLocalPort()));
        server.close();
        assertThatThrownBy(() -> client.getInputStream().read())
                .isInstanceOf(SocketException.class)
                .hasMessage("Connection reset");
    }
}
