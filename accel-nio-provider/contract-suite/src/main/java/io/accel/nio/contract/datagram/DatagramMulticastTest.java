// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.DatagramSupport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.ProtocolFamily;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Groups that channels join on the loopback interface, so that no datagram leaves the host. */
@Tag("datagram")
@Tag("multicast")
class DatagramMulticastTest extends DatagramSupport {
    private static final InetAddress GROUP = ip("239.255.71.1");
    private static final InetAddress OTHER_GROUP = ip("239.255.71.2");
    private static final InetAddress SOURCE = ip("127.0.0.1");
    private static final InetAddress NO_SOURCE = ip("127.0.0.9");

    private DatagramChannel sender;
    private DatagramChannel receiver;

    /** A host that cannot send to a group on its loopback interface says so to the JDK's own socket. */
    @BeforeEach
    void open() throws IOException {
        try (MulticastSocket socket = new MulticastSocket(0)) {
            socket.setNetworkInterface(loopback());
            socket.joinGroup(new InetSocketAddress(GROUP, 0), loopback());
        } catch (IOException e) {
            Assumptions.abort("no multicast on the loopback interface: " + e);
        }
        sender = ipv4().setOption(StandardSocketOptions.IP_MULTICAST_IF, loopback());
        sender.bind(new InetSocketAddress(SOURCE, 0));
        receiver = ipv4().bind(null);
    }

    @Test
    void memberReceives() throws IOException {
        assertUnheard(GROUP);
        MembershipKey key = receiver.join(GROUP, loopback());
        assertThat(key.isValid()).isTrue();
        assertThat(key.channel()).isSameAs(receiver);
        assertThat(key.group()).isEqualTo(GROUP);
        assertThat(key.networkInterface()).isEqualTo(loopback());
        assertThat(key.sourceAddress()).isNull();
        for (int i = 0; i < 10; i++) {
            assertHeard(GROUP);
        }
        assertThat(receiver.join(GROUP, loopback())).as("joined once").isEqualTo(key);
        assertHeard(GROUP);
        assertNothingArrives(receiver);
    }

    @Test
    void allMembersReceive() throws IOException {
        receiver.close();
        DatagramChannel[] members = new DatagramChannel[3];
        int port = 0;
        for (int i = 0; i < members.length; i++) {
            members[i] = ipv4().setOption(StandardSocketOptions.SO_REUSEADDR, true);
            members[i].bind(new InetSocketAddress(port)).join(GROUP, loopback());
            port = portOf(members[i]);
        }
        for (int round = 0; round < 10; round++) {
            send(sender, "to all " + round, new InetSocketAddress(GROUP, port));
            for (DatagramChannel member : members) {
                assertThat(receive(member).text()).isEqualTo("to all " + round);
            }
        }
    }

    @Test
    void memberReceivesWhatIsSentToItAsWell() throws IOException {
        receiver.join(GROUP, loopback());
        InetSocketAddress itself = new InetSocketAddress(SOURCE, portOf(receiver));
        for (int round = 0; round < 10; round++) {
            assertHeard(GROUP);
            send(sender, "to it alone", itself);
            assertThat(receiveText(receiver)).isEqualTo("to it alone");
            pause(2);
        }
    }

    @Test
    void droppedMembership() throws IOException {
        MembershipKey key = receiver.join(GROUP, loopback());
        MembershipKey other = receiver.join(OTHER_GROUP, loopback());
        assertThat(other).isNotEqualTo(key);
        assertHeard(GROUP);
        assertHeard(OTHER_GROUP);
        key.drop();
        key.drop();
        assertThat(key.isValid()).isFalse();
        assertThat(other.isValid()).isTrue();
        assertUnheard(GROUP);
        assertHeard(OTHER_GROUP);
        assertThat(key.channel()).isSameAs(receiver);
        assertThatThrownBy(() -> key.block(SOURCE)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> key.unblock(SOURCE)).isInstanceOf(IllegalStateException.class);
        assertThat(receiver.join(GROUP, loopback()).isValid()).isTrue();
        assertHeard(GROUP);
    }

    @Test
    void blockedSource() throws IOException {
        MembershipKey key = receiver.join(GROUP, loopback());
        assertThat(key.block(SOURCE)).isSameAs(key);
        assertThat(key.block(SOURCE)).isSameAs(key);
        assertUnheard(GROUP);
        assertThatThrownBy(() -> key.unblock(NO_SOURCE)).isInstanceOf(IllegalStateException.class);
        assertThat(key.unblock(SOURCE)).isSameAs(key);
        assertHeard(GROUP);
        key.block(NO_SOURCE);
        assertHeard(GROUP);
        assertThatThrownBy(() -> key.unblock(SOURCE)).isInstanceOf(IllegalStateException.class);
        for (InetAddress bad : new InetAddress[] {ip("0.0.0.0"), OTHER_GROUP, ip("::1")}) {
            assertThatThrownBy(() -> key.block(bad)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void membershipOfSources() throws IOException {
        MembershipKey deaf = receiver.join(GROUP, loopback(), NO_SOURCE);
        assertThat(deaf.sourceAddress()).isEqualTo(NO_SOURCE);
        assertUnheard(GROUP);
        MembershipKey key = receiver.join(GROUP, loopback(), SOURCE);
        assertThat(key).isNotEqualTo(deaf);
        assertThat(receiver.join(GROUP, loopback(), SOURCE)).isEqualTo(key);
        assertHeard(GROUP);
        assertThatThrownBy(() -> receiver.join(GROUP, loopback())).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> key.block(NO_SOURCE)).isInstanceOf(IllegalStateException.class);
        key.drop();
        assertUnheard(GROUP);
        deaf.drop();
        receiver.join(GROUP, loopback());
        assertThatThrownBy(() -> receiver.join(GROUP, loopback(), SOURCE)).isInstanceOf(IllegalStateException.class);
        assertHeard(GROUP);
    }

    @Test
    void closedChannelIsNoMember() throws IOException {
        MembershipKey key = receiver.join(GROUP, loopback());
        MembershipKey other = receiver.join(OTHER_GROUP, loopback(), SOURCE);
        receiver.close();
        assertThat(key.isValid()).isFalse();
        assertThat(other.isValid()).isFalse();
        key.drop();
    }

    @Test
    void badGroupsAndSourcesAreRefused() throws IOException {
        for (InetAddress bad : new InetAddress[] {SOURCE, ip("0.0.0.0"), ip("ff11::1")}) {
            assertThatThrownBy(() -> receiver.join(bad, loopback())).isInstanceOf(IllegalArgumentException.class);
        }
        for (InetAddress bad : new InetAddress[] {OTHER_GROUP, ip("0.0.0.0"), ip("::1")}) {
            assertThatThrownBy(() -> receiver.join(GROUP, loopback(), bad))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> receiver.join(null, loopback())).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> receiver.join(GROUP, null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> receiver.join(GROUP, loopback(), null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void channelConnectedToAGroup() throws IOException {
        receiver.join(GROUP, loopback());
        sender.connect(new InetSocketAddress(GROUP, portOf(receiver)));
        for (int i = 0; i < 5; i++) {
            sender.write(Bytes.ascii("written " + i));
            assertThat(receiveText(receiver)).isEqualTo("written " + i);
        }
    }

    /** The JDK's channel has a socket for multicast, for those that ask. */
    @Test
    void socketJoinsAndLeaves() throws IOException {
        MulticastSocket socket = (MulticastSocket) receiver.socket();
        InetSocketAddress group = new InetSocketAddress(GROUP, 0);
        socket.joinGroup(group, loopback());
        assertHeard(GROUP);
        assertThatThrownBy(() -> socket.joinGroup(group, loopback())).isInstanceOf(SocketException.class);
        socket.leaveGroup(group, loopback());
        assertUnheard(GROUP);
        assertThatThrownBy(() -> socket.leaveGroup(group, loopback())).isInstanceOf(SocketException.class);
        socket.setNetworkInterface(loopback());
        assertThat(socket.getNetworkInterface()).isEqualTo(loopback());
        socket.setTimeToLive(3);
        assertThat(socket.getTimeToLive()).isEqualTo(3);
    }

    @Test
    void ipv6ChannelKnowsIpv6Groups() throws IOException {
        assumeIpv6();
        DatagramChannel channel = open(StandardProtocolFamily.INET6).bind(null);
        MembershipKey key = channel.join(ip("ff11::71"), loopback());
        assertThat(key.group()).isEqualTo(ip("ff11::71"));
        assertThat(key.block(ip("::1")).unblock(ip("::1"))).isSameAs(key);
        key.drop();
        assertThat(channel.join(ip("ff11::71"), loopback(), ip("::1")).sourceAddress())
                .isEqualTo(ip("::1"));
    }

    private void assertHeard(InetAddress group) throws IOException {
        send(sender, "to " + group, new InetSocketAddress(group, portOf(receiver)));
        Datagram datagram = receive(receiver);
        assertThat(datagram.text()).isEqualTo("to " + group);
        assertThat(datagram.source()).isEqualTo(sender.getLocalAddress());
    }

    private void assertUnheard(InetAddress group) throws IOException {
        send(sender, "x", new InetSocketAddress(group, portOf(receiver)));
        assertNothingArrives(receiver);
    }

    private DatagramChannel ipv4() throws IOException {
        return open(StandardProtocolFamily.INET);
    }

    private DatagramChannel open(ProtocolFamily family) throws IOException {
        return closing(DatagramChannel.open(family));
    }
}
