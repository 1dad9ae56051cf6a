// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.DatagramSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The end of a channel: by a close, while others use it, or by an interrupt. */
@Tag("datagram")
class DatagramCloseTest extends DatagramSupport {
    @Test
    void blockedReceive() throws Exception {
        DatagramChannel neverUsed = bound();
        DatagramChannel warmed = ends().right();
        for (DatagramChannel channel : List.of(neverUsed, warmed)) {
            Task<Object> receiver = start(() -> (Object) channel.receive(ByteBuffer.allocate(1)))
                    .awaitInside("receive");
            channel.close();
            assertThat(receiver.failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
        }
    }

    @Test
    void blockedRead() throws Exception {
        DatagramChannel channel = connectedEnds().left();
        Task<Integer> reader = start(() -> channel.read(ByteBuffer.allocate(1))).awaitInside("read");
        channel.close();
        assertThat(reader.failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
    }

    @Test
    void blockedScatteringRead() throws Exception {
        DatagramChannel channel = connectedEnds().left();
        ByteBuffer[] buffers = {ByteBuffer.allocate(1), ByteBuffer.allocateDirect(1)};
        Task<Long> reader = start(() -> channel.read(buffers)).awaitInside("read");
        channel.close();
        assertThat(reader.failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
    }

    @Test
    void severalBlockedReceivers() throws Exception {
        DatagramChannel channel = ends().right();
        List<Task<Object>> receivers = IntStream.range(0, 3)
                .mapToObj(i -> start(() -> (Object) channel.receive(ByteBuffer.allocate(1)))
                        .awaitInside("receive"))
                .toList();
        channel.close();
        for (Task<Object> receiver : receivers) {
            // Those that wait for their turn find the channel closed
            assertThat(receiver.failure()).isInstanceOf(ClosedChannelException.class);
        }
    }

    @Test
    void sendersOfAClosedChannelEnd() throws Exception {
        Ends ends = ends();
        InetSocketAddress target = addressOf(ends.right());
        AtomicInteger sent = new AtomicInteger();
        Task<Void> sender = run(() -> {
            ByteBuffer buffer = ByteBuffer.allocateDirect(100);
            while (true) {
                ends.left().send(buffer.clear(), target);
                sent.incrementAndGet();
            }
        });
        await().until(() -> sent.get() > 1_000 || sender.isDone());
        ends.left().close();
        assertThat(sender.failure()).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void connectThatWaitsFindsTheChannelClosed() throws Exception {
        DatagramChannel channel = bound();
        InetSocketAddress peer = addressOf(bound());
        Task<Object> receiver =
                start(() -> (Object) channel.receive(ByteBuffer.allocate(1))).awaitInside("receive");
        Task<DatagramChannel> connect = start(() -> channel.connect(peer)).awaitInside("connect");
        channel.close();
        assertThat(receiver.failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
        assertThat(connect.failure()).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void interruptedReceiver() throws Exception {
        DatagramChannel channel = ends().right();
        Task<Boolean> receiver = start(() -> {
            assertThatThrownBy(() -> channel.receive(ByteBuffer.allocate(1)))
                    .isExactlyInstanceOf(ClosedByInterruptException.class);
            return Thread.currentThread().isInterrupted();
        });
        receiver.awaitInside("receive").interrupt();
        assertThat(receiver.result()).as("interrupted status").isTrue();
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void interruptedReader() throws Exception {
        DatagramChannel channel = connectedEnds().right();
        Task<Boolean> reader = start(() -> {
            assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1)))
                    .isExactlyInstanceOf(ClosedByInterruptException.class);
            return Thread.currentThread().isInterrupted();
        });
        reader.awaitInside("read").interrupt();
        assertThat(reader.result()).as("interrupted status").isTrue();
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void threadThatWasInterruptedBefore() throws Exception {
        for (int operation = 0; operation < 5; operation++) {
            Ends ends = connectedEnds();
            ends.right().write(Bytes.ascii("waits to be received"));
            pause(5);
            Task.Action call = operations(ends.left()).get(operation);
            Task<Boolean> task = start(() -> {
                Thread.currentThread().interrupt();
                assertThatThrownBy(call::run).isExactlyInstanceOf(ClosedByInterruptException.class);
                return Thread.currentThread().isInterrupted();
            });
            assertThat(task.result()).as("interrupted status").isTrue();
            assertThat(ends.left().isOpen()).isFalse();
        }
    }

    /** Neither is there anything to wait for, nor may they do what they try. */
    @Test
    void threadThatWasInterruptedBeforeAndIsRefused() throws Exception {
        for (int operation = 0; operation < 7; operation++) {
            Ends ends = connectedEnds();
            DatagramChannel alone = bound();
            InetSocketAddress another = addressOf(alone);
            ByteBuffer[] empty = {ByteBuffer.allocate(0)};
            List<Task.Action> calls = List.of(
                    () -> ends.left().read(empty[0]),
                    () -> ends.left().read(empty),
                    () -> ends.left().write(empty[0]),
                    () -> ends.left().write(empty),
                    () -> ends.left().send(ByteBuffer.allocate(1), another),
                    () -> alone.read(ByteBuffer.allocate(1)),
                    () -> alone.write(ByteBuffer.allocate(1)));
            Task.Action call = calls.get(operation);
            Task<Boolean> task = start(() -> {
                Thread.currentThread().interrupt();
                assertThatThrownBy(call::run).isExactlyInstanceOf(ClosedByInterruptException.class);
                return Thread.currentThread().isInterrupted();
            });
            assertThat(task.result()).as("interrupted status, %s", operation).isTrue();
            assertThat(operation < 5 ? ends.left().isOpen() : alone.isOpen())
                    .as("open, %s", operation)
                    .isFalse();
        }
    }

    @Test
    void interruptDoesNotMatterToAChannelThatDoesNotBlock() throws Exception {
        Ends ends = connectedEnds().nonBlocking();
        Task<Boolean> task = start(() -> {
            Thread.currentThread().interrupt();
            for (Task.Action call : operations(ends.left())) {
                call.run();
            }
            return Thread.currentThread().isInterrupted();
        });
        assertThat(task.result()).as("interrupted status").isTrue();
        assertThat(ends.left().isOpen()).isTrue();
    }

    @Test
    void interruptDoesNotMatterToBindConnectAndDisconnect() throws Exception {
        DatagramChannel peer = bound();
        DatagramChannel channel = datagrams();
        Task<Boolean> task = start(() -> {
            Thread.currentThread().interrupt();
            channel.bind(anyPort()).connect(addressOf(peer)).disconnect().connect(addressOf(peer));
            return Thread.currentThread().isInterrupted();
        });
        assertThat(task.result()).as("interrupted status").isTrue();
        assertThat(channel.isConnected()).isTrue();
        channel.write(Bytes.ascii("works"));
        assertThat(receiveText(peer)).isEqualTo("works");
    }

    /** Some versions of the JDK throw a subclass from those that block: they see the close as one during the call. */
    @Test
    void operationsOfAClosedChannel() throws IOException {
        for (boolean connected : new boolean[] {true, false}) {
            for (boolean blocking : new boolean[] {true, false}) {
                Ends ends = connected ? connectedEnds() : ends();
                DatagramChannel channel = ends.left();
                channel.configureBlocking(blocking);
                InetSocketAddress address = addressOf(ends.right());
                channel.close();
                channel.close();
                assertThat(channel.isOpen()).isFalse();
                assertThat(channel.isConnected()).isFalse();
                for (Task.Action call : operations(channel)) {
                    assertThatThrownBy(call::run).isInstanceOf(ClosedChannelException.class);
                    if (!blocking) {
                        assertThatThrownBy(call::run).isExactlyInstanceOf(ClosedChannelException.class);
                    }
                }
                if (!blocking) {
                    assertThatThrownBy(() -> channel.send(ByteBuffer.allocate(1), address))
                            .isExactlyInstanceOf(ClosedChannelException.class);
                }
                List<Task.Action> others = List.of(
                        () -> channel.send(ByteBuffer.allocate(1), address),
                        () -> channel.connect(address),
                        () -> channel.bind(anyPort()),
                        channel::getLocalAddress,
                        channel::getRemoteAddress,
                        () -> channel.configureBlocking(false),
                        () -> channel.register(selector(), SelectionKey.OP_READ),
                        () -> channel.join(ip("239.1.1.1"), loopback()),
                        () -> channel.join(ip("239.1.1.1"), loopback(), ip("127.0.0.1")),
                        () -> channel.getOption(StandardSocketOptions.SO_RCVBUF),
                        () -> channel.setOption(StandardSocketOptions.SO_RCVBUF, 1000));
                for (Task.Action call : others) {
                    assertThatThrownBy(call::run).isInstanceOf(ClosedChannelException.class);
                }
                assertThat(channel.disconnect()).isSameAs(channel);
                assertThat(channel.supportedOptions()).contains(StandardSocketOptions.SO_RCVBUF);
            }
        }
    }

    @Test
    void closedChannelsPortIsFree() throws IOException {
        for (int round = 0; round < 10; round++) {
            Ends ends = ends();
            InetSocketAddress address = addressOf(ends.right());
            ends.right().close();
            datagrams().bind(address).close();
        }
    }

    @Test
    void closedChannelsPortIsFreeAtOnceWhereSomeoneHasWaited() throws Exception {
        assertPortIsFreeAfterClose(this::start);
    }

    @Test
    void whatWasSentBeforeTheCloseIsReceived() throws IOException {
        Ends ends = ends();
        InetSocketAddress source = addressOf(ends.left());
        for (int i = 0; i < 10; i++) {
            send(ends.left(), "kept " + i, addressOf(ends.right()));
        }
        ends.left().close();
        for (int i = 0; i < 10; i++) {
            assertThat(receive(ends.right())).isEqualTo(new Datagram(source, Bytes.ascii("kept " + i)));
        }
        assertNothingArrives(ends.right());
    }

    /** Those that can block; the peer of a channel that is not connected is no matter to them. */
    private static List<Task.Action> operations(DatagramChannel channel) {
        ByteBuffer[] buffers = {ByteBuffer.allocate(1)};
        return List.of(
                () -> channel.receive(ByteBuffer.allocate(1)),
                () -> channel.read(ByteBuffer.allocate(1)),
                () -> channel.write(ByteBuffer.allocate(1)),
                () -> channel.read(buffers),
                () -> channel.write(buffers));
    }
}
