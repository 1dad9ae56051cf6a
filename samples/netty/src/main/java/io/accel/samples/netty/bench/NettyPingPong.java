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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Round trips to a {@link NettyEchoServer}, one after the other on each connection, all in the connection's event loop: the answer to
 * one sends the next. Each connection has a loop of its own. Arguments: {@code transport}, {@code port}, {@code size}, {@code
 * connections}, {@code warmup_ms}. Measures whenever it is told to.
 */
public final class NettyPingPong extends ChannelInboundHandlerAdapter {
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final int size;
    private final Histogram nanos = new Histogram(LONGEST_NANOS, 3);

    private volatile ChannelHandlerContext context;

    // Event loop only, except for the fields that the latch hands over.
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
        int connections = parameters.number("connections");
        EventLoopGroup group = Ends.transport(parameters).newGroup(connections);
        List<NettyPingPong> clients = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            NettyPingPong client = new NettyPingPong(parameters.number("size"));
            Ends.connect(parameters, group, client); // a group deals connections out to its loops in turn
            clients.add(client);
        }
        run(clients, parameters.millis("warmup_ms"));
        Event.named("warm").send();
        Meter meter = new Meter(Ends.threadsOf(group));
        while (true) {
            measure(clients, meter, Control.awaitGo());
        }
    }

    private static void measure(List<NettyPingPong> clients, Meter meter, long time) throws Exception {
        Usage before = meter.begin();
        long elapsed = run(clients, time);
        Usage used = meter.end().since(before);
        Histogram all = new Histogram(LONGEST_NANOS, 3);
        clients.forEach(client -> all.add(client.nanos));
        long trips = all.getTotalCount();
        Event.named("result")
                .with("ops", trips)
                .with("moved", 2 * trips * clients.get(0).size)
                .with("elapsed_ns", elapsed)
                .with("p50_ns", all.getValueAtPercentile(50))
                .with("p99_ns", all.getValueAtPercentile(99))
                .with("p999_ns", all.getValueAtPercentile(99.9))
                .with(used)
                .send();
    }

    /** Makes all of them do round trips at the same time; returns the time of the slowest. */
    private static long run(List<NettyPingPong> clients, long time) throws InterruptedException {
        clients.forEach(client -> client.start(time));
        long longest = 0;
        for (NettyPingPong client : clients) {
            client.done.await();
            longest = Math.max(longest, client.last - client.begin);
        }
        return longest;
    }

    private void start(long time) {
        done = new CountDownLatch(1);
        nanos.reset();
        context.executor().execute(() -> {
            duration = time;
            begin = System.nanoTime();
            last = begin;
            send(context);
        });
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
