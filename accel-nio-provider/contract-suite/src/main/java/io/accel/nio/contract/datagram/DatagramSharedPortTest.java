// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static java.net.StandardSocketOptions.SO_BROADCAST;
import static java.net.StandardSocketOptions.SO_REUSEADDR;
import static java.net.StandardSocketOptions.SO_REUSEPORT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.DatagramSupport;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Several receivers of one port: which of them the system gives a datagram to. */
@Tag("datagram")
@Tag("multicast")
class DatagramSharedPortTest extends DatagramSupport {
    @Test
    void bothMustAgree() throws IOException {
        DatagramChannel first = datagrams().setOption(SO_REUSEADDR, true).bind(anyPort());
        assertThatThrownBy(() -> datagrams().bind(addressOf(first))).isInstanceOf(BindException.class);
        DatagramChannel second = datagrams().setOption(SO_REUSEADDR, true).bind(addressOf(first));
        assertThat(second.getLocalAddress()).isEqualTo(first.getLocalAddress());
    }

    @Test
    void receiverOfTheAddressComesBeforeThatOfAll() throws IOException {
        DatagramChannel all = ipv4().setOption(SO_REUSEADDR, true).bind(null);
        DatagramChannel one = ipv4().setOption(SO_REUSEADDR, true).bind(new InetSocketAddress(host(), portOf(all)));
        DatagramChannel sender = datagrams();
        for (int i = 0; i < 10; i++) {
            send(sender, "to one " + i, addressOf(one));
            assertThat(receiveText(one)).isEqualTo("to one " + i);
            pause(2);
        }
        assertNothingArrives(all);
        one.close();
        for (int i = 0; i < 10; i++) {
            send(sender, "to all " + i, addressOf(all));
            assertThat(receiveText(all)).isEqualTo("to all " + i);
            pause(2);
        }
    }

    /** One that comes later with the better claim gets the datagrams of a sender that knows the other well. */
    @Test
    void receiverOfTheAddressMayComeLater() throws IOException {
        DatagramChannel all = ipv4().setOption(SO_REUSEADDR, true).bind(null);
        DatagramChannel sender = bound();
        for (int i = 0; i < 10; i++) { // no more than that: what shares a port stays with the kernel
            send(sender, "to all " + i, addressOf(all));
            assertThat(receiveText(all)).isEqualTo("to all " + i);
            pause(2);
        }
        DatagramChannel one = ipv4().setOption(SO_REUSEADDR, true).bind(new InetSocketAddress(host(), portOf(all)));
        for (int i = 0; i < 10; i++) {
            send(sender, "to one " + i, addressOf(one));
            assertThat(receiveText(one)).isEqualTo("to one " + i);
        }
        assertNothingArrives(all);
    }

    @Test
    void channelConnectedToTheSenderComesFirst() throws IOException {
        DatagramChannel sender = bound();
        DatagramChannel open = datagrams().setOption(SO_REUSEADDR, true).bind(anyPort());
        DatagramChannel connected = datagrams().setOption(SO_REUSEADDR, true).bind(addressOf(open));
        connected.connect(addressOf(sender));
        for (int i = 0; i < 10; i++) {
            send(sender, "to its own " + i, addressOf(open));
            assertThat(receiveText(connected)).isEqualTo("to its own " + i);
            pause(2);
        }
        DatagramChannel other = bound();
        for (int i = 0; i < 10; i++) {
            send(other, "to anyone " + i, addressOf(open));
            assertThat(receiveText(open)).isEqualTo("to anyone " + i);
            pause(2);
        }
        assertNothingArrives(connected);
    }

    @Test
    void datagramGoesToOneOfThoseThatShareAnAddress() throws IOException {
        List<DatagramChannel> receivers = new ArrayList<>();
        receivers.add(datagrams().setOption(SO_REUSEPORT, true).bind(anyPort()));
        InetSocketAddress address = addressOf(receivers.get(0));
        for (int i = 0; i < 3; i++) {
            receivers.add(datagrams().setOption(SO_REUSEPORT, true).bind(address));
        }
        for (DatagramChannel receiver : receivers) {
            receiver.configureBlocking(false);
        }
        int senders = 16;
        Map<DatagramChannel, Integer> counts = new HashMap<>();
        for (int i = 0; i < senders; i++) {
            DatagramChannel sender = bound();
            DatagramChannel receiver = null;
            for (int round = 0; round < 3; round++) {
                send(sender, "x", address);
                DatagramChannel found = whoReceived(receivers);
                assertThat(receiver == null || receiver == found)
                        .as("one sender's go to one receiver")
                        .isTrue();
                receiver = found;
                pause(2);
            }
            counts.merge(receiver, 1, Integer::sum);
        }
        assertThat(counts.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(senders);
        // By chance all go to one in a run of 4^15
        assertThat(counts).as("receivers that share the senders").hasSizeGreaterThan(1);
        for (DatagramChannel receiver : receivers) {
            assertThat(receiver.receive(ByteBuffer.allocate(1))).isNull();
        }
    }

    @Test
    void broadcastMustBeAllowed() throws IOException {
        DatagramChannel first = ipv4().setOption(SO_REUSEADDR, true).bind(null);
        DatagramChannel second = ipv4().setOption(SO_REUSEADDR, true).bind(first.getLocalAddress());
        InetSocketAddress everyone = new InetSocketAddress(ip("127.255.255.255"), portOf(first));
        DatagramChannel sender = ipv4();
        assertThatThrownBy(() -> sender.send(ByteBuffer.allocate(1), everyone)).isInstanceOf(SocketException.class);
        sender.setOption(SO_BROADCAST, true);
        for (int i = 0; i < 5; i++) {
            send(sender, "to both " + i, everyone);
            for (DatagramChannel receiver : new DatagramChannel[] {first, second}) {
                Datagram datagram = receive(receiver);
                assertThat(datagram.text()).isEqualTo("to both " + i);
                assertThat(datagram.source()).isEqualTo(new InetSocketAddress(ip("127.0.0.1"), portOf(sender)));
            }
            pause(2);
        }
        sender.setOption(SO_BROADCAST, false);
        assertThatThrownBy(() -> sender.send(ByteBuffer.allocate(1), everyone)).isInstanceOf(SocketException.class);
    }

    private DatagramChannel ipv4() throws IOException {
        return closing(DatagramChannel.open(StandardProtocolFamily.INET));
    }

    private static DatagramChannel whoReceived(List<DatagramChannel> receivers) {
        List<DatagramChannel> found = new ArrayList<>();
        eventually().until(() -> {
            for (DatagramChannel receiver : receivers) {
                if (receiver.receive(ByteBuffer.allocate(1)) != null) {
                    found.add(receiver);
                }
            }
            return !found.isEmpty();
        });
        assertThat(found).hasSize(1);
        return found.get(0);
    }
}
