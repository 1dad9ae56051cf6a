// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.nio.AccelSocketChannel;
import io.accel.testing.RealProgram;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.NetUtil;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The path of a connection of Netty's NIO transport where Netty's own tests of that transport run; they run beside this. */
@RealProgram(
        name = "Netty 4.2's NIO transport",
        artifact = "io.netty:netty-testsuite",
        how =
                "Netty's own transport test suite over the provider, with the same results as on the JDK; on the kernel's path, too")
@Timeout(30)
class NioPathIT {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    /** Shows the JDK's channel. */
    private static final class Open extends NioSocketChannel {
        SocketChannel inner() {
            return javaChannel();
        }
    }

    /** The suite runs on the JDK's provider as well, and with a rule that leaves all to the kernel. */
    private static String expected() {
        return System.getProperty("java.nio.channels.spi.SelectorProvider", "").startsWith("io.accel.")
                        && System.getProperty("accel.rule.1") == null
                ? "shm"
                : "kernel";
    }

    @Test
    void connectionsTakeThePathThatTheSuiteIsAbout() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
        try {
            Channel listener = new ServerBootstrap()
                    .group(group)
                    .channel(NioServerSocketChannel.class)
                    .childHandler(new ChannelInboundHandlerAdapter())
                    .bind(NetUtil.LOCALHOST, 0)
                    .sync()
                    .channel();
            Open client = (Open) new Bootstrap()
                    .group(group)
                    .channelFactory(Open::new)
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect(listener.localAddress())
                    .sync()
                    .channel();
            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(pathOf(client.inner())).isEqualTo(expected()));
            client.close().sync();
            listener.close().sync();
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }

    private static String pathOf(SocketChannel channel) {
        return channel instanceof AccelSocketChannel accel ? accel.path().path() : "kernel";
    }
}
