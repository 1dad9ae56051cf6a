// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.NoConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The states of a SocketChannel, and what each of them forbids. */
@Tag("stream")
class SocketChannelStateTest extends ContractSupport {
    private static final class OtherAddress extends SocketAddress {}

    @Test
    void newChannelIsOpenBlockingAndUnconnected() throws IOException {
        SocketChannel channel = channel();
        assertThat(channel.isOpen()).isTrue();
        assertThat(channel.isBlocking()).isTrue();
        assertThat(channel.isConnected()).isFalse();
        assertThat(channel.isConnectionPending()).isFalse();
        assertThat(channel.isRegistered()).isFalse();
        assertThat(channel.getLocalAddress()).isNull();
        assertThat(channel.getRemoteAddress()).isNull();
        assertThat(channel.validOps())
                .isEqualTo(SelectionKey.OP_READ | SelectionKey.OP_WRITE | SelectionKey.OP_CONNECT);
    }

    @Test
    void connectedEndsAreConnectedAndBlocking() throws IOException {
        Pair pair = pair();
        for (SocketChannel end : new SocketChannel[] {pair.client(), pair.server()}) {
            assertThat(end.isConnected()).isTrue();
            assertThat(end.isConnectionPending()).isFalse();
            assertThat(end.isBlocking()).isTrue();
            assertThat(end.finishConnect()).as("finishConnect when connected").isTrue();
        }
    }

    @Test
    void unconnectedChannelDoesNotRead() throws IOException {
        SocketChannel channel = channel();
        ByteBuffer[] buffers = {ByteBuffer.allocate(1)};
        assertThatThrownBy(() -> channel.read(buffers[0])).isInstanceOf(NotYetConnectedException.class);
        assertThatThrownBy(() -> channel.read(buffers)).isInstanceOf(NotYetConnectedException.class);
        assertThatThrownBy(() -> channel.read(buffers, 0, 1)).isInstanceOf(NotYetConnectedException.class);
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void unconnectedChannelDoesNotWrite() throws IOException {
        SocketChannel channel = nonBlockingChannel();
        ByteBuffer[] buffers = {ByteBuffer.allocate(1)};
        assertThatThrownBy(() -> channel.write(buffers[0])).isInstanceOf(NotYetConnectedException.class);
        assertThatThrownBy(() -> channel.write(buffers)).isInstanceOf(NotYetConnectedException.class);
        assertThatThrownBy(() -> channel.write(buffers, 0, 1)).isInstanceOf(NotYetConnectedException.class);
        assertThat(buffers[0].position()).isZero();
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void unconnectedChannelDoesNotShutDown() throws IOException {
        SocketChannel channel = channel();
        assertThatThrownBy(channel::shutdownInput).isInstanceOf(NotYetConnectedException.class);
        assertThatThrownBy(channel::shutdownOutput).isInstanceOf(NotYetConnectedException.class);
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void finishConnectWithoutConnectIsRefused() throws IOException {
        assertThatThrownBy(channel()::finishConnect).isInstanceOf(NoConnectionPendingException.class);
        SocketChannel nonBlocking = nonBlockingChannel();
        assertThatThrownBy(nonBlocking::finishConnect).isInstanceOf(NoConnectionPendingException.class);
        assertThat(nonBlocking.isOpen()).isTrue();
    }

    @Test
    void connectedChannelDoesNotConnectAgain() throws IOException {
        Pair pair = pair();
        SocketAddress address = listener().getLocalAddress();
        assertThatThrownBy(() -> pair.client().connect(address)).isInstanceOf(AlreadyConnectedException.class);
        assertThatThrownBy(() -> pair.server().connect(address)).isInstanceOf(AlreadyConnectedException.class);
        assertThat(pair.client().isConnected()).as("still connected").isTrue();
        Bytes.write(pair.client(), Bytes.ascii("still here"));
        assertThat(Bytes.readAscii(pair.server(), 10)).isEqualTo("still here");
    }

    @Test
    void addressThatIsNotResolvedLeavesTheChannelOpen() throws IOException {
        SocketChannel channel = channel();
        SocketAddress unresolved = InetSocketAddress.createUnresolved("nowhere.invalid", 80);
        assertThatThrownBy(() -> channel.connect(unresolved)).isInstanceOf(UnresolvedAddressException.class);
        assertThatThrownBy(() -> channel.bind(unresolved)).isInstanceOf(UnresolvedAddressException.class);
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void addressOfAnotherKindLeavesTheChannelOpen() throws IOException {
        SocketChannel channel = channel();
        SocketAddress other = new OtherAddress();
        assertThatThrownBy(() -> channel.connect(other)).isInstanceOf(UnsupportedAddressTypeException.class);
        assertThatThrownBy(() -> channel.bind(other)).isInstanceOf(UnsupportedAddressTypeException.class);
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void staticOpenClosesTheChannelWhenTheAddressIsBad() {
        assertThatThrownBy(() -> SocketChannel.open(new OtherAddress()))
                .isInstanceOf(UnsupportedAddressTypeException.class);
        assertThatThrownBy(() -> SocketChannel.open(InetSocketAddress.createUnresolved("nowhere.invalid", 80)))
                .isInstanceOf(UnresolvedAddressException.class);
    }

    @Test
    void nullArgumentsAreRefused() throws IOException {
        Pair pair = pair();
        SocketChannel channel = pair.client();
        assertThatThrownBy(() -> channel.read((ByteBuffer) null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> channel.write((ByteBuffer) null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> channel.read((ByteBuffer[]) null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> channel.write((ByteBuffer[]) null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> channel.setOption(null, 1)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> channel.getOption(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> channel().connect(null)).isInstanceOf(NullPointerException.class);
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void toStringTellsTheState() throws IOException {
        SocketChannel unconnected = channel();
        assertThat(unconnected.toString()).isEqualTo("java.nio.channels.SocketChannel[unconnected]");
        Pair pair = pair();
        assertThat(pair.client().toString())
                .isEqualTo("java.nio.channels.SocketChannel[connected local=%s remote=%s]"
                        .formatted(
                                pair.client().getLocalAddress(), pair.client().getRemoteAddress()));
        pair.client().shutdownInput().shutdownOutput();
        assertThat(pair.client().toString()).contains("ishut").contains("oshut");
        pair.client().close();
        assertThat(pair.client().toString()).isEqualTo("java.nio.channels.SocketChannel[closed]");
    }

    @Test
    void toStringTellsWhereAConnectIsGoing() throws Exception {
        SocketChannel client = waitingConnect().client();
        assertThat(client.toString())
                .isEqualTo("java.nio.channels.SocketChannel[connection-pending remote=%s]"
                        .formatted(client.getRemoteAddress()));
        client.close();
    }
}
