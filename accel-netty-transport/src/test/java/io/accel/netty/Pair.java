// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.ReferenceCountUtil;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A client and a server's end of one connection, each in an event loop of its own. */
final class Pair implements AutoCloseable {
    private static final boolean IS_RDMA = TestedPath.NAME.equals("rdma");

    final EventLoopGroup serverLoop;
    final EventLoopGroup clientLoop;
    final AccelServerSocketChannel listener;
    final AccelSocketChannel client;
    /** The server's end. */
    final AccelSocketChannel accepted;

    Pair(ChannelHandler atServer) throws Exception {
        this(atServer, Map.of());
    }

    /**
     * Connects.
     *
     * @param atServer the handler of the server's end
     * @param serverOptions the options of the server's end
     */
    Pair(ChannelHandler atServer, Map<ChannelOption<?>, Object> serverOptions) throws Exception {
        this(atServer, serverOptions, AccelIoHandlerConfig.ofProcess());
    }

    /**
     * Connects.
     *
     * @param atServer the handler of the server's end
     * @param serverOptions the options of the server's end
     * @param waiting how either end's loop waits
     */
    Pair(ChannelHandler atServer, Map<ChannelOption<?>, Object> serverOptions, AccelIoHandlerConfig waiting)
            throws Exception {
        serverLoop = new MultiThreadIoEventLoopGroup(1, AccelIoHandler.newFactory(waiting));
        clientLoop = new MultiThreadIoEventLoopGroup(1, AccelIoHandler.newFactory(waiting));
        CompletableFuture<AccelSocketChannel> arrived = new CompletableFuture<>();
        ServerBootstrap server = new ServerBootstrap()
                .group(serverLoop)
                .channel(AccelServerSocketChannel.class)
                .childHandler(new ChannelInitializer<AccelSocketChannel>() {
                    @Override
                    protected void initChannel(AccelSocketChannel channel) {
                        boolean isFirst = !arrived.isDone(); // the others are the test's
                        channel.pipeline().addLast(IS_RDMA && isFirst ? new Returning() : atServer);
                        arrived.complete(channel);
                    }
                });
        serverOptions.forEach((option, value) -> childOption(server, option, value));
        listener = (AccelServerSocketChannel)
                server.bind(TestedPath.ADDRESS, 0).sync().channel();
        client = (AccelSocketChannel) new Bootstrap()
                .group(clientLoop)
                .channel(AccelSocketChannel.class)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(listener.localAddress())
                .sync()
                .channel();
        accepted = arrived.get(10, TimeUnit.SECONDS);
        if (IS_RDMA) {
            move();
            begin(atServer);
        }
    }

    /**
     * Over RDMA a connection moves when both ends have proved that it is theirs, for which it has to carry something, and the counts here are
     * about bytes over the device. So bytes go there and back before the test's own handler takes the server's end.
     */
    private void move() {
        await("both ends over RDMA")
                .atMost(20, TimeUnit.SECONDS)
                .until(() -> client.path().isAccelerated() && accepted.path().isAccelerated());
        if (!accepted.config().isAutoRead()) {
            return; // nothing comes back
        }
        AtomicInteger back = new AtomicInteger();
        Counting counting = new Counting(back);
        client.pipeline().addLast(counting);
        AtomicInteger sent = new AtomicInteger();
        await("both directions over RDMA").atMost(20, TimeUnit.SECONDS).until(() -> {
            sent.incrementAndGet();
            client.writeAndFlush(Unpooled.buffer(1).writeByte(0)).sync();
            return client.socket.outgoing().link() != null
                    && accepted.socket.outgoing().link() != null;
        });
        await().atMost(20, TimeUnit.SECONDS).until(() -> back.get() == sent.get());
        client.pipeline().remove(counting);
    }

    private void begin(ChannelHandler atServer) throws Exception {
        accepted.eventLoop()
                .submit(() -> {
                    accepted.pipeline().remove(Returning.class);
                    accepted.pipeline().addLast(atServer);
                    accepted.pipeline().fireChannelActive();
                })
                .sync();
    }

    private static final class Returning extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ChannelFuture unused = context.writeAndFlush(message);
        }
    }

    private static final class Counting extends ChannelInboundHandlerAdapter {
        private final AtomicInteger back;

        Counting(AtomicInteger back) {
            this.back = back;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            back.addAndGet(((ByteBuf) message).readableBytes());
            ReferenceCountUtil.release(message);
        }
    }

    @SuppressWarnings("unchecked") // the map's keys and values belong together
    private static <T> void childOption(ServerBootstrap server, ChannelOption<T> option, Object value) {
        server.childOption(option, (T) value);
    }

    @Override
    public void close() {
        for (Channel channel : new Channel[] {client, accepted, listener}) {
            channel.close().syncUninterruptibly();
        }
        serverLoop.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
        clientLoop.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
