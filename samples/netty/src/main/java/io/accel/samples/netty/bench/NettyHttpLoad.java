// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty.bench;

import io.accel.samples.bench.Control;
import io.accel.samples.bench.Event;
import io.accel.samples.bench.Meter;
import io.accel.samples.bench.Parameters;
import io.accel.samples.bench.Usage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Requests to a {@link NettyHttpServer} over several connections, on each a batch of four at a time: when all
 * its answers have come, the next batch goes. It does not parse, so that the bench measures the server: all answers have the
 * length of the first. Arguments: {@code transport}, {@code port}, {@code connections}, {@code warmup_ms}.
 */
public final class NettyHttpLoad {
    private static final int PIPELINED = 4;
    private static final String REQUEST = "GET /plaintext HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private final List<Connection> connections = new ArrayList<>();

    private NettyHttpLoad() {}

    public static void main(String[] args) throws Exception {
        Parameters parameters = Parameters.parse(args);
        EventLoopGroup group = Ends.transport(parameters).newGroup(1);
        NettyHttpLoad load = new NettyHttpLoad();
        for (int i = 0; i < parameters.number("connections"); i++) {
            Connection connection = new Connection();
            load.connections.add(connection);
            Ends.connect(parameters, group, connection);
            connection.first.await();
        }
        load.run(parameters.millis("warmup_ms"));
        Event.named("warm").send();
        Meter meter = new Meter(Ends.threadOf(group.next()));
        while (true) {
            load.measure(meter, Control.awaitGo());
        }
    }

    private void measure(Meter meter, long duration) throws Exception {
        Usage before = meter.begin();
        long begin = System.nanoTime();
        long answers = run(duration);
        long elapsed = System.nanoTime() - begin;
        Usage used = meter.end().since(before);
        Event.named("result")
                .with("ops", answers)
                .with("moved", answers * (REQUEST.length() + connections.get(0).answerLength))
                .with("elapsed_ns", elapsed)
                .with(used)
                .send();
    }

    private long run(long duration) throws InterruptedException {
        long end = System.nanoTime() + duration;
        for (Connection connection : connections) {
            connection.start(end);
        }
        long answers = 0;
        for (Connection connection : connections) {
            connection.done.await();
            answers += connection.answers;
        }
        return answers;
    }

    private static final class Connection extends ChannelInboundHandlerAdapter {
        private final ByteBuf batch = Unpooled.unreleasableBuffer(
                Unpooled.directBuffer().writeBytes(REQUEST.repeat(PIPELINED).getBytes(StandardCharsets.US_ASCII)));

        private final CountDownLatch first = new CountDownLatch(1);
        private volatile ChannelHandlerContext context;
        private volatile CountDownLatch done;
        private int answerLength;

        // Event loop only; read by others after done.
        private long end;
        private long answers;
        private int missing;

        void start(long until) {
            done = new CountDownLatch(1);
            context.executor().execute(() -> {
                end = until;
                answers = 0;
                send(context);
            });
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            context = ctx;
            ChannelFuture unused = ctx.writeAndFlush(batch.slice(0, REQUEST.length()));
        }

        private void send(ChannelHandlerContext ctx) {
            missing = PIPELINED * answerLength;
            ChannelFuture unused = ctx.writeAndFlush(batch.duplicate(), ctx.voidPromise());
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ByteBuf bytes = (ByteBuf) msg;
            int got = bytes.readableBytes();
            bytes.release();
            if (answerLength == 0) {
                answerLength = got; // one small answer to one request comes as one
                first.countDown();
                return;
            }
            missing -= got;
            if (missing == 0) {
                answers += PIPELINED;
                if (System.nanoTime() - end < 0) {
                    send(ctx);
                } else {
                    done.countDown();
                }
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            cause.printStackTrace();
            System.exit(1);
        }
    }
}
