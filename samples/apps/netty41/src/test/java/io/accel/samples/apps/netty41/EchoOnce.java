// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps.netty41;

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
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.kqueue.KQueue;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.incubator.channel.uring.IOUring;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A program on Netty 4.1 that knows nothing of Accel, and takes epoll where there is epoll. It sends itself a byte, says by which event loops and on
 * which path, and then why the other native transports are not available.
 */
final class EchoOnce {
    private EchoOnce() {}

    public static void main(String[] args) throws Exception {
        boolean epoll = Epoll.isAvailable();
        EventLoopGroup group = epoll ? new EpollEventLoopGroup(1) : new NioEventLoopGroup(1);
        CompletableFuture<Byte> answer = new CompletableFuture<>();
        try {
            Channel listener = new ServerBootstrap()
                    .group(group)
                    .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
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
                    .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
                    .handler(new Answer(answer))
                    .connect(listener.localAddress())
                    .sync()
                    .channel();
            client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {7})).sync();
            System.out.println("read " + answer.get(30, TimeUnit.SECONDS));
            System.out.println("by " + group.getClass().getSimpleName());
            System.out.println("kernel's " + isKernels());
        } finally {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        }
        System.out.println("kqueue: " + KQueue.unavailabilityCause().getMessage());
        System.out.println("io_uring: " + IOUring.unavailabilityCause().getMessage());
    }

    /** A connection that leaves the kernel has a file in shared memory, which both ends have mapped. */
    private static boolean isKernels() throws Exception {
        return Files.readAllLines(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1).stream()
                .noneMatch(line -> line.contains("/ring-"));
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
