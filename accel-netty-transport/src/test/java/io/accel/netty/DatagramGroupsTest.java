// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.accel.testing.ChildJvm;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Netty's datagram channels as publisher and member of a multicast group, where the profile brings groups by shared memory. */
@Timeout(60)
class DatagramGroupsTest {
    @ParameterizedTest
    @ValueSource(strings = {"both", "fabric"})
    void eachDatagramIsHeardOnceAndInOrder(String mode) throws Exception {
        String output = new ChildJvm(Program.class)
                .with("-Daccel.datagram.multicast=" + mode, "-Daccel.datagram.retry=5ms", "-Dsuite.address=0.0.0.0")
                .run()
                .orderly();
        assertThat(output).contains("all were heard");
    }

    /** A publisher and a member. */
    static final class Program {
        private static final int COUNT = 500;

        private Program() {}

        public static void main(String[] args) throws Exception {
            NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
            try (DatagramEnd member = new DatagramEnd();
                    DatagramEnd publisher = new DatagramEnd(Map.of(ChannelOption.IP_MULTICAST_IF, loopback))) {
                InetSocketAddress group = new InetSocketAddress(
                        InetAddress.getByName("239.77.88.99"), member.address().getPort());
                member.channel.joinGroup(group, loopback).sync();
                int number = 0;
                while (!publisher.channel.path(group).path().equals("shm")) {
                    send(number++, publisher, group, member);
                }
                for (int i = 0; i < COUNT; i++) {
                    send(number++, publisher, group, member);
                }
                member.channel.leaveGroup(group, loopback).sync();
                member.channel.joinGroup(group, loopback).sync();
                send(number, publisher, group, member);
                System.out.println("all were heard");
            }
        }

        private static void send(int number, DatagramEnd from, InetSocketAddress group, DatagramEnd member)
                throws InterruptedException {
            String text = "number " + number;
            from.channel
                    .writeAndFlush(new DatagramPacket(Unpooled.copiedBuffer(text, ISO_8859_1), group))
                    .sync();
            assertThat(member.receive().text()).isEqualTo(text);
        }
    }
}
