// SPDX-License-Identifier: Apache-2.0
package io.accel.netty.testsuite;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.netty.AccelDatagramChannel;
import io.accel.netty.AccelIoHandler;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The senders whose datagrams to a multicast group are heard: group joined for all or for one sender, one sender blocked, group left. */
class MulticastSourcesTest {
    private static final InetAddress HEARD = NetUtil.createInetAddressFromIpAddressString("127.0.0.1");
    private static final InetAddress OTHER = NetUtil.createInetAddressFromIpAddressString("127.0.0.2");

    private final BlockingQueue<InetAddress> senders = new LinkedBlockingQueue<>();
    private AccelDatagramChannel receiver;
    private AccelDatagramChannel heard;
    private AccelDatagramChannel other;

    private final class Senders extends SimpleChannelInboundHandler<DatagramPacket> {
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, DatagramPacket packet) {
            senders.add(packet.sender().getAddress());
        }
    }

    @Test
    void hearsWhomItIsToldTo() throws Exception {
        if (!OwnNetwork.isInside()) {
            OwnNetwork.run(getClass());
            return;
        }
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, AccelIoHandler.newFactory());
        NetworkInterface at = NetworkInterface.getByName("lo");
        try {
            receiver = open(loop, at, new InetSocketAddress(0).getAddress());
            heard = open(loop, at, HEARD);
            other = open(loop, at, OTHER);
            hears(at);
        } finally {
            // A quiet period: without one Netty may leave channels open that are registered with its loop.
            loop.shutdownGracefully(50, 5_000, TimeUnit.MILLISECONDS).sync();
        }
        assertThat(receiver.isOpen()).isFalse();
    }

    private void hears(NetworkInterface at) throws Exception {
        InetAddress group = InetAddress.getByName("230.0.0.1");
        assertHeard(group);
        receiver.joinGroup(group).sync(); // by IP_MULTICAST_IF
        assertHeard(group, HEARD, OTHER);
        receiver.joinGroup(new InetSocketAddress(group, 0), at).sync(); // again, which changes nothing
        assertHeard(group, HEARD, OTHER);
        receiver.block(group, OTHER).sync();
        assertHeard(group, HEARD);
        receiver.leaveGroup(group).sync();
        assertHeard(group);

        InetAddress one = InetAddress.getByName("232.0.0.1");
        receiver.joinGroup(one, at, HEARD).sync();
        assertHeard(one, HEARD);
        receiver.leaveGroup(one, at, OTHER).sync(); // of which it is no member
        assertHeard(one, HEARD);
        receiver.leaveGroup(one, at, HEARD).sync();
        assertHeard(one);
    }

    private AccelDatagramChannel open(EventLoopGroup loop, NetworkInterface at, InetAddress address) throws Exception {
        return (AccelDatagramChannel) new Bootstrap()
                .group(loop)
                .channelFactory(() -> new AccelDatagramChannel(SocketProtocolFamily.INET))
                .option(ChannelOption.IP_MULTICAST_IF, at)
                .option(ChannelOption.SO_REUSEADDR, true) // so that the kernel has all datagrams, and keeps their order
                .handler(new Senders())
                .bind(address, 0)
                .sync()
                .channel();
    }

    /**
     * Both send to the group, and then one sends to the receiver itself, which shows that all earlier datagrams have come. If the
     * kernel is busy, datagrams that were sent from two processors may change places.
     */
    private void assertHeard(InetAddress group, InetAddress... expected) throws Exception {
        int port = receiver.localAddress().getPort();
        for (AccelDatagramChannel sender : new AccelDatagramChannel[] {heard, other}) {
            sender.writeAndFlush(new DatagramPacket(Unpooled.copyInt(1), new InetSocketAddress(group, port)))
                    .sync();
        }
        other.writeAndFlush(new DatagramPacket(Unpooled.copyInt(1), new InetSocketAddress(HEARD, port)))
                .sync();
        List<InetAddress> all = new ArrayList<>(List.of(expected));
        all.add(OTHER);
        List<InetAddress> heardOf = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            heardOf.add(senders.poll(10, TimeUnit.SECONDS));
        }
        assertThat(heardOf).containsExactlyInAnyOrderElementsOf(all);
        assertThat(senders).isEmpty();
    }
}
