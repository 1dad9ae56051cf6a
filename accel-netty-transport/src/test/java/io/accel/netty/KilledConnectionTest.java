// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.testing.TcpConnections;
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
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A TCP connection that is killed from outside, beneath a link: both ends are told as over Netty's NIO transport, and soon. */
@Timeout(60)
class KilledConnectionTest {
    private static final String KILLED = "Software caused connection abort";
    private static final String RESET = "Connection reset";
    /** A busy machine is late by itself; what is usual is measured by a program. */
    private static final long SOON_NANOS = SECONDS.toNanos(5);

    private static final int MUCH = 32 << 20;
    private static final int MANY = 1_000;

    private EventLoopGroup serverLoop;
    private EventLoopGroup clientLoop;
    private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    private final End atClient = new End();
    private final End atServer = new End();
    private Channel listener;
    private Channel client;
    private Channel server;
    private long struck;

    /** Sends back what comes, as long as it may, and takes note of how it ends. */
    private static final class End extends ChannelInboundHandlerAdapter {
        final AtomicLong received = new AtomicLong();
        final BlockingQueue<String> failures = new LinkedBlockingQueue<>();
        final CompletableFuture<Long> ended = new CompletableFuture<>();
        volatile boolean echoes;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            received.addAndGet(bytes.readableBytes());
            if (echoes) {
                ChannelFuture unused = context.writeAndFlush(bytes);
            } else {
                bytes.release();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            failures.add(String.valueOf(cause.getMessage()));
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            ended.complete(System.nanoTime());
        }
    }

    /** @param transport Netty's own, or the profile of Accel's */
    private void connect(String transport) throws Exception {
        assumeTrue(TcpConnections.mayBeKilled(), "needs root, to end a TCP connection");
        boolean isNio = transport.equals("nio");
        IoHandlerFactory handlers = isNio
                ? NioIoHandler.newFactory()
                : AccelIoHandler.newFactory(AccelIoHandlerConfig.ofProfile(transport));
        serverLoop = new MultiThreadIoEventLoopGroup(1, handlers);
        clientLoop = new MultiThreadIoEventLoopGroup(1, handlers);
        listener = new ServerBootstrap()
                .group(serverLoop)
                .channel(isNio ? NioServerSocketChannel.class : AccelServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(atServer);
                        accepted.add(channel);
                    }
                })
                .bind(TestedPath.ADDRESS, 0)
                .sync()
                .channel();
        client = new Bootstrap()
                .group(clientLoop)
                .channel(isNio ? NioSocketChannel.class : AccelSocketChannel.class)
                .handler(atClient)
                .connect(listener.localAddress())
                .sync()
                .channel();
        server = accepted.poll(10, SECONDS);
        atServer.echoes = true;
        await().until(() -> {
            client.writeAndFlush(bytes(1)).sync();
            return isNio || (isByLink(client) && isByLink(server));
        });
        await().until(() -> atClient.received.get() > 0 && atClient.received.get() == atServer.received.get());
    }

    private static boolean isByLink(Channel channel) {
        return ((AccelSocketChannel) channel).socket.outgoing().link() != null;
    }

    private static ByteBuf bytes(int n) {
        return Unpooled.buffer(n).writeZero(n);
    }

    private void kill() throws Exception {
        struck = System.nanoTime();
        TcpConnections.kill(client.localAddress(), client.remoteAddress());
    }

    private void assertToldSoon(End end) throws Exception {
        assertThat(end.ended.get(30, SECONDS) - struck).as("nanoseconds").isLessThan(SOON_NANOS);
    }

    @AfterEach
    void close() {
        for (EventLoopGroup loop : new EventLoopGroup[] {serverLoop, clientLoop}) {
            if (loop != null) {
                loop.shutdownGracefully(0, 5, SECONDS).syncUninterruptibly();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nio", "latency", "balanced", "throughput", "low-cpu"})
    void bothEndsOfAConnectionOnWhichNothingMoves(String transport) throws Exception {
        connect(transport);
        kill();
        assertToldSoon(atClient);
        assertToldSoon(atServer);
        assertThat(atClient.failures).containsExactly(KILLED);
        assertThat(atServer.failures).containsExactly(RESET);
    }

    /** Whether a read or a write is told first is open, and a write tells its future. */
    @ParameterizedTest
    @ValueSource(strings = {"nio", "latency", "balanced", "throughput", "low-cpu"})
    void bothEndsOfABusyConnection(String transport) throws Exception {
        connect(transport);
        atClient.echoes = true;
        long before = atClient.received.get();
        client.writeAndFlush(bytes(MANY)).sync();
        await().until(() -> atClient.received.get() - before > 10 * MANY);
        kill();
        assertToldSoon(atClient);
        assertToldSoon(atServer);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nio", "latency", "balanced", "throughput", "low-cpu"})
    void aWriteThatWaitsForRoom(String transport) throws Exception {
        connect(transport);
        server.config().setAutoRead(false);
        ChannelFuture write = client.writeAndFlush(bytes(MUCH));
        await().until(() -> !client.isWritable());
        kill();
        assertThat(write.await(30, SECONDS)).isTrue();
        assertThat(System.nanoTime() - struck).as("nanoseconds").isLessThan(SOON_NANOS);
        assertThat(write.cause()).isNotNull();
        assertToldSoon(atClient);
    }
}
