// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes of buffers that fail: they fail, and no byte before them is sent twice, or lost. */
class FailingBufferTest {
    private static final class Reader extends ChannelInboundHandlerAdapter {
        private final StringBuilder text = new StringBuilder();
        final CompletableFuture<String> ended = new CompletableFuture<>();

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            text.append(((ByteBuf) msg).toString(StandardCharsets.ISO_8859_1));
            ((ByteBuf) msg).release();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            ended.complete(text.toString());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ChannelFuture unused = ctx.close();
        }
    }

    /** A mapping of the byte {@code M}, of whose file so much is left. */
    private static MappedByteBuffer mapped(int size, int left) throws IOException {
        Path path = Files.createTempFile("netty", null);
        try (FileChannel file = FileChannel.open(
                path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
            MappedByteBuffer buffer = file.map(FileChannel.MapMode.READ_WRITE, 0, size);
            for (int i = 0; i < size; i++) {
                buffer.put(i, (byte) 'M');
            }
            file.truncate(left);
            return buffer;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"wrapped", "slice", "read-only", "composite"})
    void aMappingWhoseFileIsGone(String shape) throws Exception {
        Reader server = new Reader();
        try (Pair pair = new Pair(server)) {
            ByteBuffer gone = mapped(10_000, 0);
            ByteBuf failing =
                    switch (shape) {
                        case "slice" -> Unpooled.wrappedBuffer(gone).slice(100, 300);
                        case "read-only" -> Unpooled.wrappedBuffer(gone.asReadOnlyBuffer());
                        case "composite" -> Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(3), gone);
                        default -> Unpooled.wrappedBuffer(gone);
                    };
            ChannelFuture[] writes = new ChannelFuture[3];
            pair.client
                    .eventLoop()
                    .submit(() -> {
                        writes[0] = pair.client.write(Unpooled.copiedBuffer("AAAA", StandardCharsets.ISO_8859_1));
                        writes[1] = pair.client.write(failing);
                        writes[2] = pair.client.write(Unpooled.copiedBuffer("BBBB", StandardCharsets.ISO_8859_1));
                        pair.client.flush();
                    })
                    .sync();
            assertThat(writes[1].await(20, SECONDS)).isTrue();
            assertThat(writes[1].cause()).isInstanceOf(IOException.class).hasMessageContaining("Bad address");
            assertThat(writes[2].await(20, SECONDS)).isTrue();
            assertThat(writes[2].isSuccess()).isFalse();
            assertThat(server.ended.get(20, SECONDS)).isEqualTo(writes[0].isSuccess() ? "AAAA" : "");
            assertThat(failing.refCnt()).isZero();
        }
    }

    @Test
    void aMappingThatIsThere() throws Exception {
        Reader server = new Reader();
        try (Pair pair = new Pair(server)) {
            pair.client
                    .writeAndFlush(Unpooled.wrappedBuffer(mapped(100_000, 100_000)))
                    .sync();
            pair.client.close().sync();
            assertThat(server.ended.get(20, SECONDS)).isEqualTo("M".repeat(100_000));
        }
    }
}
