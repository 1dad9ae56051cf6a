// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A bound datagram channel in an event loop of its own, that keeps what it receives. */
final class DatagramEnd implements AutoCloseable {
    /** The event in place of a datagram when a read was complete. */
    static final Received READ_COMPLETE = new Received(null, null, null);

    /** A datagram, or {@link #READ_COMPLETE}. */
    record Received(String text, InetSocketAddress from, InetSocketAddress to) {}

    final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, AccelIoHandler.newFactory());
    final BlockingQueue<Received> events = new LinkedBlockingQueue<>();
    final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
    final AccelDatagramChannel channel;

    DatagramEnd() throws Exception {
        this(Map.of());
    }

    DatagramEnd(Map<ChannelOption<?>, Object> options) throws Exception {
        Bootstrap bootstrap =
                new Bootstrap().group(loop).channel(AccelDatagramChannel.class).handler(new Keeper());
        options.forEach((option, value) -> option(bootstrap, option, value));
        channel = (AccelDatagramChannel)
                bootstrap.bind(TestedPath.ADDRESS, 0).sync().channel();
    }

    @SuppressWarnings("unchecked") // the map's keys and values belong together
    private static <T> void option(Bootstrap bootstrap, ChannelOption<T> option, Object value) {
        bootstrap.option(option, (T) value);
    }

    private final class Keeper extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            DatagramPacket packet = (DatagramPacket) msg;
            events.add(new Received(packet.content().toString(ISO_8859_1), packet.sender(), packet.recipient()));
            packet.release();
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            events.add(READ_COMPLETE);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            failures.add(cause);
        }
    }

    InetSocketAddress address() {
        return channel.localAddress();
    }

    ChannelFuture send(ByteBuf bytes, DatagramEnd to) {
        return channel.writeAndFlush(new DatagramPacket(bytes, to.address()));
    }

    /** The next datagram. */
    Received receive() throws InterruptedException {
        Received next = next();
        while (next.equals(READ_COMPLETE)) {
            next = next();
        }
        return next;
    }

    /** The next datagram or end of a read. */
    Received next() throws InterruptedException {
        Received next = events.poll(10, TimeUnit.SECONDS);
        assertThat(next).as("received within 10 s by %s", channel).isNotNull();
        return next;
    }

    /** Exchanges datagrams until those in either direction take the tested path, and forgets them. */
    static void warm(DatagramEnd left, DatagramEnd right) throws InterruptedException {
        await("a path by " + TestedPath.NAME)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> {
                    left.send(Unpooled.buffer().writeZero(1), right).sync();
                    right.receive();
                    right.send(Unpooled.buffer().writeZero(1), left).sync();
                    left.receive();
                    return left.channel.path(right.address()).path().equals(TestedPath.NAME)
                            && right.channel.path(left.address()).path().equals(TestedPath.NAME);
                });
        for (DatagramEnd end : new DatagramEnd[] {left, right}) {
            end.channel.eventLoop().submit(end.events::clear).sync(); // after the end of the last read
        }
    }

    /** Returns when the event loop is done with what it is doing now. */
    void settle() throws InterruptedException {
        channel.eventLoop().submit(() -> {}).sync();
    }

    /** Keeps the event loop from its work until the latch is open. */
    void holdUntil(CountDownLatch latch) throws InterruptedException {
        CountDownLatch held = new CountDownLatch(1);
        channel.eventLoop().execute(() -> {
            held.countDown();
            try {
                latch.await(10, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(held.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        loop.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
        assertThat(failures).isEmpty();
    }
}
