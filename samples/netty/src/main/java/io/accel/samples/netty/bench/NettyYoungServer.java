// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.netty.bench;

import io.accel.samples.bench.Control;
import io.accel.samples.bench.Event;
import io.accel.samples.bench.Parameters;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Echoes by Netty's NIO transport. Argument: {@code loops}. It loads no other transport's classes, since it is measured from its start on. */
public final class NettyYoungServer {
    private NettyYoungServer() {}

    public static void main(String[] args) throws InterruptedException {
        Control.serveInBackground();
        Channel listener = new ServerBootstrap()
                .group(new MultiThreadIoEventLoopGroup(
                        Parameters.parse(args).number("loops"), NioIoHandler.newFactory()))
                .channel(NioServerSocketChannel.class)
                .childHandler(new NettyEchoServer.Echo())
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        Event.named("ready")
                .with("port", ((InetSocketAddress) listener.localAddress()).getPort())
                .send();
        listener.closeFuture().sync();
    }
}
