// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.DatagramSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Peers that use a {@link DatagramSocket} of the JDK's own, which no provider of channels has a part in. */
@Tag("datagram")
class DatagramPlainPeerTest extends DatagramSupport {
    @Test
    void exchange() throws IOException {
        DatagramChannel channel = bound();
        DatagramSocket plain = plain();
        for (int i = 0; i < 100; i++) {
            send(channel, "there " + i, addressOf(plain));
            DatagramPacket packet = receive(plain);
            assertThat(text(packet)).isEqualTo("there " + i);
            assertThat(packet.getSocketAddress()).isEqualTo(addressOf(channel));
            send(plain, "back " + i, addressOf(channel));
            assertThat(receive(channel)).isEqualTo(new Datagram(addressOf(plain), Bytes.ascii("back " + i)));
        }
    }

    @Test
    void lengthsAreKept() throws IOException {
        DatagramChannel channel = bound();
        DatagramSocket plain = plain();
        for (int length : new int[] {0, 1, 64, 1472, 9000, LARGEST}) {
            byte[] bytes = Bytes.random(length, length);
            send(channel, bytes, addressOf(plain));
            DatagramPacket packet = receive(plain);
            assertThat(ByteBuffer.wrap(packet.getData(), 0, packet.getLength())).isEqualTo(ByteBuffer.wrap(bytes));
            plain.send(new DatagramPacket(bytes, length, addressOf(channel)));
            assertThat(receive(channel)).isEqualTo(new Datagram(addressOf(plain), ByteBuffer.wrap(bytes)));
        }
    }

    @Test
    void connectedToEachOther() throws IOException {
        DatagramChannel channel = bound();
        DatagramSocket plain = plain();
        channel.connect(addressOf(plain));
        plain.connect(addressOf(channel));
        for (int i = 0; i < 50; i++) {
            channel.write(Bytes.ascii("there " + i));
            assertThat(text(receive(plain))).isEqualTo("there " + i);
            send(plain, "back " + i, addressOf(channel));
            assertThat(receiveText(channel)).isEqualTo("back " + i);
        }
    }

    /** A receiver that hears some by one way and some by another misses none of either. */
    @Test
    void bothKindsSendToOneReceiver() throws IOException {
        DatagramChannel receiver = bound();
        DatagramChannel sender = bound();
        DatagramSocket plain = plain();
        warm(sender, receiver);
        for (int round = 0; round < 30; round++) {
            Set<Datagram> expected = new HashSet<>();
            Set<Datagram> received = new HashSet<>();
            for (int i = 0; i < FEW / 2; i++) {
                String text = round + " " + i;
                send(sender, text, addressOf(receiver));
                expected.add(new Datagram(addressOf(sender), Bytes.ascii(text)));
                send(plain, text, addressOf(receiver));
                expected.add(new Datagram(addressOf(plain), Bytes.ascii(text)));
            }
            for (int i = 0; i < expected.size(); i++) {
                received.add(receive(receiver));
            }
            assertThat(received).isEqualTo(expected);
        }
        assertNothingArrives(receiver);
    }

    /** Neither kind keeps the other from being heard, even while it always has more. */
    @Test
    void busySenderDoesNotKeepTheOtherKindOut() throws Exception {
        DatagramChannel receiver = bound();
        DatagramChannel sender = bound();
        DatagramSocket plain = plain();
        warm(sender, receiver);
        InetSocketAddress target = addressOf(receiver);
        boolean[] heard = new boolean[1];
        Task<Void> busy = run(() -> {
            while (sender.isOpen()) {
                sender.send(ByteBuffer.allocate(8), target);
            }
        });
        // The kernel's room may be full of the busy one's, so a single datagram could be lost
        long deadline = System.nanoTime() + LIMIT_MILLIS * 1_000_000;
        for (int i = 0; !heard[0] && System.nanoTime() < deadline; i++) {
            if (i % 10 == 0) {
                send(plain, "heard", target);
            }
            heard[0] = receive(receiver).source().equals(addressOf(plain));
        }
        sender.close();
        assertThat(busy.finishesWithin(LIMIT_MILLIS)).isTrue();
        assertThat(heard[0]).isTrue();
    }

    @Test
    void bothKindsAreSelected() throws IOException {
        DatagramChannel receiver = bound();
        DatagramChannel sender = bound();
        DatagramSocket plain = plain();
        warm(sender, receiver);
        SelectionKey key = register(receiver, selector(), SelectionKey.OP_READ);
        for (int round = 0; round < 20; round++) {
            send(sender, "channel's", addressOf(receiver));
            awaitReady(key, SelectionKey.OP_READ);
            assertThat(receiveText(receiver)).isEqualTo("channel's");
            key.selector().selectedKeys().clear();
            assertThat(key.selector().selectNow()).isZero();
            send(plain, "socket's", addressOf(receiver));
            awaitReady(key, SelectionKey.OP_READ);
            assertThat(receiveText(receiver)).isEqualTo("socket's");
            key.selector().selectedKeys().clear();
            assertThat(key.selector().selectNow()).isZero();
        }
    }

    @Test
    void bothKindsWakeAReceiver() throws Exception {
        DatagramChannel receiver = bound();
        DatagramChannel sender = bound();
        DatagramSocket plain = plain();
        warm(sender, receiver);
        for (int round = 0; round < 5; round++) {
            Task<String> first = start(() -> receiveText(receiver)).awaitInside("receive");
            send(plain, "socket's", addressOf(receiver));
            assertThat(first.result()).isEqualTo("socket's");
            Task<String> second = start(() -> receiveText(receiver)).awaitInside("receive");
            send(sender, "channel's", addressOf(receiver));
            assertThat(second.result()).isEqualTo("channel's");
        }
    }

    private DatagramSocket plain() throws IOException {
        DatagramSocket socket = closing(new DatagramSocket(anyPort()));
        socket.setSoTimeout((int) LIMIT_MILLIS);
        return socket;
    }

    private static InetSocketAddress addressOf(DatagramSocket socket) {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    private static void send(DatagramSocket socket, String text, InetSocketAddress target) throws IOException {
        socket.send(packet(text, target));
    }

    private static DatagramPacket receive(DatagramSocket socket) throws IOException {
        return receivePacket(socket, 1 << 16);
    }
}
