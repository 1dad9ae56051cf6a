// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A client and a server's end of one connection, each in an event loop of its own. */
final class Pair implements AutoCloseable {
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
                        channel.pipeline().addLast(atServer);
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
        awaitMove();
    }

    /** Over RDMA a connection moves a moment after it was made, and the counts here are about bytes over the device. */
    private void awaitMove() {
        if (TestedPath.NAME.equals("rdma")) {
            await("both ends over RDMA")
                    .atMost(20, TimeUnit.SECONDS)
                    .until(() ->
                            client.path().isAccelerated() && accepted.path().isAccelerated());
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
