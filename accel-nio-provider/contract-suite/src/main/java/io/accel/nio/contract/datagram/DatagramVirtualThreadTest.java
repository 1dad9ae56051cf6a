// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.DatagramSupport;
import io.accel.nio.contract.Task;
import java.net.DatagramPacket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Virtual threads that send datagrams and wait for them. */
@Tag("datagram")
class DatagramVirtualThreadTest extends DatagramSupport {
    @BeforeEach
    void virtualThreadsExist() {
        assumeTrue(Task.virtualThreads(), "this JDK has no virtual threads");
    }

    @Test
    void pingPong() throws Exception {
        Ends ends = ends();
        int rounds = 500;
        Task<Void> echo = startVirtual(Task.Action.call(() -> {
            for (int i = 0; i < rounds; i++) {
                Datagram datagram = receive(ends.right());
                send(ends.right(), datagram.text(), datagram.source());
            }
        }));
        Task<Void> client = startVirtual(Task.Action.call(() -> {
            for (int i = 0; i < rounds; i++) {
                send(ends.left(), "ping " + i, addressOf(ends.right()));
                assertThat(receiveText(ends.left())).isEqualTo("ping " + i);
            }
        }));
        client.result();
        echo.result();
    }

    /** Far more waiting receivers than carrier threads: they may not all hold one. */
    @Test
    void waitingReceiversDoNotStarveTheRest() throws Exception {
        int waiting = 64;
        List<DatagramChannel> channels = new ArrayList<>();
        List<Task<Datagram>> receivers = new ArrayList<>();
        for (int i = 0; i < waiting; i++) {
            DatagramChannel channel = bound();
            channels.add(channel);
            receivers.add(startVirtual(() -> receive(channel)));
        }
        for (Task<Datagram> receiver : receivers) {
            receiver.awaitInside("receive");
        }
        Task<String> other = startVirtual(() -> "still scheduled");
        assertThat(other.result()).isEqualTo("still scheduled");
        DatagramChannel sender = bound();
        for (int i = waiting - 1; i >= 0; i--) {
            send(sender, "to " + i, addressOf(channels.get(i)));
            assertThat(receivers.get(i).result()).isEqualTo(new Datagram(addressOf(sender), Bytes.ascii("to " + i)));
        }
    }

    @Test
    void interruptClosesTheChannel() throws Exception {
        DatagramChannel channel = ends().right();
        Task<Boolean> receiver = startVirtual(() -> {
            assertThatThrownBy(() -> channel.receive(ByteBuffer.allocate(1)))
                    .isExactlyInstanceOf(ClosedByInterruptException.class);
            return Thread.currentThread().isInterrupted();
        });
        receiver.awaitInside("receive").interrupt();
        assertThat(receiver.result()).as("interrupted status").isTrue();
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void closeEndsReceiveAndRead() throws Exception {
        DatagramChannel unconnected = ends().right();
        DatagramChannel connected = connectedEnds().right();
        Task<Object> receiver = startVirtual(() -> (Object) unconnected.receive(ByteBuffer.allocate(1)))
                .awaitInside("receive");
        Task<Integer> reader =
                startVirtual(() -> connected.read(ByteBuffer.allocate(1))).awaitInside("read");
        unconnected.close();
        connected.close();
        assertThat(receiver.failure()).isInstanceOf(AsynchronousCloseException.class);
        assertThat(reader.failure()).isInstanceOf(AsynchronousCloseException.class);
    }

    @Test
    void closedChannelsPortIsFreeAtOnce() throws Exception {
        assertPortIsFreeAfterClose(this::startVirtual);
    }

    @Test
    void platformAndVirtualThreadsShareAChannel() throws Exception {
        Ends ends = ends();
        for (int round = 0; round < 3; round++) {
            Task<String> virtual = startVirtual(() -> receiveText(ends.right())).awaitInside("receive");
            send(ends.left(), "to a virtual thread", addressOf(ends.right()));
            assertThat(virtual.result()).isEqualTo("to a virtual thread");
            Task<String> platform = start(() -> receiveText(ends.right())).awaitInside("receive");
            send(ends.left(), "to a platform thread", addressOf(ends.right()));
            assertThat(platform.result()).isEqualTo("to a platform thread");
        }
        ends.nonBlocking();
        assertThat(ends.right().receive(ByteBuffer.allocate(1))).isNull();
    }

    @Test
    void socketsTimeout() throws Exception {
        Ends ends = ends();
        Task<Integer> receiver = startVirtual(() -> {
            DatagramPacket packet = new DatagramPacket(new byte[10], 10);
            ends.right().socket().setSoTimeout(20);
            assertThatThrownBy(() -> ends.right().socket().receive(packet)).isInstanceOf(SocketTimeoutException.class);
            ends.right().socket().setSoTimeout(0);
            send(ends.right(), "timed out", addressOf(ends.left()));
            ends.right().socket().receive(packet);
            return packet.getLength();
        });
        assertThat(receiveText(ends.left())).isEqualTo("timed out");
        send(ends.left(), "four", addressOf(ends.right()));
        assertThat(receiver.result()).isEqualTo(4);
    }
}
