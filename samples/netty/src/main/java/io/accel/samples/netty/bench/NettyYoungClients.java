// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty.bench;

import io.accel.samples.bench.FirstSeconds;
import io.accel.samples.bench.Parameters;
import io.accel.samples.bench.YoungStart;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.util.concurrent.CountDownLatch;

/**
 * Round trips to a {@link NettyYoungServer} by Netty's NIO transport, on {@code connections} connections, each with an event loop of its own, from
 * the JVM's start on. Arguments: that, {@code size} and those of {@link YoungStart}.
 */
public final class NettyYoungClients extends ChannelInboundHandlerAdapter {
    private final FirstSeconds done;
    private final int size;
    private final CountDownLatch running;

    // Event loop only.
    private final ByteBuf echo;
    private long sequence;

    private NettyYoungClients(FirstSeconds done, int size, CountDownLatch running) {
        this.done = done;
        this.size = size;
        this.running = running;
        echo = Unpooled.buffer(size, size);
    }

    public static void main(String[] args) throws Exception {
        Parameters parameters = Parameters.parse(args);
        YoungStart start = YoungStart.await(parameters);
        int connections = parameters.number("connections");
        CountDownLatch running = new CountDownLatch(connections);
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(connections, NioIoHandler.newFactory());
        for (int i = 0; i < connections; i++) {
            new Bootstrap()
                    .group(group) // which deals connections out to its loops in turn
                    .channel(NioSocketChannel.class)
                    .handler(new NettyYoungClients(start.newCounter(), parameters.number("size"), running))
                    .connect(start.server())
                    .sync();
        }
        running.await();
        start.report();
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        send(ctx);
    }

    private void send(ChannelHandlerContext ctx) {
        echo.clear();
        ByteBuf request = ctx.alloc().directBuffer(size);
        request.writeLong(++sequence).writerIndex(size);
        ChannelFuture unused = ctx.writeAndFlush(request, ctx.voidPromise());
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        ByteBuf answer = (ByteBuf) msg;
        echo.writeBytes(answer); // throws if more came back than was sent
        answer.release();
        if (echo.isWritable()) {
            return;
        }
        if (echo.getLong(0) != sequence) {
            throw new IllegalStateException("sent message " + sequence + " but got back " + echo.getLong(0));
        }
        if (done.count(1)) {
            send(ctx);
        } else {
            running.countDown();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        cause.printStackTrace();
        System.exit(1);
    }
}
