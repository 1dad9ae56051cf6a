// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.DatagramSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The addresses that channels are bound to, and those that receivers are told. */
@Tag("datagram")
class DatagramAddressTest extends DatagramSupport {
    @Test
    void bindToAnyPort() throws IOException {
        DatagramChannel channel = datagrams();
        assertThat(channel.getLocalAddress()).isNull();
        assertThat(channel.bind(anyPort())).isSameAs(channel);
        assertThat(portOf(channel)).isPositive();
        assertThat(addressOf(channel).getAddress()).isEqualTo(host());
    }

    @Test
    void bindToNullIsToAnyPortOfAllAddresses() throws IOException {
        assertBoundToAll(datagrams().bind(null));
    }

    @Test
    void sendBindsAChannel() throws IOException {
        DatagramChannel receiver = bound();
        DatagramChannel sender = datagrams();
        send(sender, "x", addressOf(receiver));
        assertBoundToAll(sender);
        assertThat(receive(receiver).source()).isEqualTo(addressOf(sender));
        send(receiver, "back", addressOf(sender));
        assertThat(receiveText(sender)).isEqualTo("back");
    }

    @Test
    void whoAnswersIsToldWithoutTheNameThatItWasSentToBy() throws IOException {
        DatagramChannel asks = bound();
        DatagramChannel answers = bound();
        InetSocketAddress plain = addressOf(answers);
        InetAddress named =
                InetAddress.getByAddress("a.name.of.it", plain.getAddress().getAddress());
        send(asks, "asked by name", new InetSocketAddress(named, plain.getPort()));
        assertThat(receiveText(answers)).isEqualTo("asked by name");
        warm(asks, answers);
        send(answers, "answer", addressOf(asks));
        InetSocketAddress source = receive(asks).source();
        assertThat(source).isEqualTo(plain);
        assertThat(source.getHostString()).isEqualTo(plain.getAddress().getHostAddress());
    }

    @Test
    void receiveBindsAChannel() throws IOException {
        DatagramChannel channel = datagrams();
        channel.configureBlocking(false);
        assertThat(channel.receive(ByteBuffer.allocate(1))).isNull();
        assertBoundToAll(channel);
    }

    @Test
    void blockedReceiveHasBoundItsChannel() throws Exception {
        DatagramChannel channel = datagrams();
        Task<Datagram> receiver = start(() -> receive(channel)).awaitInside("receive");
        assertBoundToAll(channel);
        send(bound(), "found it", addressOf(channel));
        assertThat(receiver.result().text()).isEqualTo("found it");
    }

    @Test
    void connectBindsAChannel() throws IOException {
        DatagramChannel peer = bound();
        DatagramChannel channel = datagrams().connect(addressOf(peer));
        assertThat(channel.getLocalAddress()).isEqualTo(new InetSocketAddress(host(), portOf(channel)));
        int port = portOf(channel);
        channel.disconnect();
        assertBoundToAll(channel);
        assertThat(portOf(channel)).isEqualTo(port);
    }

    @Test
    void bindTwiceIsRefused() throws IOException {
        DatagramChannel channel = bound();
        assertThatThrownBy(() -> channel.bind(anyPort())).isInstanceOf(AlreadyBoundException.class);
        assertThatThrownBy(() -> channel.bind(null)).isInstanceOf(AlreadyBoundException.class);
        DatagramChannel boundBySend = datagrams();
        send(boundBySend, "x", addressOf(channel));
        assertThatThrownBy(() -> boundBySend.bind(anyPort())).isInstanceOf(AlreadyBoundException.class);
    }

    @Test
    void portInUseIsRefusedAndAnotherWorks() throws IOException {
        DatagramChannel first = bound();
        DatagramChannel second = datagrams();
        assertThatThrownBy(() -> second.bind(addressOf(first))).isInstanceOf(BindException.class);
        assertThat(second.getLocalAddress()).isNull();
        second.bind(anyPort());
        warm(first, second);
    }

    @Test
    void badAddressesAreRefused() throws IOException {
        DatagramChannel channel = datagrams();
        assertThatThrownBy(() -> channel.bind(new SocketAddress() {
                    private static final long serialVersionUID = 1;
                }))
                .isInstanceOf(UnsupportedAddressTypeException.class);
        assertThatThrownBy(() -> channel.bind(InetSocketAddress.createUnresolved("accel.invalid", 0)))
                .isInstanceOf(UnresolvedAddressException.class);
        // A documentation address, which is no host's
        assertThatThrownBy(() -> channel.bind(new InetSocketAddress(ip("203.0.113.9"), 0)))
                .isInstanceOf(SocketException.class);
        assertThat(channel.getLocalAddress()).isNull();
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void senderOfAllAddressesIsToldByTheOneItSendsFrom() throws IOException {
        DatagramChannel receiver = bound();
        DatagramChannel sender = datagrams().bind(null);
        for (int round = 0; round < 2; round++) {
            send(sender, "x", addressOf(receiver));
            assertThat(receive(receiver).source()).isEqualTo(new InetSocketAddress(host(), portOf(sender)));
            warm(sender, receiver);
        }
    }

    @Test
    void receiverOfAllAddressesAnswersFromTheOneThatTheSystemChooses() throws IOException {
        DatagramChannel server = datagrams().bind(null);
        DatagramChannel client = datagrams().bind(null);
        for (int round = 0; round < 2; round++) {
            send(client, "request", addressOf(server));
            Datagram request = receive(server);
            assertThat(request.source()).isEqualTo(addressOf(client));
            send(server, "response", request.source());
            assertThat(receive(client).source()).isEqualTo(addressOf(server));
            warm(client, server);
        }
    }

    /** Every loopback address is this host's, but unless it is bound to another, a sender is at the first of them. */
    @Test
    void otherLoopbackAddressesReachAReceiverOfAll() throws IOException {
        DatagramChannel receiver = datagrams().bind(null);
        DatagramChannel sender = datagrams().bind(null);
        for (int round = 0; round < 5; round++) {
            for (String address : new String[] {"127.0.0.1", "127.0.0.2", "127.1.2.3"}) {
                send(sender, address, new InetSocketAddress(ip(address), portOf(receiver)));
                Datagram datagram = receive(receiver);
                assertThat(datagram.text()).isEqualTo(address);
                assertThat(datagram.source()).isEqualTo(new InetSocketAddress(ip("127.0.0.1"), portOf(sender)));
            }
            pause(2);
        }
        DatagramChannel elsewhere = datagrams().bind(new InetSocketAddress(ip("127.0.0.7"), 0));
        for (int round = 0; round < 5; round++) {
            send(elsewhere, "x", new InetSocketAddress(ip("127.0.0.2"), portOf(receiver)));
            assertThat(receive(receiver).source()).isEqualTo(elsewhere.getLocalAddress());
            pause(2);
        }
    }

    @Test
    void onePortOfTwoAddressesIsTwoReceivers() throws IOException {
        DatagramChannel first = datagrams().bind(new InetSocketAddress(ip("127.0.0.1"), 0));
        DatagramChannel second = datagrams().bind(new InetSocketAddress(ip("127.0.0.2"), portOf(first)));
        DatagramChannel sender = datagrams();
        for (int round = 0; round < 10; round++) {
            for (DatagramChannel receiver : new DatagramChannel[] {first, second}) {
                InetAddress address = addressOf(receiver).getAddress();
                send(sender, "to " + address, addressOf(receiver));
                assertThat(receiveText(receiver)).isEqualTo("to " + address);
            }
            pause(2);
        }
        assertNothingArrives(first);
        assertNothingArrives(second);
    }

    @Test
    void allAddressesAsATargetMeanThisHost() throws IOException {
        DatagramChannel receiver = DatagramChannel.open(StandardProtocolFamily.INET);
        closing(receiver).bind(null);
        DatagramChannel sender = closing(DatagramChannel.open(StandardProtocolFamily.INET));
        for (int round = 0; round < 3; round++) {
            send(sender, "here", new InetSocketAddress(ip("0.0.0.0"), portOf(receiver)));
            assertThat(receive(receiver))
                    .isEqualTo(
                            new Datagram(new InetSocketAddress(ip("127.0.0.1"), portOf(sender)), Bytes.ascii("here")));
        }
    }

    private static void assertBoundToAll(DatagramChannel channel) throws IOException {
        InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
        assertThat(local.getAddress().isAnyLocalAddress()).isTrue();
        assertThat(local.getPort()).isPositive();
    }
}
