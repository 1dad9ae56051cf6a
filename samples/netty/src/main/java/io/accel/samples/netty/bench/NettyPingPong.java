// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty.bench;

import io.accel.samples.bench.Control;
import io.accel.samples.bench.Event;
import io.accel.samples.bench.Meter;
import io.accel.samples.bench.Parameters;
import io.accel.samples.bench.Usage;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Round trips to a {@link NettyEchoServer}, one after the other, all in the event loop: the answer to one sends the next.
 * Arguments: {@code transport}, {@code port}, {@code size}, {@code warmup_ms}. Measures whenever it is told to.
 */
public final class NettyPingPong extends ChannelInboundHandlerAdapter {
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final int size;
    private final Histogram nanos = new Histogram(LONGEST_NANOS, 3);

    private volatile ChannelHandlerContext context;

    // Event loop only, but for what is handed over by the latch.
    private long begin;
    private long last;
    private long duration;
    private int missing;
    private volatile CountDownLatch done;

    private NettyPingPong(int size) {
        this.size = size;
    }

    public static void main(String[] args) throws Exception {
        Parameters parameters = Parameters.parse(args);
        EventLoopGroup group = Ends.transport(parameters).newGroup(1);
        NettyPingPong client = new NettyPingPong(parameters.number("size"));
        Ends.connect(parameters, group, client);
        client.run(parameters.millis("warmup_ms"));
        Event.named("warm").send();
        Meter meter = new Meter(Ends.threadOf(group.next()));
        while (true) {
            client.measure(meter, Control.awaitGo());
        }
    }

    private void measure(Meter meter, long time) throws Exception {
        Usage before = meter.begin();
        long elapsed = run(time);
        Usage used = meter.end().since(before);
        long trips = nanos.getTotalCount();
        Event.named("result")
                .with("ops", trips)
                .with("moved", 2 * trips * size)
                .with("elapsed_ns", elapsed)
                .with("p50_ns", nanos.getValueAtPercentile(50))
                .with("p99_ns", nanos.getValueAtPercentile(99))
                .with("p999_ns", nanos.getValueAtPercentile(99.9))
                .with(used)
                .send();
    }

    private long run(long time) throws InterruptedException {
        done = new CountDownLatch(1);
        nanos.reset();
        context.executor().execute(() -> {
            duration = time;
            begin = System.nanoTime();
            last = begin;
            send(context);
        });
        done.await();
        return last - begin;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    private void send(ChannelHandlerContext ctx) {
        missing = size;
        ByteBuf request = ctx.alloc().directBuffer(size);
        request.writeLong(last).writerIndex(size);
        ChannelFuture unused = ctx.writeAndFlush(request, ctx.voidPromise());
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        ByteBuf answer = (ByteBuf) msg;
        missing -= answer.readableBytes();
        answer.release();
        if (missing > 0) {
            return;
        }
        long now = System.nanoTime();
        nanos.recordValue(Math.min(now - last, LONGEST_NANOS));
        last = now;
        if (now - begin < duration) {
            send(ctx);
        } else {
            done.countDown();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        cause.printStackTrace();
        System.exit(1);
    }
}
