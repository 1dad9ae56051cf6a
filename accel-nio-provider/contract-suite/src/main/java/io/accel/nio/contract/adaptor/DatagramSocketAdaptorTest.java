// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.adaptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.DatagramSupport;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.charset.StandardCharsets;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The socket that {@link DatagramChannel#socket()} returns. */
@Tag("adaptor")
class DatagramSocketAdaptorTest extends DatagramSupport {
    /** The class and the message of its exception; programs look at both. */
    @Test
    void refusalsAreTheJdks() throws IOException {
        DatagramSocket socket = datagrams().socket();
        InetSocketAddress bad = InetSocketAddress.createUnresolved("nowhere.invalid", 1);
        SocketAddress odd = new SocketAddress() {
            private static final long serialVersionUID = 1;
        };
        for (boolean closed : new boolean[] {false, true}) {
            assertThatThrownBy(() -> socket.bind(odd)).isInstanceOf(UnsupportedAddressTypeException.class);
            assertThatThrownBy(() -> socket.connect(odd)).isInstanceOf(UnsupportedAddressTypeException.class);
            assertThatThrownBy(() -> socket.connect(bad))
                    .isExactlyInstanceOf(SocketException.class)
                    .hasMessage("Unresolved address");
            assertThatThrownBy(() -> socket.connect((SocketAddress) null)).isInstanceOf(IllegalArgumentException.class);
            if (!closed) { // some JDKs first look whether it is closed
                assertThatThrownBy(() -> socket.send(new DatagramPacket(new byte[1], 1)))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("Address not set");
                socket.bind(anyPort());
                assertThatThrownBy(() -> socket.bind(anyPort()))
                        .isExactlyInstanceOf(SocketException.class)
                        .hasMessage("Already bound")
                        .hasCauseInstanceOf(AlreadyBoundException.class);
            }
            socket.close();
        }
        DatagramPacket packet = new DatagramPacket(new byte[1], 1, anyPort());
        assertThatThrownBy(() -> socket.send(packet))
                .isExactlyInstanceOf(SocketException.class)
                .hasMessage("Socket closed")
                .hasCauseExactlyInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> socket.receive(packet))
                .isExactlyInstanceOf(SocketException.class)
                .hasMessage("Socket closed")
                .hasCauseExactlyInstanceOf(ClosedChannelException.class);
        socket.connect(anyPort()); // says nothing of it
    }

    @Test
    void oneSocketForEachChannel() throws IOException {
        DatagramChannel channel = datagrams();
        DatagramSocket socket = channel.socket();
        assertThat(channel.socket()).isSameAs(socket);
        assertThat(socket.getChannel()).isSameAs(channel);
    }

    @Test
    void addressesOfAnUnboundSocket() throws IOException {
        DatagramSocket socket = datagrams().socket();
        assertThat(socket.isBound()).isFalse();
        assertThat(socket.isConnected()).isFalse();
        assertThat(socket.isClosed()).isFalse();
        assertThat(socket.getLocalPort()).isZero();
        assertThat(socket.getLocalAddress().isAnyLocalAddress()).isTrue();
        assertThat(socket.getLocalSocketAddress()).isNull();
        assertThat(socket.getPort()).isEqualTo(-1);
        assertThat(socket.getInetAddress()).isNull();
        assertThat(socket.getRemoteSocketAddress()).isNull();
    }

    @Test
    void bindOfTheSocketIsTheChannels() throws IOException {
        DatagramChannel channel = datagrams();
        channel.socket().bind(anyPort());
        assertThat(channel.socket().isBound()).isTrue();
        assertThat(channel.getLocalAddress()).isEqualTo(channel.socket().getLocalSocketAddress());
        assertThat(channel.socket().getLocalPort()).isEqualTo(portOf(channel));
        assertThat(channel.socket().getLocalAddress()).isEqualTo(host());
        assertThatThrownBy(() -> channel.socket().bind(anyPort())).isInstanceOf(SocketException.class);
        DatagramChannel toAll = datagrams();
        toAll.socket().bind(null);
        assertThat(portOf(toAll)).isPositive();
    }

    @Test
    void packetsGoBothWays() throws IOException {
        Ends ends = ends();
        for (int i = 0; i < 20; i++) {
            ends.left().socket().send(packet("there " + i, addressOf(ends.right())));
            DatagramPacket there = receivePacket(ends.right().socket(), 100);
            assertThat(text(there)).isEqualTo("there " + i);
            assertThat(there.getSocketAddress()).isEqualTo(addressOf(ends.left()));
            ends.right().socket().send(packet("back " + i, there.getSocketAddress()));
            assertThat(receiveText(ends.left())).isEqualTo("back " + i);
        }
    }

    @Test
    void packetsOfAllLengths() throws IOException {
        Ends ends = ends();
        for (int length : new int[] {0, 1, 1472, 9000, LARGEST}) {
            byte[] bytes = Bytes.random(length, length);
            ends.left().socket().send(new DatagramPacket(bytes, length, addressOf(ends.right())));
            DatagramPacket packet = receivePacket(ends.right().socket(), 1 << 16);
            assertThat(packet.getLength()).isEqualTo(length);
            assertThat(ByteBuffer.wrap(packet.getData(), 0, length)).isEqualTo(ByteBuffer.wrap(bytes));
        }
        DatagramPacket tooLong = new DatagramPacket(new byte[LARGEST + 1], LARGEST + 1, addressOf(ends.right()));
        assertThatThrownBy(() -> ends.left().socket().send(tooLong)).isInstanceOf(IOException.class);
    }

    @Test
    void packetsPartOfAnArray() throws IOException {
        Ends ends = ends();
        byte[] bytes = "0123456789".getBytes(StandardCharsets.US_ASCII);
        ends.left().socket().send(new DatagramPacket(bytes, 3, 4, addressOf(ends.right())));
        DatagramPacket packet = new DatagramPacket("abcdefghij".getBytes(StandardCharsets.US_ASCII), 2, 6);
        ends.right().socket().receive(packet);
        assertThat(packet.getOffset()).isEqualTo(2);
        assertThat(packet.getLength()).isEqualTo(4);
        assertThat(new String(packet.getData(), StandardCharsets.US_ASCII)).isEqualTo("ab3456ghij");
    }

    @Test
    void whatDoesNotFitIsDiscarded() throws IOException {
        Ends ends = ends();
        send(ends.left(), "too long", addressOf(ends.right()));
        send(ends.left(), "next", addressOf(ends.right()));
        DatagramPacket packet = receivePacket(ends.right().socket(), 3);
        assertThat(text(packet)).isEqualTo("too");
        packet.setLength(3);
        ends.right().socket().receive(packet);
        assertThat(text(packet)).isEqualTo("nex");
        assertNothingArrives(ends.right());
    }

    @Test
    void channelThatDoesNotBlockHasNoUseOfIt() throws IOException {
        Ends ends = ends().nonBlocking();
        send(ends.left(), "kept", addressOf(ends.right()));
        DatagramPacket packet = packet("x", addressOf(ends.right()));
        assertThatThrownBy(() -> ends.left().socket().send(packet)).isInstanceOf(IllegalBlockingModeException.class);
        assertThatThrownBy(() -> ends.right().socket().receive(packet))
                .isInstanceOf(IllegalBlockingModeException.class);
        assertThat(receiveText(ends.right())).isEqualTo("kept");
    }

    @Test
    void connectedSocket() throws IOException {
        Ends ends = ends();
        DatagramSocket socket = ends.left().socket();
        socket.connect(addressOf(ends.right()));
        assertThat(ends.left().isConnected()).isTrue();
        assertThat(socket.isConnected()).isTrue();
        assertThat(socket.getPort()).isEqualTo(portOf(ends.right()));
        assertThat(socket.getInetAddress()).isEqualTo(host());
        assertThat(socket.getRemoteSocketAddress()).isEqualTo(addressOf(ends.right()));
        DatagramPacket withoutTarget = new DatagramPacket(new byte[] {'o', 'k'}, 2);
        socket.send(withoutTarget);
        assertThat(withoutTarget.getSocketAddress()).isEqualTo(addressOf(ends.right()));
        assertThat(receive(ends.right())).isEqualTo(new Datagram(addressOf(ends.left()), Bytes.ascii("ok")));
        assertThatThrownBy(() -> socket.send(packet("x", addressOf(bound()))))
                .isInstanceOf(IllegalArgumentException.class);
        DatagramChannel next = bound();
        socket.connect(host(), portOf(next));
        assertThat(ends.left().getRemoteAddress())
                .as("a socket may be connected again")
                .isEqualTo(addressOf(next));
        socket.send(new DatagramPacket(new byte[] {'o', 'k'}, 2));
        assertThat(receiveText(next)).isEqualTo("ok");
        socket.disconnect();
        assertThat(ends.left().isConnected()).isFalse();
        assertThatThrownBy(() -> socket.send(new DatagramPacket(new byte[1], 1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** Newer JDKs look first whether the socket is closed, or its channel non-blocking. */
    @Test
    void aPacketWithoutAnAddress() throws IOException {
        DatagramChannel channel = bound();
        DatagramSocket socket = channel.socket();
        ThrowingCallable send = () -> socket.send(new DatagramPacket(new byte[1], 1));
        boolean addressFirst = Runtime.version().feature() < 19;
        assertThatThrownBy(send).isInstanceOf(IllegalArgumentException.class).hasMessage("Address not set");
        channel.configureBlocking(false);
        if (addressFirst) {
            assertThatThrownBy(send)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("Address not set");
        } else {
            assertThatThrownBy(send).isExactlyInstanceOf(IllegalBlockingModeException.class);
        }
        socket.close();
        if (addressFirst) {
            assertThatThrownBy(send)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("Address not set");
        } else {
            assertThatThrownBy(send)
                    .isExactlyInstanceOf(SocketException.class)
                    .hasMessage("Socket closed")
                    .hasCauseInstanceOf(ClosedChannelException.class);
        }
    }

    /** As sending without one, in what it sends and in what it refuses. */
    @Test
    void aPacketWithATimeToLiveOfItsOwn() throws IOException {
        Ends ends = ends();
        MulticastSocket socket = (MulticastSocket) ends.left().socket();
        socket.setTimeToLive(7);
        for (int i = 0; i < 5; i++) {
            sendLived(socket, packet("there " + i, addressOf(ends.right())));
            assertThat(receiveText(ends.right())).isEqualTo("there " + i);
            assertThat(socket.getTimeToLive()).isEqualTo(7);
        }
        assertThatThrownBy(() -> sendLived(socket, new DatagramPacket(new byte[1], 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Address not set");
        assertThatThrownBy(() -> sendLived(socket, packet("x", new InetSocketAddress(host(), 0))))
                .isInstanceOf(SocketException.class);
        socket.connect(addressOf(ends.right()));
        assertThatThrownBy(() -> sendLived(socket, packet("x", addressOf(bound()))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Connected and packet address differ");
        sendLived(socket, new DatagramPacket(new byte[] {'o', 'k'}, 2));
        assertThat(receiveText(ends.right())).isEqualTo("ok");
        ends.left().configureBlocking(false);
        assertThatThrownBy(() -> sendLived(socket, packet("x", addressOf(ends.right()))))
                .isInstanceOf(IllegalBlockingModeException.class);
        assertThat(socket.getTimeToLive()).isEqualTo(7);
        socket.close();
        assertThatThrownBy(() -> sendLived(socket, packet("x", addressOf(ends.right()))))
                .isInstanceOf(SocketException.class);
    }

    @SuppressWarnings("deprecation") // programs call it all the same
    private static void sendLived(MulticastSocket socket, DatagramPacket packet) throws IOException {
        socket.send(packet, (byte) 3);
    }

    /** A channel that is disconnected has the address again that it had before its last connect. */
    @Test
    void aSocketThatWasConnectedAnewKeepsTheAddressOfTheFirstConnect() throws IOException {
        DatagramChannel channel = datagrams().bind(new InetSocketAddress(0));
        InetSocketAddress bound = (InetSocketAddress) channel.getLocalAddress();
        channel.socket().connect(addressOf(bound()));
        channel.disconnect();
        assertThat(channel.getLocalAddress()).isEqualTo(bound);
        channel.socket().connect(addressOf(bound()));
        channel.socket().connect(addressOf(bound()));
        channel.disconnect();
        assertThat(channel.getLocalAddress()).isEqualTo(new InetSocketAddress(host(), bound.getPort()));
        assertThat(channel.socket().getLocalAddress()).isEqualTo(host());
    }

    @Test
    void badPeersAreRefused() throws IOException {
        DatagramSocket socket = datagrams().socket();
        assertThatThrownBy(() -> socket.connect(null)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> socket.connect(null, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> socket.connect(InetSocketAddress.createUnresolved("accel.invalid", 1)))
                .isInstanceOf(SocketException.class);
        assertThat(socket.isConnected()).isFalse();
    }

    @Test
    void closedSocket() throws IOException {
        Ends ends = ends();
        DatagramSocket socket = ends.left().socket();
        ends.left().close();
        assertThat(socket.isClosed()).isTrue();
        assertThat(socket.getLocalPort()).isEqualTo(-1);
        assertThat(socket.getLocalAddress()).isNull();
        assertThat(socket.getLocalSocketAddress()).isNull();
        assertThatThrownBy(() -> receivePacket(socket, 1)).isInstanceOf(SocketException.class);
        assertThatThrownBy(() -> socket.send(packet("x", addressOf(ends.right()))))
                .isInstanceOf(SocketException.class);
        assertThatThrownBy(() -> socket.setSoTimeout(1)).isInstanceOf(SocketException.class);
        assertThatThrownBy(socket::getSoTimeout).isInstanceOf(SocketException.class);
        assertThatThrownBy(socket::getReceiveBufferSize).isInstanceOf(SocketException.class);
        socket.close();
    }

    @Test
    void optionsAreTheChannels() throws IOException {
        DatagramChannel channel = bound();
        DatagramSocket socket = channel.socket();
        socket.setBroadcast(true);
        socket.setReuseAddress(true);
        socket.setTrafficClass(0x10);
        socket.setReceiveBufferSize(50_000);
        socket.setSendBufferSize(60_000);
        assertThat(channel.getOption(StandardSocketOptions.SO_BROADCAST)).isTrue();
        assertThat(channel.getOption(StandardSocketOptions.SO_REUSEADDR)).isTrue();
        assertThat(channel.getOption(StandardSocketOptions.IP_TOS)).isEqualTo(0x10);
        assertThat(channel.getOption(StandardSocketOptions.SO_RCVBUF)).isEqualTo(socket.getReceiveBufferSize());
        assertThat(channel.getOption(StandardSocketOptions.SO_SNDBUF)).isEqualTo(socket.getSendBufferSize());
        assertThat(socket.getBroadcast() && socket.getReuseAddress()).isTrue();
        assertThat(socket.getTrafficClass()).isEqualTo(0x10);
        assertThat(socket.supportedOptions()).isEqualTo(channel.supportedOptions());
        assertThat(socket.setOption(StandardSocketOptions.IP_MULTICAST_TTL, 7)).isSameAs(socket);
        assertThat(channel.getOption(StandardSocketOptions.IP_MULTICAST_TTL)).isEqualTo(7);
        assertThatThrownBy(() -> socket.setReceiveBufferSize(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> socket.setSendBufferSize(0)).isInstanceOf(IllegalArgumentException.class);
    }
}
