// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.profile.Keys;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A handler may do with slices of the receive ring anything that it may do with other buffers. */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails is missed at the other end
class ReceiveSlicesTest {
    private static final int RING = Accel.accelerator().profile().get(Keys.RING_SIZE);
    private static final int LARGE = 16 * 1024;

    private static byte[] pattern(int length, int seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static boolean isSlice(ByteBuf buffer) {
        ByteBuf inner = buffer;
        while (inner.unwrap() != null) {
            inner = inner.unwrap();
        }
        return inner instanceof RingByteBuf;
    }

    @Test
    void largeReadsAreSlicesAndSmallOnesAreNot() throws Exception {
        Keeper keeper = new Keeper();
        try (Pair pair = new Pair(keeper)) {
            pair.client.writeAndFlush(Unpooled.wrappedBuffer(pattern(LARGE, 1))).sync();
            ByteBuf large = keeper.next();
            assertThat(isSlice(large)).isTrue();
            assertThat(ByteBufUtil.getBytes(large)).isEqualTo(pattern(LARGE, 1));
            large.release();

            pair.client.writeAndFlush(Unpooled.wrappedBuffer(pattern(64, 2))).sync();
            ByteBuf small = keeper.next();
            assertThat(isSlice(small)).isFalse();
            assertThat(ByteBufUtil.getBytes(small)).isEqualTo(pattern(64, 2));
            small.release();
        }
    }

    @Test
    void areNotGivenIfSwitchedOff() throws Exception {
        for (Map<ChannelOption<?>, Object> options : List.<Map<ChannelOption<?>, Object>>of(
                Map.of(AccelChannelOption.RECEIVE_SLICES, false),
                Map.of(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(LARGE)))) {
            Keeper keeper = new Keeper();
            try (Pair pair = new Pair(keeper, options)) {
                assertThat(pair.accepted.config().isReceiveSlices()).isFalse();
                pair.client
                        .writeAndFlush(Unpooled.wrappedBuffer(pattern(LARGE, 1)))
                        .sync();
                for (int received = 0; received < LARGE; ) {
                    ByteBuf part = keeper.next();
                    assertThat(isSlice(part)).isFalse();
                    received += part.readableBytes();
                    part.release();
                }
            }
        }
    }

    /** Ten times the ring, all of it kept: bytes beyond the share are copied out, and no byte is lost or changed. */
    @Test
    void aHandlerThatKeepsEverythingDoesNotStallItsConnection() throws Exception {
        Keeper keeper = new Keeper();
        byte[] sent = pattern(10 * RING, 3);
        try (Pair pair = new Pair(keeper)) {
            pair.client.writeAndFlush(Unpooled.wrappedBuffer(sent));
            ByteBuf all = keeper.take(sent.length);
            assertThat(ByteBufUtil.getBytes(all)).isEqualTo(sent);
            all.release();
        }
    }

    /** One slice at the beginning is never released while ten rings pass by. */
    @Test
    void oneKeptSliceDoesNotStallItsConnection() throws Exception {
        Keeper keeper = new Keeper();
        byte[] first = pattern(LARGE, 4);
        byte[] rest = pattern(10 * RING, 5);
        try (Pair pair = new Pair(keeper)) {
            pair.client.writeAndFlush(Unpooled.wrappedBuffer(first)).sync();
            ByteBuf kept = keeper.next();
            assertThat(isSlice(kept)).isTrue();
            pair.client.writeAndFlush(Unpooled.wrappedBuffer(rest));
            for (int received = 0; received < rest.length; ) {
                ByteBuf buffer = keeper.next();
                for (int i = 0; i < buffer.readableBytes(); i += 997) {
                    assertThat(buffer.getByte(i)).isEqualTo(rest[received + i]);
                }
                received += buffer.readableBytes();
                buffer.release();
            }
            assertThat(ByteBufUtil.getBytes(kept)).isEqualTo(first);
            kept.release();
        }
    }

    /** The test's thread reads and releases, the event loop receives: slices are copied out, released, reused all the time. */
    @Test
    void anotherThreadMayReadAndRelease() throws Exception {
        Keeper keeper = new Keeper();
        byte[] sent = pattern(64 * RING, 6);
        try (Pair pair = new Pair(keeper)) {
            pair.client.writeAndFlush(Unpooled.wrappedBuffer(sent));
            List<ByteBuf> behind = new ArrayList<>();
            int received = 0;
            byte[] got = new byte[sent.length];
            while (received < sent.length) {
                ByteBuf buffer = keeper.next();
                int length = buffer.readableBytes();
                if (length % 3 == 0) {
                    buffer.getBytes(0, got, received, length);
                } else if (length % 3 == 1) {
                    buffer.nioBuffer().get(got, received, length);
                } else {
                    buffer.retainedSlice(0, length)
                            .getBytes(0, got, received, length)
                            .release();
                }
                received += length;
                behind.add(buffer);
                if (behind.size() == 7) {
                    behind.remove(behind.size() / 2).release();
                    behind.remove(0).release();
                }
            }
            assertThat(got).isEqualTo(sent);
            behind.forEach(ByteBuf::release);
        }
    }

    /** A view that a handler took keeps its bytes, whatever comes after. */
    @Test
    void aViewOutlivesTheSlicesPlaceInTheRing() throws Exception {
        AtomicReference<ByteBuffer> view = new AtomicReference<>();
        Keeper keeper = new Keeper();
        byte[] first = pattern(LARGE, 7);
        byte[] rest = pattern(4 * RING, 8);
        ChannelInboundHandlerAdapter viewer = new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object msg) {
                if (view.get() == null) {
                    view.set(((ByteBuf) msg).nioBuffer());
                }
                keeper.kept.add((ByteBuf) msg);
            }
        };
        try (Pair pair = new Pair(viewer)) {
            pair.client.writeAndFlush(Unpooled.wrappedBuffer(first)).sync();
            ByteBuf kept = keeper.next();
            pair.client.writeAndFlush(Unpooled.wrappedBuffer(rest));
            keeper.take(rest.length).release();
            byte[] seen = new byte[first.length];
            view.get().get(seen);
            assertThat(seen).isEqualTo(first);
            kept.release();
        }
    }

    /** Like an engine that decrypts from a view and calls back. */
    @Test
    void aCloseUnderAViewLeavesTheMemoryToWhoReadsIt() throws Exception {
        BlockingQueue<byte[]> seen = new LinkedBlockingQueue<>();
        byte[] sent = pattern(LARGE, 13);
        ChannelInboundHandlerAdapter closer = new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object msg) {
                ByteBuf slice = (ByteBuf) msg;
                ByteBuffer view = slice.internalNioBuffer(0, slice.readableBytes());
                ctx.close();
                assertThat(ctx.channel().isOpen()).isFalse();
                byte[] bytes = new byte[view.remaining()];
                view.get(bytes);
                slice.release();
                seen.add(bytes);
            }

            @Override
            public boolean isSharable() {
                return true;
            }
        };
        for (int i = 0; i < 20; i++) {
            try (Pair pair = new Pair(closer)) {
                pair.client.writeAndFlush(Unpooled.wrappedBuffer(sent));
                assertThat(seen.poll(10, SECONDS)).isEqualTo(sent);
            }
        }
    }

    /** The kernel's path keeps views of bytes for which a slow peer leaves no room, while the ring is used further. */
    @Test
    void canBeWrittenToAKernelConnectionThatIsSlow() throws Exception {
        byte[] sent = pattern(24 * RING, 14);
        AtomicReference<Channel> onward = new AtomicReference<>();
        ChannelInboundHandlerAdapter forward = new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object msg) {
                ByteBuf slice = (ByteBuf) msg;
                ByteBuf same = slice.readableBytes() % 2 == 0
                        ? slice
                        : Unpooled.compositeBuffer().addComponent(true, slice);
                onward.get().writeAndFlush(same);
            }
        };
        try (ServerSocket slow = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Pair pair = new Pair(forward)) {
            Channel kernel = new Bootstrap()
                    .group(pair.serverLoop)
                    .channel(AccelSocketChannel.class)
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect(slow.getLocalSocketAddress())
                    .sync()
                    .channel();
            assertThat(((AccelSocketChannel) kernel).path().path()).isEqualTo("kernel");
            onward.set(kernel);
            try (Socket socket = slow.accept()) {
                pair.client.writeAndFlush(Unpooled.wrappedBuffer(sent)).sync();
                await().atMost(10, SECONDS).until(() -> !kernel.isWritable());
                socket.setSoTimeout(10_000);
                assertThat(socket.getInputStream().readNBytes(sent.length)).isEqualTo(sent);
            }
            kernel.close().sync();
        }
    }

    /** After the close the ring's memory is unmapped; a handler's slices are copied out before. */
    @Test
    void survivesTheCloseOfItsChannel() throws Exception {
        Keeper keeper = new Keeper();
        byte[] sent = pattern(LARGE, 9);
        ByteBuf kept;
        try (Pair pair = new Pair(keeper)) {
            pair.client.writeAndFlush(Unpooled.wrappedBuffer(sent)).sync();
            kept = keeper.next();
            assertThat(isSlice(kept)).isTrue();
        }
        assertThat(ByteBufUtil.getBytes(kept)).isEqualTo(sent);
        kept.setByte(0, 1);
        assertThat(kept.release()).isTrue();
    }

    /** A slice that is echoed is written from where it lies; one that waits for room in the other ring is not lost. */
    @Test
    void canBeWrittenToAnotherChannel() throws Exception {
        ChannelInboundHandlerAdapter echo = new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object msg) {
                ctx.writeAndFlush(msg);
            }
        };
        Keeper keeper = new Keeper();
        byte[] sent = pattern(16 * RING, 10);
        try (Pair pair = new Pair(echo)) {
            pair.client.pipeline().addLast(keeper);
            pair.client.writeAndFlush(Unpooled.wrappedBuffer(sent));
            ByteBuf all = keeper.take(sent.length);
            assertThat(ByteBufUtil.getBytes(all)).isEqualTo(sent);
            all.release();
        }
    }

    /** Releases in the event loop, while it reads nothing: the sender's space still comes back. */
    @Test
    void theSenderGetsTheSpaceOfReleasedSlices() throws Exception {
        Keeper keeper = new Keeper();
        byte[] sent = pattern(RING, 11);
        try (Pair pair = new Pair(keeper)) {
            for (int i = 0; i < 20; i++) {
                pair.client.writeAndFlush(Unpooled.wrappedBuffer(sent)).sync();
                ByteBuf all = keeper.take(sent.length);
                pair.accepted.eventLoop().submit(() -> all.release()).sync();
            }
            await().atMost(10, SECONDS).until(() -> pair.client.isWritable());
        }
    }

    @Test
    void behavesLikeOtherBuffers() throws Exception {
        BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
        BlockingQueue<String> done = new LinkedBlockingQueue<>();
        byte[] sent = pattern(LARGE, 12);
        ChannelInboundHandlerAdapter checker = new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object msg) {
                ByteBuf slice = (ByteBuf) msg;
                try {
                    check(slice, Unpooled.copiedBuffer(sent));
                    check(slice, Unpooled.copiedBuffer(sent)); // nothing of it moved the bytes
                    slice.nioBuffer(); // from here on it is a copy
                    check(slice, Unpooled.copiedBuffer(sent));
                } catch (RuntimeException | AssertionError e) {
                    failures.add(e);
                } finally {
                    slice.release();
                    done.add("done");
                }
            }
        };
        try (Pair pair = new Pair(checker)) {
            pair.client.writeAndFlush(Unpooled.wrappedBuffer(sent)).sync();
            assertThat(done.poll(10, SECONDS)).isNotNull();
            assertThat(failures).isEmpty();
        }
    }

    private static void check(ByteBuf slice, ByteBuf like) {
        assertThat(slice.capacity()).isEqualTo(LARGE);
        assertThat(slice.maxCapacity()).isEqualTo(LARGE);
        assertThat(slice.readerIndex()).isZero();
        assertThat(slice.isWritable()).isFalse();
        assertThat(slice).isEqualTo(like);
        for (int i : new int[] {0, 1, 1000, LARGE - 8}) {
            assertThat(slice.getShort(i)).isEqualTo(like.getShort(i));
            assertThat(slice.getShortLE(i)).isEqualTo(like.getShortLE(i));
            assertThat(slice.getMedium(i)).isEqualTo(like.getMedium(i));
            assertThat(slice.getMediumLE(i)).isEqualTo(like.getMediumLE(i));
            assertThat(slice.getInt(i)).isEqualTo(like.getInt(i));
            assertThat(slice.getIntLE(i)).isEqualTo(like.getIntLE(i));
            assertThat(slice.getLong(i)).isEqualTo(like.getLong(i));
            assertThat(slice.getLongLE(i)).isEqualTo(like.getLongLE(i));
            long value = slice.getLong(i);
            slice.setLongLE(i, ~value);
            assertThat(slice.getLongLE(i)).isEqualTo(~value);
            slice.setLong(i, value);
            assertThat(slice.getLong(i)).isEqualTo(value);
        }
        assertThat(slice.indexOf(0, LARGE, like.getByte(777))).isEqualTo(like.indexOf(0, LARGE, like.getByte(777)));
        assertThat(slice.toString(100, 50, StandardCharsets.ISO_8859_1))
                .isEqualTo(like.toString(100, 50, StandardCharsets.ISO_8859_1));
        ByteBuf copy = slice.copy(5, 100);
        assertThat(copy).isEqualTo(like.slice(5, 100));
        copy.release();
        ByteBuffer sink = ByteBuffer.allocate(100);
        slice.getBytes(9, sink);
        assertThat(sink.flip()).isEqualTo(like.nioBuffer(9, 100));
        assertThat(slice.slice(3, 50)).isEqualTo(like.slice(3, 50));
        assertThat(slice.hasArray()).isFalse();
        assertThat(slice.hasMemoryAddress()).isFalse();
        like.release();
    }
}
