// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.DatagramSupport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Datagrams of channels that are not connected: what is sent is received, whole, once and in order. */
@Tag("datagram")
class DatagramSendReceiveTest extends DatagramSupport {
    @Test
    void firstDatagramToAReceiverArrives() throws IOException {
        DatagramChannel sender = bound();
        DatagramChannel receiver = bound();
        send(sender, "first", addressOf(receiver));
        Datagram first = receive(receiver);
        assertThat(first.text()).isEqualTo("first");
        assertThat(first.source()).isEqualTo(addressOf(sender));
    }

    @Test
    void datagramsGoBothWays() throws IOException {
        Ends ends = ends();
        for (int i = 0; i < 50; i++) {
            send(ends.left(), "there " + i, addressOf(ends.right()));
            Datagram there = receive(ends.right());
            assertThat(there).isEqualTo(new Datagram(addressOf(ends.left()), Bytes.ascii("there " + i)));
            send(ends.right(), "back " + i, there.source());
            Datagram back = receive(ends.left());
            assertThat(back).isEqualTo(new Datagram(addressOf(ends.right()), Bytes.ascii("back " + i)));
        }
    }

    @Test
    void channelSendsToItself() throws IOException {
        DatagramChannel channel = bound();
        for (int i = 0; i < 20; i++) {
            send(channel, "self " + i, addressOf(channel));
            Datagram own = receive(channel);
            assertThat(own.text()).isEqualTo("self " + i);
            assertThat(own.source()).isEqualTo(addressOf(channel));
            pause(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            ints = {0, 1, 2, 63, 64, 65, 508, 1024, 1472, 1473, 2048, 4095, 4096, 4097, 9000, 32_768, 65_506, LARGEST})
    void lengthsAreKept(int length) throws IOException {
        Ends ends = ends();
        byte[] bytes = Bytes.random(length, length);
        for (int i = 0; i < 2; i++) {
            send(ends.left(), bytes, addressOf(ends.right()));
            Datagram datagram = receive(ends.right());
            assertThat(datagram.bytes()).isEqualTo(ByteBuffer.wrap(bytes));
            assertThat(datagram.source()).isEqualTo(addressOf(ends.left()));
        }
    }

    @Test
    void oneByteTooManyIsRefused() throws IOException {
        Ends ends = ends();
        for (int length : new int[] {LARGEST + 1, 100_000, 1 << 20}) {
            for (boolean direct : new boolean[] {true, false}) {
                ByteBuffer buffer = direct ? ByteBuffer.allocateDirect(length) : ByteBuffer.allocate(length);
                assertThatThrownBy(() -> ends.left().send(buffer, addressOf(ends.right())))
                        .isInstanceOf(SocketException.class);
                assertThat(buffer.position()).isZero();
            }
        }
        assertThat(ends.left().isOpen()).isTrue();
        assertNothingArrives(ends.right());
        send(ends.left(), "still works", addressOf(ends.right()));
        assertThat(receiveText(ends.right())).isEqualTo("still works");
    }

    @Test
    void orderIsKeptFromTheFirstDatagramOn() throws IOException {
        DatagramChannel sender = bound();
        DatagramChannel receiver = bound();
        InetSocketAddress target = addressOf(receiver);
        int next = 0;
        for (int burst = 0; burst < 60; burst++) {
            for (int i = 0; i < FEW; i++) {
                send(sender, "" + (burst * FEW + i), target);
            }
            for (int i = 0; i < FEW; i++) {
                assertThat(receiveText(receiver)).isEqualTo("" + next++);
            }
        }
        assertNothingArrives(receiver);
    }

    @Test
    void lengthsMayChangeFromOneToTheNext() throws IOException {
        Ends ends = ends();
        int[] lengths = {0, 60_000, 1, 0, 3000, LARGEST, 2, 1500, 0};
        for (int round = 0; round < 5; round++) {
            for (int length : lengths) {
                send(ends.left(), Bytes.random(length, length), addressOf(ends.right()));
                Datagram datagram = receive(ends.right());
                assertThat(datagram.bytes()).isEqualTo(ByteBuffer.wrap(Bytes.random(length, length)));
            }
        }
    }

    @Test
    void manySendersToOneReceiver() throws IOException {
        DatagramChannel receiver = bound();
        int senders = 12;
        Set<Datagram> expected = new HashSet<>();
        DatagramChannel[] channels = new DatagramChannel[senders];
        for (int i = 0; i < senders; i++) {
            channels[i] = bound();
            warm(channels[i], receiver);
        }
        for (int round = 0; round < 10; round++) {
            Set<Datagram> received = new HashSet<>();
            expected.clear();
            for (int i = 0; i < senders; i++) {
                send(channels[i], round + " of " + i, addressOf(receiver));
                expected.add(new Datagram(addressOf(channels[i]), Bytes.ascii(round + " of " + i)));
            }
            for (int i = 0; i < senders; i++) {
                received.add(receive(receiver));
            }
            assertThat(received).isEqualTo(expected);
        }
    }

    @Test
    void oneSenderToManyReceivers() throws IOException {
        DatagramChannel sender = bound();
        DatagramChannel[] receivers = new DatagramChannel[12];
        for (int i = 0; i < receivers.length; i++) {
            receivers[i] = bound();
            warm(sender, receivers[i]);
        }
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < receivers.length; i++) {
                send(sender, round + " to " + i, addressOf(receivers[i]));
            }
            for (int i = 0; i < receivers.length; i++) {
                Datagram datagram = receive(receivers[i]);
                assertThat(datagram.text()).isEqualTo(round + " to " + i);
                assertThat(datagram.source()).isEqualTo(addressOf(sender));
            }
        }
    }

    @Test
    void sendToNobodyIsNoError() throws IOException {
        DatagramChannel sender = bound();
        DatagramChannel gone = bound();
        InetSocketAddress nobody = addressOf(gone);
        gone.close();
        for (int i = 0; i < 5; i++) {
            send(sender, "lost", nobody);
        }
        assertNothingArrives(sender);
        DatagramChannel receiver = bound();
        send(sender, "found", addressOf(receiver));
        assertThat(receiveText(receiver)).isEqualTo("found");
    }

    @Test
    void badTargetsAreRefused() throws IOException {
        DatagramChannel channel = datagrams();
        ByteBuffer buffer = Bytes.ascii("x");
        assertThatThrownBy(() -> channel.send(buffer, InetSocketAddress.createUnresolved("accel.invalid", 1)))
                .isInstanceOf(UnresolvedAddressException.class);
        assertThatThrownBy(() -> channel.send(buffer, new UnknownAddress()))
                .isInstanceOf(UnsupportedAddressTypeException.class);
        assertThatThrownBy(() -> channel.send(buffer, new InetSocketAddress(host(), 0)))
                .isInstanceOf(SocketException.class);
        assertThatThrownBy(() -> channel.send(buffer, null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> channel.send(null, anyPort())).isInstanceOf(NullPointerException.class);
        assertThat(buffer.position()).isZero();
        assertThat(channel.isOpen()).isTrue();
    }

    private static final class UnknownAddress extends SocketAddress {
        private static final long serialVersionUID = 1;
    }
}
