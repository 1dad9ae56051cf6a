// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.kqueue.KQueue;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A program on Netty 4.2 that knows nothing of Accel, and takes the fastest transport that there is. It sends itself a byte, says by which transport and
 * on which path, and then why the native ones are not available.
 */
final class NettyEchoOnce {
    private NettyEchoOnce() {}

    private record Transport(
            String name,
            IoHandlerFactory handlers,
            Class<? extends ServerChannel> listener,
            Class<? extends Channel> client) {
        static Transport fastest() {
            if (IoUring.isAvailable()) {
                return new Transport(
                        "io_uring",
                        IoUringIoHandler.newFactory(),
                        IoUringServerSocketChannel.class,
                        IoUringSocketChannel.class);
            }
            return Epoll.isAvailable()
                    ? new Transport(
                            "epoll",
                            EpollIoHandler.newFactory(),
                            EpollServerSocketChannel.class,
                            EpollSocketChannel.class)
                    : new Transport(
                            "nio", NioIoHandler.newFactory(), NioServerSocketChannel.class, NioSocketChannel.class);
        }
    }

    public static void main(String[] args) throws Exception {
        Transport transport = Transport.fastest();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, transport.handlers());
        CompletableFuture<Byte> answer = new CompletableFuture<>();
        try {
            Channel listener = new ServerBootstrap()
                    .group(group)
                    .channel(transport.listener())
                    .childHandler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline().addLast(new Echo());
                        }
                    })
                    .bind(InetAddress.getLoopbackAddress(), 0)
                    .sync()
                    .channel();
            Channel client = new Bootstrap()
                    .group(group)
                    .channel(transport.client())
                    .handler(new Answer(answer))
                    .connect(listener.localAddress())
                    .sync()
                    .channel();
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {7})).sync();
            System.out.println("read " + answer.get(30, TimeUnit.SECONDS));
            System.out.println("by " + transport.name());
            System.out.println("kernel's " + MappedRings.none());
        } finally {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        }
        say("epoll", Epoll.unavailabilityCause());
        say("io_uring", IoUring.unavailabilityCause());
        say("kqueue", KQueue.unavailabilityCause());
    }

    private static void say(String transport, Throwable cause) {
        System.out.println(transport + ": " + (cause == null ? "available" : cause.getMessage()));
    }

    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ChannelFuture unused = context.writeAndFlush(message, context.voidPromise());
        }
    }

    private static final class Answer extends SimpleChannelInboundHandler<ByteBuf> {
        private final CompletableFuture<Byte> answer;

        Answer(CompletableFuture<Byte> answer) {
            this.answer = answer;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            answer.complete(message.readByte());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            answer.completeExceptionally(cause);
        }
    }
}
