// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.netty.DatagramEnd.Received;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultAddressedEnvelope;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.socket.DatagramPacket;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Datagrams over a faster path: addresses, sizes, kinds of messages, connected or not. */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails is missed at the other end
class DatagramTest {
    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, US_ASCII);
    }

    private static void assertText(Received received, String text) {
        assertThat(received.text()).isEqualTo(text);
    }

    @Test
    void takesTheFasterPathWithTheKernelsAddresses() throws Exception {
        try (DatagramEnd left = new DatagramEnd();
                DatagramEnd right = new DatagramEnd()) {
            assertThat(left.channel.path(right.address()).path()).isEqualTo("kernel");
            DatagramEnd.warm(left, right);
            left.send(bytes("there"), right).sync();
            Received there = right.receive();
            assertText(there, "there");
            assertThat(there.from()).isEqualTo(left.address());
            assertThat(there.to()).isEqualTo(right.address());
            right.channel.writeAndFlush(new DatagramPacket(bytes("back"), there.from()));
            assertText(left.receive(), "back");
        }
    }

    @Test
    void sendsBuffersOfEveryKind() throws Exception {
        try (DatagramEnd left = new DatagramEnd();
                DatagramEnd right = new DatagramEnd()) {
            for (String path : new String[] {"kernel", TestedPath.NAME}) {
                CompositeByteBuf composite = Unpooled.compositeBuffer().addComponent(true, bytes("two"));
                composite.addComponent(true, Unpooled.directBuffer().writeBytes(bytes(" pieces")));
                ByteBuf[] all = {
                    bytes("heap"),
                    bytes("read-only").asReadOnly(),
                    Unpooled.directBuffer().writeBytes(bytes("  direct")).skipBytes(2),
                    composite,
                };
                String[] texts = {"heap", "read-only", "direct", "two pieces"};
                for (int i = 0; i < all.length; i++) {
                    left.channel.write(
                            i == 1
                                    ? new DefaultAddressedEnvelope<>(all[i], right.address())
                                    : new DatagramPacket(all[i], right.address()));
                }
                left.channel.flush();
                for (String text : texts) {
                    assertText(right.receive(), text);
                }
                left.settle();
                for (ByteBuf sent : all) {
                    assertThat(sent.refCnt()).isZero();
                }
                if (path.equals("kernel")) {
                    DatagramEnd.warm(left, right);
                }
            }
        }
    }

    @Test
    void connectedChannelsWriteBuffers() throws Exception {
        try (DatagramEnd left = new DatagramEnd();
                DatagramEnd right = new DatagramEnd();
                DatagramEnd other = new DatagramEnd()) {
            DatagramEnd.warm(left, right);
            DatagramEnd.warm(other, left);
            left.channel.connect(right.address()).sync();
            assertThat(left.channel.isConnected()).isTrue();
            assertThat(left.channel.remoteAddress()).isEqualTo(right.address());
            assertThat(left.channel.path(right.address()).path()).isEqualTo(TestedPath.NAME);
            left.channel.writeAndFlush(bytes("to the peer")).sync();
            assertText(right.receive(), "to the peer");
            left.send(bytes("to it by name"), right).sync();
            assertText(right.receive(), "to it by name");
            assertThatThrownBy(() -> left.send(bytes("elsewhere"), other).sync())
                    .isInstanceOf(AlreadyConnectedException.class);
            other.send(bytes("not from the peer"), left).sync();
            right.send(bytes("from the peer"), left).sync();
            assertText(left.receive(), "from the peer");

            left.channel.disconnect().sync();
            assertThat(left.channel.isConnected()).isFalse();
            assertThat(left.channel.remoteAddress()).isNull();
            assertThat(left.channel.isActive()).isTrue();
            assertThatThrownBy(
                            () -> left.channel.writeAndFlush(bytes("to whom?")).sync())
                    .isInstanceOf(NotYetConnectedException.class);
            left.send(bytes("free again"), other).sync();
            assertText(other.receive(), "free again");
        }
    }

    @Test
    void sendsAndReceivesEmptyPackets() throws Exception {
        try (DatagramEnd left = new DatagramEnd();
                DatagramEnd right = new DatagramEnd()) {
            left.send(Unpooled.EMPTY_BUFFER, right).sync();
            assertText(right.receive(), "");
            DatagramEnd.warm(left, right);
            CountDownLatch go = new CountDownLatch(1);
            right.holdUntil(go);
            for (int i = 0; i < 5; i++) {
                left.send(Unpooled.compositeBuffer(), right).sync();
            }
            go.countDown();
            for (int i = 0; i < 5; i++) {
                assertText(right.next(), ""); // all in one read: an empty one does not end it
            }
            left.channel.connect(right.address()).sync();
            left.channel.writeAndFlush(Unpooled.EMPTY_BUFFER).sync();
            left.channel.writeAndFlush(bytes("not empty")).sync();
            assertText(right.receive(), "not empty");
        }
    }

    @Test
    void cutsOffWhatTheBufferHasNoRoomFor() throws Exception {
        Map<ChannelOption<?>, Object> small = Map.of(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(8));
        try (DatagramEnd left = new DatagramEnd();
                DatagramEnd right = new DatagramEnd(small)) {
            for (int round = 0; round < 2; round++) {
                left.send(bytes("0123456789"), right).sync();
                left.send(bytes("01234567"), right).sync();
                left.send(bytes("0"), right).sync();
                assertText(right.receive(), "01234567");
                assertText(right.receive(), "01234567");
                assertText(right.receive(), "0");
                DatagramEnd.warm(left, right);
            }
            right.send(Unpooled.buffer().writeZero(2_049), left).sync();
            assertThat(left.receive().text()).hasSize(2_048);
        }
    }

    @Test
    void carriesTheLargestDatagramAndRefusesLarger() throws Exception {
        Map<ChannelOption<?>, Object> large =
                Map.of(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(65_536));
        try (DatagramEnd left = new DatagramEnd();
                DatagramEnd right = new DatagramEnd(large)) {
            DatagramEnd.warm(left, right);
            int most = TestedPath.ADDRESS instanceof Inet4Address ? 65_507 : 65_527;
            left.send(Unpooled.buffer().writeZero(most), right).sync();
            assertThat(right.receive().text()).hasSize(most);
            assertThatThrownBy(() -> left.send(Unpooled.buffer().writeZero(most + 1), right)
                            .sync())
                    .hasMessageContaining("too long");
            left.send(bytes("next"), right).sync();
            assertText(right.receive(), "next");
        }
    }

    @Test
    void refusesOtherMessagesAndStaysOpen() throws Exception {
        try (DatagramEnd left = new DatagramEnd();
                DatagramEnd right = new DatagramEnd()) {
            assertThatThrownBy(() -> left.channel.writeAndFlush("text").sync())
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("String");
            ByteBuf nowhere = bytes("nowhere");
            assertThatThrownBy(() -> left.channel.writeAndFlush(nowhere).sync())
                    .isInstanceOf(NotYetConnectedException.class);
            assertThat(nowhere.refCnt()).isZero();
            left.send(bytes("still open"), right).sync();
            assertText(right.receive(), "still open");
        }
    }

    /** A socket that shares its port cannot know which datagrams are its own, so they are the kernel's. */
    @Test
    void leavesSharedPortsToTheKernel() throws Exception {
        try (DatagramEnd left = new DatagramEnd();
                DatagramEnd right = new DatagramEnd(Map.of(ChannelOption.SO_REUSEADDR, true))) {
            await("searches that find nothing").until(() -> {
                left.send(bytes("there"), right).sync();
                right.receive();
                return left.channel.path(right.address()).reason() == FallbackReason.PEER_NOT_ACCELERATED;
            });
            assertThat(left.channel.path(right.address()).path()).isEqualTo("kernel");
        }
    }

    @Test
    void failsToConnectToAnUnresolvedAddress() throws Exception {
        try (DatagramEnd end = new DatagramEnd()) {
            assertThatThrownBy(() -> end.channel
                            .connect(InetSocketAddress.createUnresolved("host.invalid", 1))
                            .sync())
                    .isInstanceOf(UnresolvedAddressException.class);
            assertThat(end.channel.isOpen()).isFalse();
        }
    }
}
