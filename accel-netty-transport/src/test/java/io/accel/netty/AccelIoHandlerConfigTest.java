// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.profile.ProfileException;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.ReferenceCountUtil;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Loops of one group wait in a way of their own. */
class AccelIoHandlerConfigTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final List<EventLoopGroup> groups = new ArrayList<>();

    @AfterEach
    void shutDown() {
        groups.forEach(group -> group.shutdownGracefully(0, 5, SECONDS).syncUninterruptibly());
    }

    private EventLoopGroup group(Duration spin) {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(
                1, AccelIoHandler.newFactory(Looking.config().spin(spin)));
        groups.add(group);
        return group;
    }

    private long threadOf(EventLoopGroup group) throws InterruptedException {
        return group.submit(() -> Thread.currentThread().getId()).sync().getNow();
    }

    private long cpuNanos(long thread) {
        return threads.getThreadCpuTime(thread);
    }

    /** The two ends of a connection that has carried a message, each in a group's only loop. */
    private Channel[] connect(EventLoopGroup acceptors, EventLoopGroup servers, EventLoopGroup clients)
            throws Exception {
        CompletableFuture<Channel> read = new CompletableFuture<>();
        Channel listener = new ServerBootstrap()
                .group(acceptors, servers)
                .channel(AccelServerSocketChannel.class)
                .childHandler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext ctx, Object msg) {
                        ReferenceCountUtil.release(msg);
                        read.complete(ctx.channel());
                    }
                })
                .bind(TestedPath.ADDRESS, 0)
                .sync()
                .channel();
        Channel client = new Bootstrap()
                .group(clients)
                .channel(AccelSocketChannel.class)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(listener.localAddress())
                .sync()
                .channel();
        // Its listener's loop may accept it only after the connect was told that the peer has heard. The next write
        // then moves the connection.
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() ->
                        assertThat(((AccelSocketChannel) client).path().path()).isEqualTo(TestedPath.NAME));
        client.writeAndFlush(Unpooled.buffer().writeZero(1)).sync();
        return new Channel[] {client, read.get(10, SECONDS)};
    }

    @Test
    void namesAProfileOrASpinOfItsOwn() {
        long ofProcess = Accel.accelerator().pollConfig().spinNanos();
        assertThat(AccelIoHandlerConfig.ofProcess().pollConfig().spinNanos()).isEqualTo(ofProcess);
        assertThat(AccelIoHandlerConfig.ofProfile("latency").pollConfig().spinNanos())
                .isEqualTo(Duration.ofSeconds(1).toNanos());
        AccelIoHandlerConfig lowCpu = AccelIoHandlerConfig.ofProfile("low-cpu");
        assertThat(lowCpu.pollConfig().spinNanos()).isZero();
        assertThat(lowCpu.spin(Duration.ofNanos(77)).pollConfig())
                .isEqualTo(lowCpu.pollConfig().withSpin(77));
        assertThat(lowCpu.pollConfig().spinNanos())
                .as("of what it was made from")
                .isZero();
    }

    @Test
    void refusesWhatItCannotBe() {
        assertThatThrownBy(() -> AccelIoHandlerConfig.ofProfile("latencie"))
                .isInstanceOf(ProfileException.class)
                .hasMessageContaining("latencie");
        for (Duration spin : List.of(Duration.ofNanos(-1), Duration.ofHours(1).plusNanos(1))) {
            assertThatThrownBy(() -> AccelIoHandlerConfig.ofProcess().spin(spin))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(spin.toString());
        }
    }

    @Test
    void oneGroupSpinsAndAnotherSleeps() throws Exception {
        EventLoopGroup spinning = group(LONG);
        EventLoopGroup sleeping = group(Duration.ZERO);
        connect(sleeping, sleeping, spinning);
        long spinner = threadOf(spinning);
        long sleeper = threadOf(sleeping);
        long spun = cpuNanos(spinner);
        long slept = cpuNanos(sleeper);
        await().atMost(Duration.ofSeconds(30)).until(() -> cpuNanos(spinner) - spun > 200_000_000L);
        assertThat(cpuNanos(sleeper) - slept).isLessThan(50_000_000L);
    }

    /** A listener's loop looks for a connection only when it is told of one. */
    @Test
    void aLoopOfListenersNeverSpins() throws Exception {
        EventLoopGroup acceptors = group(LONG);
        EventLoopGroup others = group(LONG);
        connect(acceptors, others, others);
        long acceptor = threadOf(acceptors);
        long other = threadOf(others);
        long before = cpuNanos(acceptor);
        long otherBefore = cpuNanos(other);
        await().atMost(Duration.ofSeconds(30)).until(() -> cpuNanos(other) - otherBefore > 200_000_000L);
        assertThat(cpuNanos(acceptor) - before).isLessThan(50_000_000L);
    }
}
