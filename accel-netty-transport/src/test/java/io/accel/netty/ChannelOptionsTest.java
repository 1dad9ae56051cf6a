// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.testing.ChildJvm;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.nio.NioChannelOption;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The options of the JDK's, under the names that Netty's native transports have for them, and what the kernel makes of them. */
@Timeout(60)
class ChannelOptionsTest {
    private static final int IDLE_SECONDS = 7000;
    /** The kind of timer in the kernel's list of connections that waits to send a keep-alive probe. */
    private static final String KEEP_ALIVE_TIMER = "02";

    private static final int TICKS_PER_SECOND = 100;
    private static final int FIRST_WITH_DONT_FRAGMENT = 19;

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, AccelIoHandler.newFactory());

    @AfterEach
    void close() {
        loops.shutdownGracefully(0, 5, SECONDS).syncUninterruptibly();
    }

    private ServerBootstrap server() {
        return new ServerBootstrap()
                .group(loops)
                .channel(AccelServerSocketChannel.class)
                .childHandler(new ChannelInboundHandlerAdapter());
    }

    private static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /** Reads a setting in one piece: the kernel gives no more of it to a second read. */
    private static int kernelsDefault(String name) throws IOException {
        try (BufferedReader setting = Files.newBufferedReader(Path.of("/proc/sys/net/ipv4/" + name))) {
            return Integer.parseInt(setting.readLine());
        }
    }

    @Test
    void keepAliveTimesAreTheKernels() throws Exception {
        try (Pair pair = new Pair(new ChannelInboundHandlerAdapter())) {
            AccelSocketChannelConfig config = pair.client.config();
            assertThat(config.getOption(AccelChannelOption.TCP_KEEPIDLE))
                    .isEqualTo(kernelsDefault("tcp_keepalive_time"));
            assertThat(config.getOption(AccelChannelOption.TCP_KEEPINTVL))
                    .isEqualTo(kernelsDefault("tcp_keepalive_intvl"));
            assertThat(config.getOption(AccelChannelOption.TCP_KEEPCNT))
                    .isEqualTo(kernelsDefault("tcp_keepalive_probes"));
            assertThat(config.setOption(AccelChannelOption.TCP_KEEPIDLE, IDLE_SECONDS))
                    .isTrue();
            assertThat(config.setOption(AccelChannelOption.TCP_KEEPINTVL, 11)).isTrue();
            assertThat(config.setOption(AccelChannelOption.TCP_KEEPCNT, 3)).isTrue();
            assertThat(config.setOption(ChannelOption.SO_KEEPALIVE, true)).isTrue();
            assertThat(config.getOption(AccelChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE)))
                    .isEqualTo(IDLE_SECONDS);
            assertThat(config.getOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL)))
                    .isEqualTo(11);
            assertThat(config.getOption(AccelChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT)))
                    .isEqualTo(3);
            assertThat(secondsUntilProbe(pair.client)).isBetween(IDLE_SECONDS - 120L, (long) IDLE_SECONDS);
        }
    }

    /** Reads the kernel's list of connections: {@code tr tm->when}, in ticks of userspace. */
    private static long secondsUntilProbe(AccelSocketChannel channel) throws IOException {
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            for (String line : Files.readAllLines(Path.of(table))) {
                String[] fields = line.strip().split("\\s+", -1);
                if (endsWithPort(fields[1], channel.localAddress())
                        && endsWithPort(fields[2], channel.remoteAddress())) {
                    String[] timer = fields[5].split(":", -1);
                    assertThat(timer[0]).as(line).isEqualTo(KEEP_ALIVE_TIMER);
                    return Long.parseLong(timer[1], 16) / TICKS_PER_SECOND;
                }
            }
        }
        throw new AssertionError("the kernel does not list " + channel);
    }

    private static boolean endsWithPort(String shown, InetSocketAddress address) {
        return shown.endsWith(String.format(Locale.ROOT, ":%04X", address.getPort()));
    }

    @Test
    void acknowledgementsAndTheQueueOfTheDevice() throws Exception {
        try (Pair pair = new Pair(new ChannelInboundHandlerAdapter())) {
            ChannelConfig config = pair.accepted.config();
            assertThat(config.setOption(AccelChannelOption.TCP_QUICKACK, false)).isTrue();
            assertThat(config.getOption(AccelChannelOption.TCP_QUICKACK)).isFalse();
            assertThat(config.setOption(AccelChannelOption.TCP_QUICKACK, true)).isTrue();
            assertThat(config.getOption(AccelChannelOption.TCP_QUICKACK)).isTrue();
            assertThat(config.getOption(AccelChannelOption.SO_INCOMING_NAPI_ID)).isNotNegative();
            assertThat(config.setOption(ChannelOption.IP_TOS, 0x10)).isTrue();
            assertThat(config.getOption(NioChannelOption.of(StandardSocketOptions.IP_TOS)))
                    .isEqualTo(0x10);
        }
    }

    @Test
    void listenersShareAPortIfAllOfThemSaySo() throws Exception {
        Channel first = server().option(AccelChannelOption.SO_REUSEPORT, true)
                .bind(anyPort())
                .sync()
                .channel();
        assertThatThrownBy(() -> server().bind(first.localAddress()).sync()).isInstanceOf(IOException.class);
        Channel second = server().option(NioChannelOption.of(StandardSocketOptions.SO_REUSEPORT), true)
                .bind(first.localAddress())
                .sync()
                .channel();
        assertThat(second.config().getOption(AccelChannelOption.SO_REUSEPORT)).isTrue();
        second.close().sync();
        first.close().sync();
    }

    @Test
    void datagramsThatMayNotBeCutFromTheJdkThatKnowsThem() throws Exception {
        boolean isKnown = Runtime.version().feature() >= FIRST_WITH_DONT_FRAGMENT;
        try (DatagramEnd end = new DatagramEnd()) {
            assertThat(end.channel.config().setOption(AccelChannelOption.IP_DONTFRAGMENT, true))
                    .isEqualTo(isKnown);
            assertThat(end.channel.config().getOption(AccelChannelOption.IP_DONTFRAGMENT))
                    .isEqualTo(isKnown ? true : null);
            assertThat(end.channel.config().setOption(AccelChannelOption.SO_REUSEPORT, true))
                    .isTrue();
            assertThat(end.channel.config().setOption(AccelChannelOption.TCP_KEEPIDLE, 5))
                    .isFalse();
        }
    }

    @Test
    void whatAChannelDoesNotHaveIsRefused() throws Exception {
        try (Pair pair = new Pair(new ChannelInboundHandlerAdapter())) {
            ChannelConfig config = pair.client.config();
            assertThat(config.setOption(ChannelOption.TCP_FASTOPEN_CONNECT, true))
                    .isFalse();
            assertThat(config.setOption(NioChannelOption.of(StandardSocketOptions.SO_BROADCAST), true))
                    .isFalse();
            assertThat(config.getOption(NioChannelOption.of(StandardSocketOptions.SO_BROADCAST)))
                    .isNull();
            assertThat(pair.listener.config().setOption(AccelChannelOption.of(StandardSocketOptions.IP_TOS), 1))
                    .isFalse();
            assertThatThrownBy(() -> config.setOption(AccelChannelOption.TCP_KEEPIDLE, 0))
                    .satisfiesAnyOf(e -> assertThat(e).isInstanceOf(IllegalArgumentException.class), e -> assertThat(e)
                            .isInstanceOf(ChannelException.class));
        }
    }

    @Test
    void anOptionOfAnotherTransportIsNamedInAWarning() throws Exception {
        assertThat(new ChildJvm(Strange.class).run().orderly().lines())
                .anySatisfy(line -> assertThat(line)
                        .contains("WARN")
                        .contains("Unknown channel option")
                        .contains("TCP_USER_TIMEOUT"))
                .noneSatisfy(line -> assertThat(line).contains("WARN").contains("TCP_KEEPIDLE"));
    }

    /** Sets an option that only a native transport has, and one that Accel has, too. */
    static final class Strange {
        private Strange() {}

        public static void main(String[] args) throws Exception {
            EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, AccelIoHandler.newFactory());
            Channel channel = new Bootstrap()
                    .group(loops)
                    .channel(AccelSocketChannel.class)
                    .handler(new ChannelInboundHandlerAdapter())
                    .option(
                            ChannelOption.<Integer>valueOf(
                                    "io.netty.channel.epoll.EpollChannelOption#TCP_USER_TIMEOUT"),
                            1)
                    .option(AccelChannelOption.TCP_KEEPIDLE, 5)
                    .register()
                    .sync()
                    .channel();
            channel.close().sync();
            loops.shutdownGracefully(0, 5, SECONDS).sync();
        }
    }
}
