// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.DatagramSupport;
import io.accel.nio.contract.Path;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Receivers that end, and others that begin at the same address: nothing that was sent to one reaches the other. */
@Tag("datagram")
class DatagramRestartTest extends DatagramSupport {
    private static final long WORD_MILLIS = 100;

    /** Closes, and over RDMA waits for word of it: until that has come, datagrams go to a receiver that is no more. */
    private static void end(DatagramChannel channel) throws IOException {
        channel.close();
        pause(Path.current() == Path.RDMA ? WORD_MILLIS : 0);
    }

    @Test
    void nextReceiverHearsTheSender() throws IOException {
        DatagramChannel sender = bound();
        DatagramChannel receiver = bound();
        InetSocketAddress address = addressOf(receiver);
        for (int life = 0; life < 10; life++) {
            warm(sender, receiver);
            send(sender, "not received " + life, address);
            if (Path.current().isKernels()) {
                letArrive(sender);
            }
            end(receiver);
            receiver = datagrams().bind(address);
            send(sender, "first of life " + life, address);
            assertThat(receive(receiver))
                    .isEqualTo(new Datagram(addressOf(sender), Bytes.ascii("first of life " + life)));
        }
    }

    @Test
    void everyDatagramToTheNextReceiverIsHeard() throws IOException {
        Ends ends = ends();
        InetSocketAddress address = addressOf(ends.right());
        end(ends.right());
        DatagramChannel next = datagrams().bind(address);
        for (int i = 0; i < 200; i++) {
            send(ends.left(), "datagram " + i, address);
            assertThat(receiveText(next)).isEqualTo("datagram " + i);
        }
    }

    @Test
    void datagramsToNobodyAreLost() throws IOException {
        Ends ends = ends();
        InetSocketAddress address = addressOf(ends.right());
        end(ends.right());
        for (int i = 0; i < 10; i++) {
            send(ends.left(), "lost " + i, address);
            pause(1);
        }
        letArrive(ends.left());
        DatagramChannel next = datagrams().bind(address);
        assertNothingArrives(next);
        send(ends.left(), "heard", address);
        assertThat(receiveText(next)).isEqualTo("heard");
    }

    @Test
    void nextSenderAtAnAddressIsHeard() throws IOException {
        DatagramChannel receiver = bound();
        DatagramChannel sender = bound();
        InetSocketAddress address = addressOf(sender);
        for (int life = 0; life < 10; life++) {
            warm(sender, receiver);
            end(sender);
            sender = datagrams().bind(address);
            send(sender, "life " + life, addressOf(receiver));
            assertThat(receive(receiver)).isEqualTo(new Datagram(address, Bytes.ascii("life " + life)));
            send(receiver, "back", address);
            assertThat(receiveText(sender)).isEqualTo("back");
        }
    }

    @Test
    void lifeThatIsWaitedForWithASelector() throws IOException {
        DatagramChannel sender = bound();
        DatagramChannel receiver = bound();
        InetSocketAddress address = addressOf(receiver);
        for (int life = 0; life < 5; life++) {
            warm(sender, receiver);
            SelectionKey key = register(receiver, selector(), SelectionKey.OP_READ);
            send(sender, "not received", address);
            awaitReady(key, SelectionKey.OP_READ);
            end(receiver);
            key.selector().close();
            receiver = datagrams().bind(address);
            SelectionKey next = register(receiver, selector(), SelectionKey.OP_READ);
            assertThat(next.selector().selectNow()).isZero();
            send(sender, "life " + life, address);
            awaitReady(next, SelectionKey.OP_READ);
            assertThat(receiveText(receiver)).isEqualTo("life " + life);
            next.cancel();
            next.selector().selectNow();
        }
    }

    /** A socket of the JDK's own takes the place of a channel, and a channel takes its place. */
    @Test
    void programWithoutAChannelTakesTheAddress() throws IOException {
        Ends ends = ends();
        InetSocketAddress address = addressOf(ends.right());
        end(ends.right());
        try (DatagramSocket socket = new DatagramSocket(address)) {
            socket.setSoTimeout((int) LIMIT_MILLIS);
            for (int i = 0; i < 50; i++) {
                send(ends.left(), "datagram " + i, address);
                DatagramPacket packet = receivePacket(socket, 100);
                assertThat(text(packet)).isEqualTo("datagram " + i);
                assertThat(packet.getSocketAddress()).isEqualTo(addressOf(ends.left()));
                socket.send(packet);
                assertThat(receive(ends.left()).source()).isEqualTo(address);
            }
        }
        DatagramChannel next = datagrams().bind(address);
        warm(ends.left(), next);
        send(ends.left(), "to the channel", address);
        assertThat(receiveText(next)).isEqualTo("to the channel");
    }

    /** Each finds its own way between the two: from many ports, and none is ever used again. */
    @Test
    void manySendersComeAndGo() throws IOException {
        DatagramChannel receiver = bound();
        for (int i = 0; i < 500; i++) {
            try (DatagramChannel sender = DatagramChannel.open()) {
                send(sender, "from " + i, addressOf(receiver));
                Datagram datagram = receive(receiver);
                assertThat(datagram).isEqualTo(new Datagram(addressOf(sender), Bytes.ascii("from " + i)));
                send(receiver, "back", datagram.source());
                assertThat(receiveText(sender)).isEqualTo("back");
            }
        }
    }
}
