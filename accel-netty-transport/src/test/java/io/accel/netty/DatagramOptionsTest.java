// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import org.junit.jupiter.api.Test;

/** The options of a datagram channel, and its errors about groups that it cannot join. */
class DatagramOptionsTest {
    private static ByteBuf bytes(int length) {
        return Unpooled.directBuffer(length).writeZero(length);
    }

    @Test
    @SuppressWarnings("deprecation") // its replacement does not exist yet
    void isActiveFromItsRegistrationIfToldSo() throws Exception {
        try (DatagramEnd right = new DatagramEnd()) {
            AccelDatagramChannel unbound = (AccelDatagramChannel) new Bootstrap()
                    .group(right.loop)
                    .channel(AccelDatagramChannel.class)
                    .option(ChannelOption.DATAGRAM_CHANNEL_ACTIVE_ON_REGISTRATION, true)
                    .handler(new ChannelInboundHandlerAdapter())
                    .register()
                    .sync()
                    .channel();
            assertThat(unbound.isActive()).isTrue();
            assertThat(unbound.localAddress()).isNull();
            unbound.writeAndFlush(new DatagramPacket(bytes(1), right.address())).sync();
            assertThat(right.receive().from().getPort())
                    .isEqualTo(unbound.localAddress().getPort());
            unbound.close().sync();
        }
    }

    @Test
    void hasTheKernelsOptions() throws Exception {
        try (DatagramEnd end = new DatagramEnd()) {
            AccelDatagramChannelConfig config = end.channel.config();
            NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
            assertThat(config.getNetworkInterface()).isNull();
            assertThat(config.getInterface()).isNull();
            assertThat(config.setNetworkInterface(loopback).getNetworkInterface())
                    .isEqualTo(loopback);
            assertThat(config.getInterface()).isIn(loopback.inetAddresses().toList());
            assertThat(config.setTimeToLive(3).getTimeToLive()).isEqualTo(3);
            assertThat(config.isLoopbackModeDisabled()).isFalse();
            assertThat(config.setLoopbackModeDisabled(true).isLoopbackModeDisabled())
                    .isTrue();
            assertThat(config.setOption(ChannelOption.SO_BROADCAST, true)).isTrue();
            assertThat(config.getOption(ChannelOption.SO_BROADCAST)).isTrue();
            ChannelOption<Boolean> reusePort = AccelChannelOption.of(StandardSocketOptions.SO_REUSEPORT);
            assertThat(config.setOption(reusePort, true)).isTrue();
            assertThat(config.getOption(reusePort)).isTrue();
            assertThat(config.getOption(AccelChannelOption.of(StandardSocketOptions.TCP_NODELAY)))
                    .isNull();
            assertThat(config.getOptions()).containsKey(ChannelOption.IP_MULTICAST_TTL);
        }
    }

    @Test
    void saysWhatIsMissingForAGroup() throws Exception {
        InetAddress group = InetAddress.getByName("230.0.0.1");
        NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
        try (DatagramEnd end = new DatagramEnd()) {
            assertThatThrownBy(() -> end.channel
                            .block(group, loopback, InetAddress.getLoopbackAddress())
                            .sync())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("joinGroup");
            AccelDatagramChannel everywhere = (AccelDatagramChannel) new Bootstrap()
                    .group(end.loop)
                    .channel(AccelDatagramChannel.class)
                    .handler(new ChannelInboundHandlerAdapter())
                    .bind(new InetSocketAddress(0))
                    .sync()
                    .channel();
            assertThatThrownBy(() -> everywhere.joinGroup(group).sync())
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("IP_MULTICAST_IF");
            everywhere.close().await(10, SECONDS);
        }
    }
}
