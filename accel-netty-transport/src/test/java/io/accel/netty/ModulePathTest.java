// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.AccelOptions;
import io.accel.testing.ModularProgram;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A Netty program on the module path needs no option for Accel and gets no warning. */
@Timeout(120)
class ModulePathTest {
    private static final Pattern REQUIRED =
            Pattern.compile("/(config-profiles|accel-core|accel-netty-transport)/target/(?!test)"
                    + "|/com/github/jnr/|/org/ow2/asm/|/io/netty/netty-(buffer|common|resolver|transport)/");

    private static final String MAIN = """
            package com.example;

            import io.accel.netty.AccelIoHandler;
            import io.accel.netty.AccelServerSocketChannel;
            import io.accel.netty.AccelSocketChannel;
            import io.netty.bootstrap.Bootstrap;
            import io.netty.bootstrap.ServerBootstrap;
            import io.netty.buffer.Unpooled;
            import io.netty.channel.Channel;
            import io.netty.channel.ChannelHandlerContext;
            import io.netty.channel.ChannelInboundHandlerAdapter;
            import io.netty.channel.EventLoopGroup;
            import io.netty.channel.MultiThreadIoEventLoopGroup;
            import io.netty.util.ReferenceCountUtil;
            import java.net.InetAddress;
            import java.net.InetSocketAddress;
            import java.util.concurrent.CountDownLatch;

            public final class Main {
                public static void main(String[] arguments) throws Exception {
                    CountDownLatch arrived = new CountDownLatch(1);
                    EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, AccelIoHandler.newFactory());
                    Channel listener = new ServerBootstrap()
                            .group(group)
                            .channel(AccelServerSocketChannel.class)
                            .childHandler(new ChannelInboundHandlerAdapter() {
                                @Override
                                public void channelRead(ChannelHandlerContext context, Object message) {
                                    ReferenceCountUtil.release(message);
                                    arrived.countDown();
                                }
                            })
                            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                            .sync()
                            .channel();
                    Channel client = new Bootstrap()
                            .group(group)
                            .channel(AccelSocketChannel.class)
                            .handler(new ChannelInboundHandlerAdapter())
                            .connect(listener.localAddress())
                            .sync()
                            .channel();
                    client.writeAndFlush(Unpooled.wrappedBuffer(new byte[7])).sync();
                    arrived.await();
                    System.out.println(((AccelSocketChannel) client).path());
                    group.shutdownGracefully().sync();
                }
            }
            """;

    @TempDir
    private Path dir;

    @Test
    void connectionsAreAccelerated() throws Exception {
        assertThat(ModularProgram.compile(dir, REQUIRED, "requires io.accel.netty;", MAIN)
                        .jvm()
                        .with(AccelOptions.AT_ONCE)
                        .run()
                        .orderly())
                .contains("shm\n")
                .doesNotContain("WARNING");
    }
}
