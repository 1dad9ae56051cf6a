// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.util.ResourceLeakDetector;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** An echo to and fro allocates nothing, once it is warm. */
class GarbageTest {
    private static final int TRIPS = 4_000;
    /**
     * For how long the test looks for a round without garbage: the first rounds are not warm, and on a busy machine the loops fall
     * asleep in most rounds, for which the JDK's selector allocates.
     */
    private static final long PATIENCE_NANOS = SECONDS.toNanos(45);
    /** The bytes that the measurement itself allocates, over all trips. */
    private static final double ALLOWED_PER_TRIP = 1;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void smallMessages() throws Exception {
        assertThat(allocatedPerTrip(64)).isLessThan(ALLOWED_PER_TRIP);
    }

    @Test
    void slices() throws Exception {
        assertThat(allocatedPerTrip(8 * 1024)).isLessThan(ALLOWED_PER_TRIP);
    }

    private double allocatedPerTrip(int size) throws Exception {
        assumeThat(threads.isThreadAllocatedMemorySupported()).isTrue();
        ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED); // it allocates for every buffer
        try (Pair pair = new Pair(new Echo(), Map.of(), Looking.config())) {
            PingPong pingPong = new PingPong(size);
            pair.client
                    .eventLoop()
                    .submit(() -> pair.client.pipeline().addLast(pingPong))
                    .sync();
            double least = Double.MAX_VALUE;
            long start = System.nanoTime();
            while (least >= ALLOWED_PER_TRIP && System.nanoTime() - start < PATIENCE_NANOS) {
                long before = allocated(pair.client.eventLoop()) + allocated(pair.accepted.eventLoop());
                pingPong.run(TRIPS);
                long after = allocated(pair.client.eventLoop()) + allocated(pair.accepted.eventLoop());
                least = Math.min(least, (double) (after - before) / TRIPS);
            }
            return least;
        } finally {
            ResourceLeakDetector.setLevel(level);
        }
    }

    private long allocated(EventLoop loop) throws Exception {
        long id = loop.submit(() -> Thread.currentThread().getId()).get(10, SECONDS);
        return threads.getThreadAllocatedBytes(id);
    }

    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ChannelFuture unused = ctx.write(msg, ctx.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.flush();
        }
    }

    private static final class PingPong extends ChannelInboundHandlerAdapter {
        private final int size;
        private volatile ChannelHandlerContext context;
        private int left;
        private int missing;
        private volatile CountDownLatch done;

        PingPong(int size) {
            this.size = size;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            context = ctx;
        }

        void run(int trips) throws InterruptedException {
            done = new CountDownLatch(1);
            context.executor().execute(() -> {
                left = trips;
                send();
            });
            assertThat(done.await(60, SECONDS)).isTrue();
        }

        private void send() {
            missing = size;
            ByteBuf message = context.alloc().directBuffer(size);
            message.writerIndex(size);
            ChannelFuture unused = context.writeAndFlush(message, context.voidPromise());
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ByteBuf buffer = (ByteBuf) msg;
            missing -= buffer.readableBytes();
            buffer.release();
            if (missing == 0) {
                if (--left > 0) {
                    send();
                } else {
                    done.countDown();
                }
            }
        }
    }
}
