// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection whose peer sends all the time gets its turn in the event loop, and no more. */
@Timeout(60)
class BusyChannelTest {
    /** The bytes that a read takes: so few that a ring has enough for many turns. */
    private static final int PIECE = 16;

    private static final int READS_A_TURN = 16;
    private static final int QUIET_READS = 100;
    private static final int FLOOD = 1 << 20;

    private final EventLoopGroup serverLoop = new MultiThreadIoEventLoopGroup(1, AccelIoHandler.newFactory());
    private final EventLoopGroup clientLoop = new MultiThreadIoEventLoopGroup(1, AccelIoHandler.newFactory());
    private final BlockingQueue<Channel> arrivals = new LinkedBlockingQueue<>();
    private final AtomicInteger mostBetween = new AtomicInteger();
    private final CountDownLatch quietIsDone = new CountDownLatch(QUIET_READS);

    // The server's event loop only, except for the fields that the latch hands over.
    private int busyReads;
    private int between;

    @AfterEach
    void shutDown() {
        serverLoop.shutdownGracefully(0, 5, SECONDS).syncUninterruptibly();
        clientLoop.shutdownGracefully(0, 5, SECONDS).syncUninterruptibly();
    }

    /** Both always have bytes to be read, and the test is about the turns of their reads, not about the time that a read takes. */
    @Test
    void leavesTheOthersTheirTurns() throws Exception {
        Channel listener = new ServerBootstrap()
                .group(serverLoop)
                .channel(AccelServerSocketChannel.class)
                .childOption(ChannelOption.AUTO_READ, false)
                .childHandler(new ChannelInitializer<AccelSocketChannel>() {
                    @Override
                    protected void initChannel(AccelSocketChannel channel) {
                        arrivals.add(channel);
                    }
                })
                .bind(TestedPath.ADDRESS, 0)
                .sync()
                .channel();
        Channel busyClient = connect(listener);
        Channel busy = accepted(READS_A_TURN, new BusyReads());
        Channel quietClient = connect(listener);
        Channel quiet = accepted(1, new QuietReads());
        send(quietClient, QUIET_READS * PIECE);
        send(busyClient, FLOOD);

        serverLoop
                .submit(() -> {
                    busy.config().setAutoRead(true);
                    quiet.config().setAutoRead(true);
                })
                .sync();
        assertThat(quietIsDone.await(30, SECONDS)).isTrue();
        assertThat(busyReads).as("reads of the busy channel meanwhile").isGreaterThan(QUIET_READS);
        assertThat(mostBetween.get())
                .as("reads of the busy channel between two of the other")
                .isLessThanOrEqualTo(2 * READS_A_TURN);
        for (Channel channel : new Channel[] {busyClient, quietClient, busy, quiet, listener}) {
            channel.close().sync();
        }
    }

    private Channel connect(Channel listener) throws InterruptedException {
        return new Bootstrap()
                .group(clientLoop)
                .channel(AccelSocketChannel.class)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(listener.localAddress())
                .sync()
                .channel();
    }

    private Channel accepted(int readsATurn, ChannelInboundHandlerAdapter handler) throws InterruptedException {
        Channel channel = arrivals.poll(20, SECONDS);
        assertThat(channel).isNotNull();
        channel.config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(PIECE).maxMessagesPerRead(readsATurn));
        channel.pipeline().addLast(handler);
        return channel;
    }

    /** Fills the connection with as many bytes as it takes; the rest goes as they are read. */
    private static void send(Channel client, int bytes) throws InterruptedException {
        client.eventLoop()
                .submit(() -> {
                    ChannelFuture unused =
                            client.writeAndFlush(Unpooled.buffer().writeZero(bytes), client.voidPromise());
                })
                .sync();
    }

    private final class BusyReads extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ((ByteBuf) msg).release();
            busyReads++;
            if (quietIsDone.getCount() < QUIET_READS) {
                between++;
            }
        }
    }

    private final class QuietReads extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ((ByteBuf) msg).release();
            mostBetween.accumulateAndGet(between, Math::max);
            between = 0;
            quietIsDone.countDown();
        }
    }
}
