// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.DatagramSupport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Channels that are connected to one peer, and those that no longer are. */
@Tag("datagram")
class DatagramConnectTest extends DatagramSupport {
    @Test
    void newChannelIsNotConnected() throws IOException {
        DatagramChannel channel = datagrams();
        assertThat(channel.isConnected()).isFalse();
        assertThat(channel.getRemoteAddress()).isNull();
        assertThat(channel.disconnect()).isSameAs(channel);
        assertThat(channel.getLocalAddress()).isNull();
    }

    @Test
    void readAndWriteNeedAPeer() throws IOException {
        DatagramChannel channel = bound();
        ByteBuffer buffer = Bytes.ascii("abc");
        ByteBuffer[] buffers = {buffer};
        for (boolean blocking : new boolean[] {true, false}) {
            channel.configureBlocking(blocking);
            assertThatThrownBy(() -> channel.read(buffer)).isInstanceOf(NotYetConnectedException.class);
            assertThatThrownBy(() -> channel.read(buffers)).isInstanceOf(NotYetConnectedException.class);
            assertThatThrownBy(() -> channel.read(buffers, 0, 1)).isInstanceOf(NotYetConnectedException.class);
            assertThatThrownBy(() -> channel.write(buffer)).isInstanceOf(NotYetConnectedException.class);
            assertThatThrownBy(() -> channel.write(buffers)).isInstanceOf(NotYetConnectedException.class);
            assertThatThrownBy(() -> channel.write(buffers, 0, 1)).isInstanceOf(NotYetConnectedException.class);
        }
        assertThat(buffer.position()).isZero();
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void connectedChannelKnowsItsPeer() throws IOException {
        DatagramChannel peer = bound();
        DatagramChannel channel = bound();
        assertThat(channel.connect(addressOf(peer))).isSameAs(channel);
        assertThat(channel.isConnected()).isTrue();
        assertThat(channel.getRemoteAddress()).isEqualTo(addressOf(peer));
        assertThat(peer.isConnected()).as("the peer is not asked").isFalse();
        channel.disconnect();
        assertThat(channel.isConnected()).isFalse();
        assertThat(channel.getRemoteAddress()).isNull();
    }

    @Test
    void readsAndWritesOfConnectedEnds() throws IOException {
        Ends ends = connectedEnds();
        for (int i = 0; i < 50; i++) {
            assertThat(ends.left().write(Bytes.ascii("there"))).isEqualTo(5);
            assertThat(Bytes.readAscii(ends.right(), 5)).isEqualTo("there");
            assertThat(ends.right().write(Bytes.ascii("back"))).isEqualTo(4);
            assertThat(Bytes.readAscii(ends.left(), 4)).isEqualTo("back");
        }
    }

    @Test
    void sendAndReceiveOfConnectedEnds() throws IOException {
        Ends ends = connectedEnds();
        send(ends.left(), "sent", addressOf(ends.right()));
        assertThat(receive(ends.right())).isEqualTo(new Datagram(addressOf(ends.left()), Bytes.ascii("sent")));
        ends.right().write(Bytes.ascii("written"));
        assertThat(receive(ends.left())).isEqualTo(new Datagram(addressOf(ends.right()), Bytes.ascii("written")));
    }

    @Test
    void connectedEndTalksToOneThatIsNot() throws IOException {
        DatagramChannel server = bound();
        DatagramChannel client = datagrams();
        client.connect(addressOf(server));
        warm(client, server);
        client.write(Bytes.ascii("request"));
        Datagram request = receive(server);
        assertThat(request.text()).isEqualTo("request");
        assertThat(request.source()).isEqualTo(client.getLocalAddress());
        send(server, "response", request.source());
        assertThat(Bytes.readAscii(client, 8)).isEqualTo("response");
    }

    @Test
    void sendToAnotherIsRefused() throws IOException {
        Ends ends = connectedEnds();
        DatagramChannel other = bound();
        ByteBuffer buffer = Bytes.ascii("x");
        assertThatThrownBy(() -> ends.left().send(buffer, addressOf(other)))
                .isInstanceOf(AlreadyConnectedException.class);
        assertThat(buffer.position()).isZero();
        assertThat(ends.left().isConnected()).isTrue();
        assertNothingArrives(other);
    }

    @Test
    void datagramsOfOthersAreNotReceived() throws IOException {
        Ends ends = connectedEnds();
        DatagramChannel other = bound();
        for (int i = 0; i < 10; i++) {
            send(other, "stranger", addressOf(ends.right()));
            pause(1);
        }
        assertNothingArrives(ends.right());
        ends.left().write(Bytes.ascii("peer"));
        assertThat(receiveText(ends.right())).isEqualTo("peer");
        assertNothingArrives(ends.right());
    }

    /** The other has been heard before: whatever its datagrams went by, that must not let them in now. */
    @Test
    void datagramsOfThoseHeardBeforeAreNotReceived() throws IOException {
        DatagramChannel receiver = bound();
        DatagramChannel before = bound();
        DatagramChannel peer = bound();
        warm(before, receiver);
        warm(peer, receiver);
        send(before, "was there before the connect", addressOf(receiver));
        pause(5);
        receiver.connect(addressOf(peer));
        send(before, "comes after it", addressOf(receiver));
        assertNothingArrives(receiver);
        send(peer, "peer", addressOf(receiver));
        assertThat(receiveText(receiver)).isEqualTo("peer");
    }

    @Test
    void whatOthersSentBeforeTheDisconnectIsNotReceived() throws IOException {
        Ends ends = ends();
        ends.right().connect(addressOf(bound()));
        send(ends.left(), "comes too early", addressOf(ends.right()));
        letArrive(ends.left());
        ends.right().disconnect();
        assertNothingArrives(ends.right());
        send(ends.left(), "comes after it", addressOf(ends.right()));
        assertThat(receiveText(ends.right())).isEqualTo("comes after it");
    }

    /** What the peer has sent stays. */
    @Test
    void whatThePeerSentBeforeTheDisconnectIsReceived() throws IOException {
        Ends ends = connectedEnds();
        ends.left().write(Bytes.ascii("peer"));
        ends.right().disconnect();
        assertThat(receiveText(ends.right())).isEqualTo("peer");
    }

    @Test
    void disconnectedChannelReceivesOfAll() throws IOException {
        Ends ends = connectedEnds();
        DatagramChannel other = bound();
        ends.right().disconnect();
        for (DatagramChannel sender : new DatagramChannel[] {other, ends.left()}) {
            send(sender, "to all", addressOf(ends.right()));
            assertThat(receive(ends.right())).isEqualTo(new Datagram(addressOf(sender), Bytes.ascii("to all")));
        }
        warm(other, ends.right());
        send(ends.right(), "to other", addressOf(other));
        assertThat(receive(other)).isEqualTo(new Datagram(addressOf(ends.right()), Bytes.ascii("to other")));
        assertThatThrownBy(() -> ends.right().write(Bytes.ascii("x"))).isInstanceOf(NotYetConnectedException.class);
    }

    @Test
    void connectsToOneAfterTheOther() throws IOException {
        DatagramChannel channel = bound();
        InetSocketAddress address = addressOf(channel);
        for (int i = 0; i < 5; i++) {
            DatagramChannel peer = bound();
            channel.connect(addressOf(peer));
            warm(peer, channel);
            channel.write(Bytes.ascii("peer " + i));
            assertThat(receive(peer)).isEqualTo(new Datagram(address, Bytes.ascii("peer " + i)));
            channel.disconnect();
            assertThat(channel.getLocalAddress()).isEqualTo(address);
        }
    }

    @Test
    void connectTwiceIsRefused() throws IOException {
        Ends ends = connectedEnds();
        assertThatThrownBy(() -> ends.left().connect(addressOf(bound()))).isInstanceOf(AlreadyConnectedException.class);
        assertThatThrownBy(() -> ends.left().connect(addressOf(ends.right())))
                .isInstanceOf(AlreadyConnectedException.class);
        assertThat(ends.left().getRemoteAddress()).isEqualTo(addressOf(ends.right()));
        ends.left().write(Bytes.ascii("ok"));
        assertThat(receiveText(ends.right())).isEqualTo("ok");
    }

    @Test
    void badPeersAreRefused() throws IOException {
        DatagramChannel channel = datagrams();
        assertThatThrownBy(() -> channel.connect(InetSocketAddress.createUnresolved("accel.invalid", 1)))
                .isInstanceOf(UnresolvedAddressException.class);
        assertThatThrownBy(() -> channel.connect(new UnknownAddress()))
                .isInstanceOf(UnsupportedAddressTypeException.class);
        assertThatThrownBy(() -> channel.connect(new InetSocketAddress(host(), 0)))
                .isInstanceOf(SocketException.class);
        assertThatThrownBy(() -> channel.connect(null)).isInstanceOf(NullPointerException.class);
        assertThat(channel.isConnected()).isFalse();
        assertThat(channel.isOpen()).isTrue();
        DatagramChannel peer = bound();
        channel.connect(addressOf(peer)).write(Bytes.ascii("ok"));
        assertThat(receiveText(peer)).isEqualTo("ok");
    }

    private static final class UnknownAddress extends SocketAddress {
        private static final long serialVersionUID = 1;
    }
}
