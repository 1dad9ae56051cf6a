// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.testing.RealProgram;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

/** Behaviour of the transport beyond the tests that Netty's suite has for every transport. */
@RealProgram(
        name = "Netty 4.2 on Accel's transport",
        artifact = "io.netty:netty-transport",
        how =
                "every stream and datagram test of Netty's transport test suite, with NIO at either end and on the kernel's path; streams in the lab, too",
        over = {RealProgram.Fabric.SHM, RealProgram.Fabric.RDMA})
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails is missed at the other end
class TransportTest {
    private static final int MESSAGES = 100;

    /** Counts what it reads, and says so at each read. */
    private static final class Sizes extends ChannelInboundHandlerAdapter {
        final BlockingQueue<Integer> sizes = new LinkedBlockingQueue<>();
        final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
        final CountDownLatch inactive = new CountDownLatch(1);

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ByteBuf buffer = (ByteBuf) msg;
            sizes.add(buffer.readableBytes());
            buffer.release();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            inactive.countDown();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            failures.add(cause);
        }

        @Override
        public boolean isSharable() {
            return true;
        }
    }

    @Test
    void isAvailable() {
        assertThat(Accel.unavailabilityCause()).isNull();
        assertThat(Accel.isAvailable()).isTrue();
        Accel.ensureAvailability();
    }

    @Test
    void acceleratesConnectionsOfItsOwnKind() throws Exception {
        try (Pair pair = new Pair(new Sizes())) {
            assertThat(pair.listener.isAccelerated()).isTrue();
            assertThat(pair.client.path().path()).isEqualTo(TestedPath.NAME);
            assertThat(pair.accepted.path().path()).isEqualTo(TestedPath.NAME);
            assertThat(pair.client.remoteAddress()).isEqualTo(pair.listener.localAddress());
            assertThat(pair.accepted.remoteAddress()).isEqualTo(pair.client.localAddress());
            assertThat(pair.accepted.localAddress()).isEqualTo(pair.listener.localAddress());
        }
    }

    /** The receiver sleeps or looks elsewhere when the flush comes, and then finds all of it: no part was visible before. */
    @Test
    void aFlushOfManyMessagesIsOnePublish() throws Exception {
        Sizes server = new Sizes();
        try (Pair pair = new Pair(server)) {
            for (int round = 0; round < 300; round++) {
                pair.client.eventLoop().submit(() -> {
                    for (int i = 0; i < MESSAGES; i++) {
                        ByteBuf message = i % 3 == 0 ? Unpooled.buffer(7) : Unpooled.directBuffer(7);
                        pair.client.write(message.writeZero(7));
                    }
                    pair.client.flush();
                });
                assertThat(server.sizes.poll(10, SECONDS)).isEqualTo(7 * MESSAGES);
            }
        }
    }

    @Test
    void servesAcceleratedAndKernelConnectionsInOneLoop() throws Exception {
        Sizes server = new Sizes();
        EventLoopGroup nio = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try (Pair pair = new Pair(server)) {
            Channel plain = new Bootstrap()
                    .group(nio)
                    .channel(NioSocketChannel.class)
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect(pair.listener.localAddress())
                    .sync()
                    .channel();
            for (int i = 1; i < 200; i++) {
                pair.client.writeAndFlush(Unpooled.buffer().writeZero(i)).sync();
                assertThat(server.sizes.poll(10, SECONDS)).isEqualTo(i);
                plain.writeAndFlush(Unpooled.buffer().writeZero(2 * i)).sync();
                assertThat(server.sizes.poll(10, SECONDS)).isEqualTo(2 * i);
            }
            plain.close().sync();
        } finally {
            nio.shutdownGracefully(0, 5, SECONDS).sync();
        }
    }

    @Test
    void movesToAnotherEventLoop() throws Exception {
        Sizes server = new Sizes();
        try (Pair pair = new Pair(server)) {
            pair.client.writeAndFlush(Unpooled.buffer().writeZero(3)).sync();
            assertThat(server.sizes.poll(10, SECONDS)).isEqualTo(3);
            pair.accepted.deregister().sync();
            pair.client.writeAndFlush(Unpooled.buffer().writeZero(4)).sync();
            assertThat(server.sizes.poll(200, MILLISECONDS)).isNull();
            pair.clientLoop.register(pair.accepted).sync();
            assertThat(server.sizes.poll(10, SECONDS)).isEqualTo(4);
        }
    }

    @Test
    void lingerZeroResetsThePeer() throws Exception {
        Sizes server = new Sizes();
        try (Pair pair = new Pair(server)) {
            pair.client.config().setSoLinger(0);
            pair.client.close().sync();
            assertThat(server.failures.poll(10, SECONDS))
                    .isInstanceOf(IOException.class)
                    .hasMessage("Connection reset");
            assertThat(server.inactive.await(10, SECONDS)).isTrue();
        }
    }

    /** With auto-read off nobody reads, and yet the end is seen, but not before the unread bytes have been read. */
    @Test
    void seesTheEndWithoutReading() throws Exception {
        Sizes server = new Sizes();
        try (Pair pair = new Pair(server, Map.of(ChannelOption.AUTO_READ, false))) {
            pair.client.writeAndFlush(Unpooled.buffer().writeZero(3)).sync();
            pair.client.close().sync();
            assertThat(server.inactive.await(300, MILLISECONDS)).isFalse();
            pair.accepted.read();
            assertThat(server.sizes.poll(10, SECONDS)).isEqualTo(3);
            assertThat(server.inactive.await(10, SECONDS)).isTrue();
        }
    }

    @Test
    void keepsOptionsThatAnAcceleratedConnectionHasNoUseFor() throws Exception {
        try (Pair pair = new Pair(new Sizes())) {
            for (AccelSocketChannel channel : new AccelSocketChannel[] {pair.client, pair.accepted}) {
                AccelSocketChannelConfig config = channel.config();
                assertThat(config.isTcpNoDelay()).isTrue();
                assertThat(config.getSoLinger()).isEqualTo(-1);
                assertThat(config.setKeepAlive(true).isKeepAlive()).isTrue();
                assertThat(config.setOption(ChannelOption.SO_LINGER, 5)).isTrue();
                assertThat(config.getOption(ChannelOption.SO_LINGER)).isEqualTo(5);
                ChannelOption<Integer> buffer = AccelChannelOption.of(StandardSocketOptions.SO_RCVBUF);
                assertThat(config.setOption(buffer, 65536)).isTrue();
                assertThat(config.getOption(buffer)).isGreaterThanOrEqualTo(65536);
                assertThat(config.getOptions()).containsKey(AccelChannelOption.RECEIVE_SLICES);
                config.setSoLinger(-1);
            }
        }
    }

    @Test
    void refusesWhatIsNoBufferAndNoFile() throws Exception {
        try (Pair pair = new Pair(new Sizes())) {
            assertThatThrownBy(() -> pair.client.writeAndFlush("text").sync())
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("String");
        }
    }
}
