// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import java.io.IOException;
import java.net.BindException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Local and remote addresses, as both ends see them, and bind. */
@Tag("stream")
class AddressTest extends ContractSupport {
    @ParameterizedTest(name = "listen on {0}, connect to {1}")
    @CsvSource({
        "127.0.0.1, 127.0.0.1",
        "127.0.0.7, 127.0.0.7",
        "0.0.0.0, 127.0.0.1",
        "0.0.0.0, 127.0.0.9",
        "::1, ::1",
        "::, ::1",
        "::, 127.0.0.1",
    })
    void bothEndsAgree(String listen, String connect) throws IOException {
        assumeAvailable(listen);
        ServerSocketChannel listener = listener(socketAddress(listen, 0));
        int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
        assertThat(port).isPositive();
        SocketChannel client = closing(SocketChannel.open(socketAddress(connect, port)));
        SocketChannel server = closing(listener.accept());

        assertThat(client.getRemoteAddress()).isEqualTo(socketAddress(connect, port));
        assertThat(server.getLocalAddress()).isEqualTo(socketAddress(connect, port));
        assertThat(server.getRemoteAddress()).isEqualTo(client.getLocalAddress());
        InetSocketAddress local = (InetSocketAddress) client.getLocalAddress();
        assertThat(local.getAddress().isLoopbackAddress()).isTrue();
        assertThat(local.getPort()).isPositive().isNotEqualTo(port);

        Bytes.write(client, Bytes.ascii("ping"));
        assertThat(Bytes.readAscii(server, 4)).isEqualTo("ping");
        Bytes.write(server, Bytes.ascii("pong"));
        assertThat(Bytes.readAscii(client, 4)).isEqualTo("pong");
    }

    /** A name that no name service knows is not looked up. */
    @ParameterizedTest
    @CsvSource({"0.0.0.0,", "0.0.0.0, nobody.invalid", "::,", "::, nobody.invalid"})
    void unspecifiedRemoteAddressMeansLoopback(String wildcard, String name) throws IOException {
        assumeAvailable(wildcard.equals("::") ? "::1" : "127.0.0.1");
        ServerSocketChannel listener = listener(socketAddress(wildcard, 0));
        int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
        InetAddress address =
                InetAddress.getByAddress(name, InetAddress.getByName(wildcard).getAddress());
        SocketChannel client = closing(SocketChannel.open(new InetSocketAddress(address, port)));
        InetSocketAddress remote = (InetSocketAddress) client.getRemoteAddress();
        assertThat(remote.getAddress().isLoopbackAddress()).isTrue();
        assertThat(closing(listener.accept()).getRemoteAddress()).isEqualTo(client.getLocalAddress());
    }

    @ParameterizedTest
    @ValueSource(strings = {"INET", "INET6"})
    void channelsOfOneFamilyConnect(String name) throws IOException {
        ProtocolFamily family = StandardProtocolFamily.valueOf(name);
        String loopback = family == StandardProtocolFamily.INET ? "127.0.0.1" : "::1";
        assumeAvailable(loopback);
        ServerSocketChannel listener = closing(ServerSocketChannel.open(family)).bind(socketAddress(loopback, 0));
        SocketChannel client = closing(SocketChannel.open(family));
        client.connect(listener.getLocalAddress());
        SocketChannel server = closing(listener.accept());
        assertThat(server.getRemoteAddress()).isEqualTo(client.getLocalAddress());
        Bytes.write(client, Bytes.ascii("family"));
        assertThat(Bytes.readAscii(server, 6)).isEqualTo("family");
    }

    @Test
    void inetChannelRefusesIpv6Addresses() throws IOException {
        assumeAvailable("::1");
        SocketChannel client = closing(SocketChannel.open(StandardProtocolFamily.INET));
        assertThatThrownBy(() -> client.connect(socketAddress("::1", 9)))
                .isInstanceOf(UnsupportedAddressTypeException.class);
        assertThatThrownBy(() -> client.bind(socketAddress("::1", 0)))
                .isInstanceOf(UnsupportedAddressTypeException.class);
        assertThat(client.isOpen()).isTrue();
    }

    @Test
    void boundPortIsTheOneConnectedFrom() throws IOException {
        ServerSocketChannel listener = listener();
        SocketChannel client = channel();
        assertThat(client.bind(anyPort())).isSameAs(client);
        InetSocketAddress bound = (InetSocketAddress) client.getLocalAddress();
        assertThat(bound.getPort()).isPositive();
        assertThatThrownBy(() -> client.bind(anyPort())).isInstanceOf(AlreadyBoundException.class);
        client.connect(destination(listener));
        assertThat(client.getLocalAddress()).isEqualTo(bound);
        assertThat(clientOf(closing(listener.accept()))).isEqualTo(bound);
    }

    @Test
    void bindToNullChoosesAnAddress() throws IOException {
        SocketChannel client = channel().bind(null);
        InetSocketAddress bound = (InetSocketAddress) client.getLocalAddress();
        assertThat(bound.getAddress().isAnyLocalAddress()).isTrue();
        assertThat(bound.getPort()).isPositive();
        ServerSocketChannel listener = listener();
        client.connect(destination(listener));
        assertThat(((InetSocketAddress) client.getLocalAddress()).getPort()).isEqualTo(bound.getPort());
        assertThat(clientOf(closing(listener.accept()))).isEqualTo(client.getLocalAddress());
    }

    @Test
    void connectedChannelDoesNotBind() throws IOException {
        Pair pair = pair();
        assertThatThrownBy(() -> pair.client().bind(anyPort())).isInstanceOf(AlreadyBoundException.class);
        assertThatThrownBy(() -> pair.server().bind(null)).isInstanceOf(AlreadyBoundException.class);
        assertThat(pair.client().isConnected()).isTrue();
    }

    @Test
    void portInUseIsNotBoundTwice() throws IOException {
        ServerSocketChannel listener = listener();
        SocketChannel client = channel();
        assertThatThrownBy(() -> client.bind(listener.getLocalAddress())).isInstanceOf(BindException.class);
        assertThat(client.isOpen()).isTrue();
        assertThat(client.getLocalAddress()).isNull();
    }

    @Test
    void addressesStayAfterThePeerHasGone() throws IOException {
        Pair pair = pair();
        var local = pair.server().getLocalAddress();
        var remote = pair.server().getRemoteAddress();
        pair.client().close();
        assertThat(Bytes.readToEnd(pair.server())).isEmpty();
        assertThat(pair.server().getLocalAddress()).isEqualTo(local);
        assertThat(pair.server().getRemoteAddress()).isEqualTo(remote);
        assertThat(pair.server().isConnected()).isTrue();
    }

    private static InetSocketAddress socketAddress(String literal, int port) throws IOException {
        return new InetSocketAddress(InetAddress.getAllByName(literal)[0], port);
    }

    private static void assumeAvailable(String literal) throws IOException {
        InetAddress address = socketAddress(literal, 0).getAddress();
        if (address instanceof Inet6Address) {
            try (var probe = new ServerSocket()) {
                probe.bind(new InetSocketAddress(address, 0));
            } catch (IOException e) {
                abort("no IPv6 on this machine: " + e.getMessage());
            }
        }
    }
}
