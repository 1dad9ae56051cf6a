// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Sends back what it receives. */
@Command(name = "echo-server", mixinStandardHelpOptions = true, description = "Sends back what it receives.")
public final class EchoServer implements Callable<Integer> {
    @Mixin
    private TransportOption option;

    @Parameters(paramLabel = "PORT", description = "The port to listen on, on loopback; 0 for any.")
    private int port;

    @Override
    public Integer call() throws InterruptedException {
        EventLoopGroup group = option.transport.newGroup(1);
        Channel listener = start(option.transport, group, port);
        System.out.println("listening on " + listener.localAddress() + " by " + option.transport);
        listener.closeFuture().sync();
        return 0;
    }

    /** Listens on loopback. */
    static Channel start(Transport transport, EventLoopGroup group, int port) throws InterruptedException {
        return new ServerBootstrap()
                .group(group)
                .channel(transport.serverChannel())
                .childHandler(new Echo())
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .sync()
                .channel();
    }

    @Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            // The buffer goes back as it is; with Accel it may be a piece of the receive ring, and then is copied once.
            ChannelFuture unused = ctx.write(msg, ctx.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            ctx.flush();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            // A client that does not take its answers gets no more of them.
            ctx.channel().config().setAutoRead(ctx.channel().isWritable());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            System.err.println(ctx.channel() + ": " + cause);
            ChannelFuture unused = ctx.close();
        }
    }
}
