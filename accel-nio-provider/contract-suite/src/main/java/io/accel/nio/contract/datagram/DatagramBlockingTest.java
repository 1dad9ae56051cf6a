// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.DatagramSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Threads that wait for datagrams, and others that use the same channel meanwhile. */
@Tag("datagram")
class DatagramBlockingTest extends DatagramSupport {
    @Test
    void receiveWaitsForTheFirstDatagramToAChannel() throws Exception {
        DatagramChannel receiver = bound();
        DatagramChannel sender = bound();
        Task<Datagram> task = start(() -> receive(receiver)).awaitInside("receive");
        send(sender, "first", addressOf(receiver));
        assertThat(task.result()).isEqualTo(new Datagram(addressOf(sender), Bytes.ascii("first")));
    }

    @Test
    void receiveWaits() throws Exception {
        Ends ends = ends();
        for (int round = 0; round < 5; round++) {
            Task<Datagram> task = start(() -> receive(ends.right())).awaitInside("receive");
            send(ends.left(), "here", addressOf(ends.right()));
            assertThat(task.result()).isEqualTo(new Datagram(addressOf(ends.left()), Bytes.ascii("here")));
        }
    }

    @Test
    void readWaits() throws Exception {
        Ends ends = connectedEnds();
        Task<String> task = start(() -> Bytes.readAscii(ends.right(), 4)).awaitInside("read");
        ends.left().write(Bytes.ascii("here"));
        assertThat(task.result()).isEqualTo("here");
        ByteBuffer[] buffers = {ByteBuffer.allocate(2), ByteBuffer.allocateDirect(5)};
        Task<Long> scattering = start(() -> ends.right().read(buffers)).awaitInside("read");
        ends.left().write(Bytes.ascii("here"));
        assertThat(scattering.result()).isEqualTo(4);
    }

    @Test
    void emptyDatagramEndsTheWait() throws Exception {
        Ends ends = ends();
        ByteBuffer buffer = ByteBuffer.allocate(10);
        Task<Object> task = start(() -> (Object) ends.right().receive(buffer)).awaitInside("receive");
        send(ends.left(), "", addressOf(ends.right()));
        assertThat(task.result()).isEqualTo(addressOf(ends.left()));
        assertThat(buffer.position()).isZero();
    }

    /** A receiver that waits on one path is woken by a datagram that comes on another. */
    @Test
    void waitEndsWhoeverSends() throws Exception {
        Ends ends = ends();
        DatagramChannel stranger = bound();
        for (DatagramChannel sender : List.of(stranger, ends.left(), ends.right(), stranger)) {
            Task<Datagram> task = start(() -> receive(ends.right())).awaitInside("receive");
            send(sender, "woken", addressOf(ends.right()));
            assertThat(task.result()).isEqualTo(new Datagram(addressOf(sender), Bytes.ascii("woken")));
        }
        Task<Datagram> task = start(() -> receive(ends.right())).awaitInside("receive");
        byte[] large = Bytes.random(1, LARGEST);
        send(ends.left(), large, addressOf(ends.right()));
        assertThat(task.result().bytes()).isEqualTo(ByteBuffer.wrap(large));
    }

    @Test
    void anotherThreadSendsMeanwhile() throws Exception {
        Ends ends = ends();
        Task<String> task = start(() -> receiveText(ends.right())).awaitInside("receive");
        for (int i = 0; i < 10; i++) {
            send(ends.right(), "out " + i, addressOf(ends.left()));
            assertThat(receiveText(ends.left())).isEqualTo("out " + i);
        }
        assertThat(task.isDone()).isFalse();
        send(ends.left(), "in", addressOf(ends.right()));
        assertThat(task.result()).isEqualTo("in");
    }

    @Test
    void severalReceiversShareTheDatagrams() throws Exception {
        Ends ends = ends();
        int count = 5;
        List<Task<String>> tasks = IntStream.range(0, count)
                .mapToObj(i -> start(() -> receiveText(ends.right())).awaitInside("receive"))
                .toList();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            send(ends.left(), "datagram " + i, addressOf(ends.right()));
            expected.add("datagram " + i);
        }
        List<String> received = new ArrayList<>();
        for (Task<String> task : tasks) {
            received.add(task.result());
        }
        assertThat(received).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void severalThreadsSendOnOneChannel() throws Exception {
        Ends ends = ends();
        int threads = 4;
        int each = FEW / threads;
        for (int round = 0; round < 20; round++) {
            List<Task<Void>> senders = IntStream.range(0, threads)
                    .mapToObj(thread -> run(() -> sendNumbered(ends.left(), thread, each, addressOf(ends.right()))))
                    .toList();
            int[] next = new int[threads];
            for (int i = 0; i < threads * each; i++) {
                String[] text = receiveText(ends.right()).split(" ", 2);
                assertThat(text[1]).isEqualTo("" + next[Integer.parseInt(text[0])]++);
            }
            for (Task<Void> sender : senders) {
                sender.result();
            }
        }
    }

    @Test
    void pingPongOfTwoThreads() throws Exception {
        Ends ends = ends();
        int rounds = 2000;
        Task<Void> echo = run(() -> {
            for (int i = 0; i < rounds; i++) {
                Datagram datagram = receive(ends.right());
                send(ends.right(), datagram.text(), datagram.source());
            }
        });
        for (int i = 0; i < rounds; i++) {
            send(ends.left(), "ping " + i, addressOf(ends.right()));
            assertThat(receiveText(ends.left())).isEqualTo("ping " + i);
        }
        echo.result();
    }

    @Test
    void connectWaitsForAReceive() throws Exception {
        Ends ends = ends();
        Task<String> receiver = start(() -> receiveText(ends.right())).awaitInside("receive");
        InetSocketAddress peer = addressOf(ends.left());
        Task<DatagramChannel> connect = start(() -> ends.right().connect(peer)).awaitInside("connect");
        assertThat(ends.right().isConnected()).isFalse();
        send(ends.left(), "last of all", addressOf(ends.right()));
        assertThat(receiver.result()).isEqualTo("last of all");
        connect.result();
        assertThat(ends.right().getRemoteAddress()).isEqualTo(peer);
    }

    @Test
    void disconnectWaitsForARead() throws Exception {
        Ends ends = connectedEnds();
        Task<String> reader = start(() -> Bytes.readAscii(ends.right(), 4)).awaitInside("read");
        Task<DatagramChannel> disconnect =
                start(() -> ends.right().disconnect()).awaitInside("disconnect");
        assertThat(ends.right().isConnected()).isTrue();
        ends.left().write(Bytes.ascii("last"));
        assertThat(reader.result()).isEqualTo("last");
        disconnect.result();
        assertThat(ends.right().isConnected()).isFalse();
    }

    private static void sendNumbered(DatagramChannel channel, int thread, int count, InetSocketAddress target)
            throws IOException {
        for (int i = 0; i < count; i++) {
            send(channel, thread + " " + i, target);
        }
    }
}
