// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.accel.profile.Keys;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Netty's decoders read from the receive ring; the bytes that are copied on the way are counted. */
class DecodersTest {
    private static final int MESSAGES = 100;
    /** A message's size, which divides the ring's, so that no message lies across its end. */
    private static final int SIZE = 16 * 1024;
    /** A read at the ring's end is followed by another, which may find a part of the next message, which is copied. */
    private static final long LITTLE = (long) MESSAGES * SIZE / 3;

    static {
        assertThat((int) Accel.accelerator().profile().get(Keys.RING_SIZE) % SIZE)
                .isZero();
    }

    /** The allocator of the server's end, which counts the buffers that are asked for as copies. In its event loop only. */
    private static final class Counter extends AbstractByteBufAllocator {
        private final ByteBufAllocator from = UnpooledByteBufAllocator.DEFAULT;
        long allocated;
        int slices;
        int copied;
        int viewed;

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            allocated += initialCapacity;
            return from.heapBuffer(initialCapacity, maxCapacity);
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            allocated += initialCapacity;
            return from.directBuffer(initialCapacity, maxCapacity);
        }

        /** The transport's allocator, for reads that give no slice. */
        @Override
        public ByteBuf ioBuffer(int initialCapacity) {
            return from.ioBuffer(initialCapacity);
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }

        /** Stands before a decoder, and looks at the state of a slice when the decoder has returned. */
        ChannelInboundHandlerAdapter beforeDecoder() {
            return new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext ctx, Object msg) {
                    ByteBuf inner = (ByteBuf) msg;
                    while (inner.unwrap() != null) {
                        inner = inner.unwrap();
                    }
                    ctx.fireChannelRead(msg);
                    if (inner instanceof RingByteBuf slice) {
                        slices++;
                        copied += slice.isCopied() ? 1 : 0;
                        viewed += slice.wasViewed() ? 1 : 0;
                    }
                }
            };
        }
    }

    private final Counter counter = new Counter();
    private final Semaphore received = new Semaphore(0);
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

    /** At the end of the server's pipeline: counts bytes. */
    private final class Last extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            int bytes = 0;
            if (msg instanceof ByteBuf buffer) {
                bytes = buffer.readableBytes();
            } else if (msg instanceof HttpContent content) {
                bytes = content.content().readableBytes();
            }
            ReferenceCountUtil.release(msg);
            received.release(bytes);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            failures.add(cause);
        }
    }

    /** Sends a message again and again, each time when the one before has been received. */
    private void exchange(Consumer<ChannelPipeline> decoders, ChannelHandler atClient, ByteBuf message, int payload)
            throws Exception {
        ChannelInitializer<AccelSocketChannel> atServer = new ChannelInitializer<>() {
            @Override
            protected void initChannel(AccelSocketChannel channel) {
                channel.pipeline().addLast(counter.beforeDecoder());
                decoders.accept(channel.pipeline());
                channel.pipeline().addLast(new Last());
            }
        };
        try (Pair pair = new Pair(atServer, Map.of(ChannelOption.ALLOCATOR, counter))) {
            pair.client.pipeline().addLast(atClient);
            for (int i = 0; i < MESSAGES; i++) {
                pair.client.writeAndFlush(message.retainedDuplicate()).sync();
                assertThat(received.tryAcquire(payload, 20, SECONDS))
                        .as("message %d is received; %s", i, failures)
                        .isTrue();
            }
        } finally {
            message.release();
        }
        assertThat(failures).isEmpty();
    }

    @Test
    void framesOfALengthFieldAreNotCopied() throws Exception {
        ByteBuf message = Unpooled.buffer(SIZE).writeInt(SIZE - 4).writeZero(SIZE - 4);
        exchange(
                pipeline -> pipeline.addLast(new LengthFieldBasedFrameDecoder(SIZE, 0, 4, 0, 4)),
                new ChannelInboundHandlerAdapter(),
                message,
                SIZE - 4);
        assertThat(counter.slices).isGreaterThan(MESSAGES * 9 / 10);
        assertThat(counter.copied).isZero();
        assertThat(counter.allocated).as("bytes allocated").isLessThan(LITTLE);
    }

    @Test
    void contentOfHttpRequestsIsNotCopied() throws Exception {
        int body = SIZE - 64;
        String head = "POST /some/where HTTP/1.1\r\nContent-Length: " + body + "\r\nX: ";
        String filled = head + "x".repeat(64 - head.length() - 4) + "\r\n\r\n";
        ByteBuf message = Unpooled.buffer(SIZE)
                .writeBytes(filled.getBytes(StandardCharsets.US_ASCII))
                .writeZero(body);
        exchange(
                pipeline -> pipeline.addLast(new HttpRequestDecoder(4096, 8192, SIZE)),
                new ChannelInboundHandlerAdapter(),
                message,
                body);
        assertThat(counter.slices).isGreaterThan(MESSAGES * 9 / 10);
        assertThat(counter.copied).isZero();
        assertThat(counter.allocated).as("bytes allocated").isLessThan(LITTLE);
    }

    /** A record is decrypted from where it lies; one that lies across the ring's end is not. */
    @Test
    void recordsOfTlsAreReadFromTheRing() throws Exception {
        X509Bundle certificate = new CertificateBuilder()
                .subject("CN=localhost")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        SslHandler server = SslContextBuilder.forServer(certificate.toKeyManagerFactory())
                .sslProvider(SslProvider.JDK)
                .build()
                .newHandler(ByteBufAllocator.DEFAULT);
        SslHandler client = SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .trustManager(certificate.toTrustManagerFactory())
                .endpointIdentificationAlgorithm(null)
                .build()
                .newHandler(ByteBufAllocator.DEFAULT);
        int payload = SIZE / 2;
        exchange(
                pipeline -> pipeline.addLast(server),
                client,
                Unpooled.buffer(payload).writeZero(payload),
                payload);
        assertThat(counter.slices).isGreaterThanOrEqualTo(MESSAGES);
        assertThat(counter.viewed).as("read in place").isGreaterThan(MESSAGES * 8 / 10);
        assertThat(counter.copied).isZero();
    }
}
