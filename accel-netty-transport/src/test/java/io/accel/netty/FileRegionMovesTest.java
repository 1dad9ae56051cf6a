// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.PathInfo;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.FileRegion;
import io.netty.util.AbstractReferenceCounted;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The connection leaves its link, for one with larger rings, while a file region transfers itself. */
class FileRegionMovesTest {
    private static final int PIECE = 8192;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Each byte must be one more than the byte before it, up to the last, which is given when it is known. */
    private static final class Ascending extends ChannelInboundHandlerAdapter {
        private long read;
        final CompletableFuture<Long> wrong = new CompletableFuture<>();
        volatile long seen;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ByteBuf buffer = (ByteBuf) msg;
            while (buffer.isReadable()) {
                if (buffer.readByte() != (byte) read++) {
                    wrong.complete(read - 1);
                }
            }
            buffer.release();
            seen = read;
        }
    }

    /** Transfers pieces as the JDK does, which adds up the target's results, and ends as soon as the connection has left its link. */
    private static final class UntilItMoves extends AbstractReferenceCounted implements FileRegion {
        private final AccelSocketChannel channel;
        /** The link's own object. A new link has another, so that no move is too short to be noticed. */
        private final PathInfo first;

        private long count = Long.MAX_VALUE;
        private long transferred;
        private int least;
        private boolean hasMoved;
        private boolean wasOpen = true;

        UntilItMoves(AccelSocketChannel channel) {
            this.channel = channel;
            this.first = channel.path();
        }

        @Override
        public long transferTo(WritableByteChannel target, long position) throws IOException {
            long before = transferred;
            await("the connection off its link")
                    .pollInSameThread() // which is the event loop's
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .atMost(PATIENCE)
                    .until(() -> writeUntilFullOrMoved(target, position - before));
            count = transferred;
            return transferred - before;
        }

        @SuppressWarnings("ReferenceEquality") // the identity of the link, not its contents
        private boolean writeUntilFullOrMoved(WritableByteChannel target, long offset) throws IOException {
            int n = PIECE;
            while (!hasMoved && n == PIECE) {
                hasMoved = channel.path() != first;
                n = target.write(ascending(offset + transferred, PIECE));
                least = Math.min(least, n);
                transferred += n;
                wasOpen &= target.isOpen();
            }
            return hasMoved;
        }

        @Override
        public long position() {
            return 0;
        }

        @Override
        @Deprecated
        public long transfered() {
            return transferred;
        }

        @Override
        public long transferred() {
            return transferred;
        }

        @Override
        public long count() {
            return count;
        }

        @Override
        public FileRegion retain() {
            super.retain();
            return this;
        }

        @Override
        public FileRegion retain(int increment) {
            super.retain(increment);
            return this;
        }

        @Override
        public FileRegion touch() {
            return this;
        }

        @Override
        public FileRegion touch(Object hint) {
            return this;
        }

        @Override
        protected void deallocate() {}
    }

    private static ByteBuffer ascending(long from, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (from + i);
        }
        return ByteBuffer.wrap(bytes);
    }

    @Test
    void noByteIsLostOrComesTwice() throws Exception {
        Ascending reader = new Ascending();
        try (Pair pair = new Pair(reader)) {
            await().until(() -> pair.client.path().isAccelerated());
            UntilItMoves region = new UntilItMoves(pair.client);
            pair.client.writeAndFlush(region).sync();
            assertThat(region.hasMoved).as("the connection left its link").isTrue();
            assertThat(region.least)
                    .as("the least that a piece is said to have been")
                    .isNotNegative();

            assertThat(region.wasOpen)
                    .as("that the target was open, for which the JDK asks before each piece of its own")
                    .isTrue();

            pair.client
                    .writeAndFlush(Unpooled.wrappedBuffer(ascending(region.transferred, PIECE)))
                    .sync();
            await().atMost(PATIENCE).until(() -> reader.seen >= region.transferred + PIECE);
            assertThat(reader.wrong).as("the first wrong byte").isNotDone();
            assertThat(reader.seen).isEqualTo(region.transferred + PIECE);
        }
    }
}
