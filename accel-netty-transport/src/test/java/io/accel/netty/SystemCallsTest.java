// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.AccelOptions;
import io.accel.testing.ChildJvm;
import io.accel.testing.SystemCalls;
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
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.NetUtil;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Event loops that sleep until the peer rings make as many system calls as those of Netty's NIO transport, counted by strace. */
@Timeout(150)
class SystemCallsTest {
    private static final int WARM_UP = 300;
    private static final int TRIPS = 1_000;

    @TempDir
    Path temporary;

    @Test
    void aSleepingLoopMakesAsManyAsNios() throws Exception {
        Map<String, Double> nios = perTrip("nio");
        Map<String, Double> ours = perTrip("accel");
        assertThat(sum(ours)).as("a trip takes %s, and %s by NIO", ours, nios).isLessThan(sum(nios) + 0.1);
        assertThat(ours.getOrDefault("epoll_ctl", 0.0))
                .as("changes of what is waited for, a trip")
                .isLessThan(0.05);
    }

    private static double sum(Map<String, Double> calls) {
        return calls.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    /** The calls of both ends for a round trip, by name. */
    private Map<String, Double> perTrip(String transport) throws Exception {
        Path trace = temporary.resolve(transport);
        String said = new ChildJvm(Program.class)
                .behind(
                        "strace",
                        "-f",
                        "-qq",
                        "-e",
                        "signal=none",
                        "-e",
                        "trace=" + SystemCalls.ON_DESCRIPTORS,
                        "-o",
                        trace.toString())
                .with("-Daccel.profile=low-cpu", "-Daccel.fabric.order=shm")
                .with(AccelOptions.AT_ONCE)
                .run(transport)
                .orderly();
        assertThat(said).contains("path " + (transport.equals("nio") ? "kernel" : "shm"));
        Map<String, Double> calls = SystemCalls.between(trace, "RUNNING", "DONE");
        calls.replaceAll((name, count) -> count / TRIPS);
        return calls;
    }

    /** Echoes messages between two event loops, one after the other; the argument is the transport. */
    static final class Program {
        private static final int MESSAGE_BYTES = 64;

        private Program() {}

        public static void main(String[] args) throws Exception {
            boolean nio = args[0].equals("nio");
            EventLoopGroup serverLoop = new MultiThreadIoEventLoopGroup(1, handler(nio));
            EventLoopGroup clientLoop = new MultiThreadIoEventLoopGroup(1, handler(nio));
            Channel listener = new ServerBootstrap()
                    .group(serverLoop)
                    .channel(nio ? NioServerSocketChannel.class : AccelServerSocketChannel.class)
                    .childHandler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel channel) {
                            channel.pipeline().addLast(new Echo());
                        }
                    })
                    .bind(NetUtil.LOCALHOST, 0)
                    .sync()
                    .channel();
            Asker asker = new Asker();
            Channel client = new Bootstrap()
                    .group(clientLoop)
                    .channel(nio ? NioSocketChannel.class : AccelSocketChannel.class)
                    .handler(asker)
                    .connect(listener.localAddress())
                    .sync()
                    .channel();
            asker.run(client, WARM_UP);
            System.out.println("path "
                    + (client instanceof AccelSocketChannel accel ? accel.path().path() : "kernel"));
            System.out.println("RUNNING");
            asker.run(client, TRIPS);
            System.out.println("DONE");
            clientLoop.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
            serverLoop.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }

        private static IoHandlerFactory handler(boolean nio) {
            return nio ? NioIoHandler.newFactory() : AccelIoHandler.newFactory();
        }

        private static final class Echo extends ChannelInboundHandlerAdapter {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object msg) {
                ChannelFuture unused = ctx.writeAndFlush(msg, ctx.voidPromise());
            }
        }

        /** The client's event loop only, except for the fields that the latch hands over. */
        private static final class Asker extends ChannelInboundHandlerAdapter {
            private int left;
            private int missing;
            private volatile CountDownLatch done;

            void run(Channel channel, int trips) throws InterruptedException {
                done = new CountDownLatch(1);
                channel.eventLoop().execute(() -> {
                    left = trips;
                    send(channel);
                });
                done.await();
            }

            private void send(Channel channel) {
                missing = MESSAGE_BYTES;
                ChannelFuture unused =
                        channel.writeAndFlush(Unpooled.directBuffer().writeZero(MESSAGE_BYTES), channel.voidPromise());
            }

            @Override
            public void channelRead(ChannelHandlerContext ctx, Object msg) {
                ByteBuf answer = (ByteBuf) msg;
                missing -= answer.readableBytes();
                answer.release();
                if (missing > 0) {
                    return;
                }
                if (--left > 0) {
                    send(ctx.channel());
                } else {
                    done.countDown();
                }
            }
        }
    }
}
