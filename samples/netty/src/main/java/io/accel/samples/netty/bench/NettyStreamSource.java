// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty.bench;

import io.accel.samples.bench.Control;
import io.accel.samples.bench.Event;
import io.accel.samples.bench.Meter;
import io.accel.samples.bench.Parameters;
import io.accel.samples.bench.Usage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.DuplexChannel;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * Writes messages to a {@link NettyStreamSink} as long as the channel is writable, each flushed. The time ends when the sink
 * has said that it received every byte. Arguments: {@code transport}, {@code port}, {@code size}, {@code warmup_ms}.
 */
public final class NettyStreamSource {
    private final Parameters parameters;
    private final EventLoopGroup group;
    private final int size;

    private NettyStreamSource(Parameters parameters) {
        this.parameters = parameters;
        this.group = Ends.transport(parameters).newGroup(1);
        this.size = parameters.number("size");
    }

    public static void main(String[] args) throws Exception {
        new NettyStreamSource(Parameters.parse(args)).execute();
    }

    private void execute() throws Exception {
        // Two connections, so that the code for opening and ending one is warm as well.
        for (int i = 0; i < 2; i++) {
            stream(parameters.millis("warmup_ms") / 2);
        }
        Event.named("warm").send();
        Meter meter = new Meter(Ends.threadOf(group.next()));
        while (true) {
            long duration = Control.awaitGo();
            Usage before = meter.begin();
            long begin = System.nanoTime();
            long messages = stream(duration);
            long elapsed = System.nanoTime() - begin;
            Usage used = meter.end().since(before);
            Event.named("result")
                    .with("ops", messages)
                    .with("moved", messages * size)
                    .with("elapsed_ns", elapsed)
                    .with(used)
                    .send();
        }
    }

    /** Sends for {@code duration} nanoseconds over a new connection, and returns the number of messages. */
    private long stream(long duration) throws Exception {
        Source source = new Source(size, duration);
        Channel channel = Ends.connect(parameters, group, source);
        try {
            long received = source.received.get();
            if (received != source.messages * size) {
                throw new IOException("sent " + source.messages * size + " bytes, but " + received + " arrived");
            }
            return source.messages;
        } finally {
            channel.close().sync();
        }
    }

    private static final class Source extends ChannelInboundHandlerAdapter {
        private final ByteBuf message;
        private final long duration;
        private long end;
        private boolean ended;
        private long messages;
        private final CompletableFuture<Long> received = new CompletableFuture<>();

        Source(int size, long duration) {
            message = PooledByteBufAllocator.DEFAULT.directBuffer(size);
            message.writerIndex(size);
            this.duration = duration;
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            end = System.nanoTime() + duration;
            ctx.executor().execute(() -> write(ctx));
        }

        private void write(ChannelHandlerContext ctx) {
            while (!ended && ctx.channel().isWritable()) {
                messages++;
                ChannelFuture unused = ctx.writeAndFlush(message.retainedDuplicate(), ctx.voidPromise());
                ended = (messages & 15) == 0 && System.nanoTime() - end >= 0;
                if (ended) {
                    // After all that was written.
                    ctx.writeAndFlush(ctx.alloc().buffer(0)).addListener(written -> shutdown(ctx));
                }
            }
        }

        private static void shutdown(ChannelHandlerContext ctx) {
            ChannelFuture unused = ((DuplexChannel) ctx.channel()).shutdownOutput();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            // Not from within the write that caused it.
            ctx.executor().execute(() -> write(ctx));
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ByteBuf count = (ByteBuf) msg;
            received.complete(count.readLong());
            count.release();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            received.completeExceptionally(new IOException("the sink closed without saying how much it received"));
            message.release();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            received.completeExceptionally(cause);
        }
    }
}
