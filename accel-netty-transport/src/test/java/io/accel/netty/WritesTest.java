// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.observe.Connections;
import io.accel.core.observe.Figure;
import io.accel.core.observe.Figures;
import io.accel.core.observe.MemoryUse;
import io.accel.core.observe.ObservedConnection;
import io.accel.core.observe.PathName;
import io.accel.profile.Keys;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The times when a write is done and its buffer is free: as soon as its bytes are taken, whatever happens to the channel. */
@Order(1) // some tests of Netty's own suite leave connections open, whose memory stays registered
class WritesTest {
    private static final int RING = Accel.accelerator().profile().get(Keys.RING_SIZE);
    private static final int LARGE = 40_000;
    private static final int MESSAGES = 100;

    private static final class Discard extends ChannelInboundHandlerAdapter {
        final AtomicLong bytes = new AtomicLong();

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            bytes.addAndGet(((ByteBuf) msg).readableBytes());
            ((ByteBuf) msg).release();
        }

        void await(long expected) {
            Awaitility.await("the bytes that were sent").atMost(20, SECONDS).until(() -> bytes.get() >= expected);
            assertThat(bytes.get()).isEqualTo(expected);
        }
    }

    /** Each byte must be one more than the byte before it; otherwise something overwrote it. */
    private static final class Ascending extends ChannelInboundHandlerAdapter {
        private final long total;
        private long read;
        final CompletableFuture<Void> done = new CompletableFuture<>();

        Ascending(long total) {
            this.total = total;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ByteBuf buffer = (ByteBuf) msg;
            for (byte value : ByteBufUtil.getBytes(buffer)) {
                if (value != (byte) read++) {
                    done.completeExceptionally(new AssertionError("byte " + (read - 1) + " of the stream is " + value));
                }
            }
            buffer.release();
            if (read == total) {
                done.complete(null);
            }
        }
    }

    private static Figures totals() {
        return Connections.totals(PathName.valueOf(TestedPath.NAME.toUpperCase(Locale.ROOT)));
    }

    @Test
    void aFlushOfManyMessagesIsOnePublish() throws Exception {
        Discard server = new Discard();
        try (Pair pair = new Pair(server)) {
            Figures before = totals();
            for (int round = 1; round <= 50; round++) {
                pair.client
                        .eventLoop()
                        .submit(() -> {
                            for (int i = 0; i < MESSAGES; i++) {
                                ChannelFuture unused =
                                        pair.client.write(Unpooled.buffer(7).writeZero(7));
                            }
                            pair.client.flush();
                        })
                        .sync();
                server.await((long) round * 7 * MESSAGES);
            }
            Figures seen = totals().since(before);
            assertThat(seen.get(Figure.BYTES_OUT)).isEqualTo(50 * 7 * MESSAGES);
            assertThat(seen.get(Figure.PUBLISHES)).isEqualTo(50);
        }
    }

    /** One buffer is filled anew as soon as its write is done, three times the ring and more; the peer sees nothing of that. */
    @ParameterizedTest
    @ValueSource(ints = {100, LARGE})
    void aBufferIsItsOwnersAgainWhenItsWriteIsDone(int size) throws Exception {
        int times = Math.max(200, 4 * RING / size);
        long inPlace = TestedPath.NAME.equals("rdma") && size == LARGE ? (long) times * size : 0;
        Ascending server = new Ascending((long) times * size);
        awaitNoneRegistered();
        try (Pair pair = new Pair(server)) {
            ByteBuf buffer = AccelByteBufAllocator.DEFAULT.directBuffer(size);
            Figures before = totals();
            long registered = MemoryUse.registered();
            Runnable next = new Runnable() {
                private final byte[] bytes = new byte[size];
                private int left = times;
                private byte value;

                @Override
                public void run() {
                    if (left-- == 0) {
                        buffer.release();
                        return;
                    }
                    for (int i = 0; i < size; i++) {
                        bytes[i] = value++;
                    }
                    buffer.clear().writeBytes(bytes);
                    pair.client.writeAndFlush(buffer.retainedDuplicate()).addListener(written -> {
                        buffer.setZero(0, size);
                        // Not within the write, or the stack would grow with every write.
                        pair.client.eventLoop().execute(this);
                    });
                }
            };
            pair.client.eventLoop().execute(next);
            server.done.get(30, SECONDS);
            awaitFree(List.of(buffer));
            // The first one or two buffers fill the ring up to its end, and are cut there into pieces that may be
            // small.
            assertThat(totals().since(before).get(Figure.BYTES_IN_PLACE))
                    .as("bytes that were not copied")
                    .isBetween(inPlace / 2, inPlace);
            if (TestedPath.NAME.equals("rdma")) {
                assertThat(MemoryUse.registered() - registered).isEqualTo(size == LARGE ? SendMemory.CHUNK : 0);
            }
        }
    }

    /** Connections that earlier tests have closed give their memory back a moment later, which would be counted here. */
    private static void awaitNoneRegistered() {
        Awaitility.await().atMost(20, SECONDS).untilAsserted(() -> assertThat(MemoryUse.registered())
                .as(() -> "bytes registered, of "
                        + Connections.all().stream()
                                .map(ObservedConnection::sample)
                                .toList())
                .isZero());
    }

    @ParameterizedTest
    @ValueSource(strings = {"its owner", "its peer"})
    void closingWithWritesUnderWayReleasesThem(String closer) throws Exception {
        // Nobody reads, so most of it waits.
        try (Pair pair = new Pair(new Discard(), Map.of(ChannelOption.AUTO_READ, false))) {
            ByteBufAllocator allocator = AccelByteBufAllocator.DEFAULT;
            List<ByteBuf> buffers = new ArrayList<>();
            List<ChannelFuture> writes = new ArrayList<>();
            pair.client
                    .eventLoop()
                    .submit(() -> {
                        for (int i = 0; i < 8 * RING / LARGE; i++) {
                            ByteBuf buffer = i % 2 == 0 ? allocator.directBuffer(LARGE) : allocator.heapBuffer(LARGE);
                            buffer.writeZero(LARGE);
                            buffers.add(buffer);
                            writes.add(pair.client.write(
                                    i % 3 == 0
                                            ? allocator
                                                    .compositeBuffer()
                                                    .addComponent(true, buffer)
                                                    .addComponent(true, Unpooled.wrappedBuffer(new byte[] {1}))
                                            : buffer));
                            if (i % 4 == 0) {
                                pair.client.flush();
                            }
                        }
                    })
                    .sync();
            assertThat(writes.get(0).await(10, SECONDS)).isTrue();
            assertThat(writes.get(writes.size() - 1).isDone()).isFalse();
            if (closer.equals("its owner")) {
                pair.client.close().sync();
            } else {
                pair.accepted.close().sync();
            }
            for (ChannelFuture write : writes) {
                assertThat(write.await(10, SECONDS)).isTrue();
            }
            assertThat(writes.get(writes.size() - 1).cause()).isNotNull();
            awaitFree(buffers);
        }
    }

    /** Releases follow the futures closely, but follow. */
    private static void awaitFree(List<ByteBuf> buffers) {
        Awaitility.await().untilAsserted(() -> assertThat(buffers)
                .extracting(ByteBuf::refCnt)
                .as("references left")
                .containsOnly(0));
    }
}
