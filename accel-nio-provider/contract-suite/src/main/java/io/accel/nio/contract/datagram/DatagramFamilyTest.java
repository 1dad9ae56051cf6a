// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.DatagramSupport;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Channels of both families of the Internet Protocol, and datagrams between them. */
@Tag("datagram")
class DatagramFamilyTest extends DatagramSupport {
    /** The most that a datagram over IPv6 carries, in bytes: its length does not count the header of IP. */
    private static final int LARGEST_IPV6 = 65_527;

    private static final Inet6Address LOOPBACK6 = (Inet6Address) ip("::1");
    private static final Inet4Address LOOPBACK4 = (Inet4Address) ip("127.0.0.1");

    @Test
    void otherFamiliesAreRefused() {
        assertThatThrownBy(() -> DatagramChannel.open(StandardProtocolFamily.UNIX))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> DatagramChannel.open(null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void ipv4ChannelsAlone() throws IOException {
        Ends ends = new Ends(ipv4().bind(any4()), ipv4().bind(any4()));
        warm(ends.left(), ends.right());
        assertExchange(ends);
        DatagramChannel toAll = ipv4().bind(null);
        assertThat(((InetSocketAddress) toAll.getLocalAddress()).getAddress()).isInstanceOf(Inet4Address.class);
    }

    @Test
    void ipv6ChannelsAlone() throws IOException {
        assumeIpv6();
        Ends ends = new Ends(ipv6().bind(any6()), ipv6().bind(any6()));
        warm(ends.left(), ends.right());
        assertExchange(ends);
        DatagramChannel ofNoFamily = datagrams().bind(any6());
        assertThat(ofNoFamily.getLocalAddress()).isEqualTo(new InetSocketAddress(LOOPBACK6, portOf(ofNoFamily)));
        warm(ofNoFamily, ends.right());
        assertExchange(new Ends(ofNoFamily, ends.right()));
    }

    @Test
    void ipv4ChannelKnowsNoIpv6Address() throws IOException {
        DatagramChannel channel = ipv4();
        InetSocketAddress address = new InetSocketAddress(LOOPBACK6, 4711);
        assertThatThrownBy(() -> channel.bind(address)).isInstanceOf(UnsupportedAddressTypeException.class);
        assertThatThrownBy(() -> channel.connect(address)).isInstanceOf(UnsupportedAddressTypeException.class);
        assertThatThrownBy(() -> channel.send(ByteBuffer.allocate(1), address))
                .isInstanceOf(UnsupportedAddressTypeException.class);
        assertThat(channel.isOpen()).isTrue();
        assertThat(channel.getLocalAddress()).isNull();
    }

    @Test
    void ipv6ChannelSpeaksToIpv4Channels() throws IOException {
        assumeIpv6();
        DatagramChannel six = ipv6().bind(null);
        DatagramChannel four = ipv4().bind(any4());
        for (int round = 0; round < 2; round++) {
            send(six, "request", addressOf(four));
            Datagram request = receive(four);
            assertThat(request.source()).isEqualTo(new InetSocketAddress(LOOPBACK4, portOf(six)));
            send(four, "response", request.source());
            Datagram response = receive(six);
            assertThat(response.source()).isEqualTo(addressOf(four));
            assertThat(response.source().getAddress()).isInstanceOf(Inet4Address.class);
            warm(six, four);
        }
        six.connect(addressOf(four));
        assertThat(six.getRemoteAddress()).isEqualTo(addressOf(four));
        assertThat(six.getLocalAddress()).isEqualTo(new InetSocketAddress(LOOPBACK4, portOf(six)));
        six.write(Bytes.ascii("connected"));
        assertThat(receiveText(four)).isEqualTo("connected");
    }

    @Test
    void channelOfAllAddressesHearsBothFamilies() throws IOException {
        assumeIpv6();
        DatagramChannel receiver = datagrams().bind(null);
        DatagramChannel four = ipv4().bind(any4());
        DatagramChannel six = ipv6().bind(any6());
        for (int round = 0; round < 10; round++) {
            send(four, "by IPv4", new InetSocketAddress(LOOPBACK4, portOf(receiver)));
            assertThat(receive(receiver)).isEqualTo(new Datagram(addressOf(four), Bytes.ascii("by IPv4")));
            send(six, "by IPv6", new InetSocketAddress(LOOPBACK6, portOf(receiver)));
            assertThat(receive(receiver)).isEqualTo(new Datagram(addressOf(six), Bytes.ascii("by IPv6")));
            pause(2);
        }
        send(receiver, "back", addressOf(six));
        assertThat(receive(six).source()).isEqualTo(new InetSocketAddress(LOOPBACK6, portOf(receiver)));
        send(receiver, "back", addressOf(four));
        assertThat(receive(four).source()).isEqualTo(new InetSocketAddress(LOOPBACK4, portOf(receiver)));
    }

    @Test
    void onePortOfBothFamiliesIsTwoReceivers() throws IOException {
        assumeIpv6();
        DatagramChannel four = ipv4().bind(any4());
        DatagramChannel six = ipv6().bind(new InetSocketAddress(LOOPBACK6, portOf(four)));
        DatagramChannel sender = datagrams();
        for (int round = 0; round < 10; round++) {
            send(sender, "to four", addressOf(four));
            send(sender, "to six", addressOf(six));
            assertThat(receiveText(four)).isEqualTo("to four");
            assertThat(receiveText(six)).isEqualTo("to six");
            pause(2);
        }
    }

    @Test
    void ipv6ChannelAtAnIpv4AddressReachesNoIpv6Address() throws IOException {
        assumeIpv6();
        DatagramChannel channel = datagrams().bind(any4());
        DatagramChannel six = ipv6().bind(any6());
        assertThatThrownBy(() -> channel.send(ByteBuffer.allocate(1), addressOf(six)))
                .isInstanceOf(IOException.class);
        assertNothingArrives(six);
        DatagramChannel four = ipv4().bind(any4());
        send(channel, "works", addressOf(four));
        assertThat(receive(four)).isEqualTo(new Datagram(addressOf(channel), Bytes.ascii("works")));
    }

    @Test
    void largestDatagramOverIpv6() throws IOException {
        assumeIpv6();
        Ends ends = new Ends(ipv6().bind(any6()), ipv6().bind(any6()));
        warm(ends.left(), ends.right());
        for (int length : new int[] {LARGEST, LARGEST + 1, LARGEST_IPV6}) {
            byte[] bytes = Bytes.random(length, length);
            send(ends.left(), bytes, addressOf(ends.right()));
            assertThat(receive(ends.right()).bytes()).isEqualTo(ByteBuffer.wrap(bytes));
        }
        assertThatThrownBy(() -> ends.left().send(ByteBuffer.allocate(LARGEST_IPV6 + 1), addressOf(ends.right())))
                .isInstanceOf(SocketException.class);
    }

    private static void assertExchange(Ends ends) throws IOException {
        for (int i = 0; i < 10; i++) {
            send(ends.left(), "there", addressOf(ends.right()));
            Datagram there = receive(ends.right());
            assertThat(there).isEqualTo(new Datagram(addressOf(ends.left()), Bytes.ascii("there")));
            send(ends.right(), "back", there.source());
            assertThat(receive(ends.left())).isEqualTo(new Datagram(addressOf(ends.right()), Bytes.ascii("back")));
        }
    }

    private DatagramChannel ipv4() throws IOException {
        return closing(DatagramChannel.open(StandardProtocolFamily.INET));
    }

    private DatagramChannel ipv6() throws IOException {
        return closing(DatagramChannel.open(StandardProtocolFamily.INET6));
    }

    private static InetSocketAddress any4() {
        return new InetSocketAddress(LOOPBACK4, 0);
    }

    private static InetSocketAddress any6() {
        return new InetSocketAddress(LOOPBACK6, 0);
    }
}
