// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Task;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A change of the mode waits for the operations that are under way, which end in the mode in which they have begun. */
@Tag("stream")
class ModeChangeTest extends ContractSupport {
    /** How long a change that waits is seen to wait, in milliseconds. */
    private static final long WAITS = 100;

    private Task<SelectableChannel> change(SelectableChannel channel, boolean block) throws Exception {
        Task<SelectableChannel> change = start(() -> channel.configureBlocking(block));
        assertThat(change.finishesWithin(WAITS)).as("the change waits").isFalse();
        return change;
    }

    private interface Peer {
        void act() throws Exception;
    }

    private <T> T waitsFor(SelectableChannel channel, String inside, Callable<T> operation, Peer peer)
            throws Exception {
        Task<T> waiting = start(operation).awaitInside(inside);
        Task<SelectableChannel> change = change(channel, false);
        assertThat(waiting.isDone()).isFalse();
        peer.act();
        T result = waiting.result();
        assertThat(change.result().isBlocking()).isFalse();
        return result;
    }

    @Test
    void ofAReadThatWaits() throws Exception {
        Pair pair = pair();
        ByteBuffer dst = ByteBuffer.allocate(10);
        int n = waitsFor(
                pair.client(), "read", () -> pair.client().read(dst), () -> Bytes.write(pair.server(), new byte[3]));
        assertThat(n).isEqualTo(3);
        assertThat(pair.client().read(dst)).isZero();
    }

    @Test
    void ofAScatteringReadThatWaits() throws Exception {
        Pair pair = pair();
        ByteBuffer[] dsts = {ByteBuffer.allocate(2), ByteBuffer.allocate(2)};
        long n = waitsFor(
                pair.client(), "read", () -> pair.client().read(dsts), () -> Bytes.write(pair.server(), new byte[3]));
        assertThat(n).isEqualTo(3);
        assertThat(pair.client().read(dsts)).isZero();
    }

    @Test
    void ofAReadThatMeetsTheEnd() throws Exception {
        Pair pair = pair();
        int n = waitsFor(
                pair.client(), "read", () -> pair.client().read(ByteBuffer.allocate(1)), pair.server()::shutdownOutput);
        assertThat(n).isEqualTo(-1);
    }

    @Test
    void ofAWriteThatWaits() throws Exception {
        Pair pair = fullPair();
        byte[] more = new byte[1 << 20];
        Task<Integer> writer =
                start(() -> pair.client().write(ByteBuffer.wrap(more))).awaitInside("write");
        Task<SelectableChannel> change = change(pair.client(), false);
        Task<byte[]> reader = start(() -> Bytes.readToEnd(pair.server()));
        assertThat(writer.result()).isEqualTo(more.length);
        assertThat(change.result().isBlocking()).isFalse();
        pair.client().shutdownOutput();
        assertThat(reader.result()).hasSizeGreaterThan(more.length);
    }

    @Test
    void ofATimedReadOfTheAdaptor() throws Exception {
        Pair pair = pair();
        pair.client().socket().setSoTimeout(500);
        InputStream in = pair.client().socket().getInputStream();
        Task<Integer> reader = start(in::read).awaitInside("read");
        Task<SelectableChannel> change = change(pair.client(), false);
        assertThat(reader.failure()).isInstanceOf(SocketTimeoutException.class);
        assertThat(change.result().isBlocking()).isFalse();
    }

    /** Others can write meanwhile: what the reader waits for may be the answer. */
    @Test
    void doesNotKeepOthersFromWriting() throws Exception {
        Pair pair = pair();
        ByteBuffer dst = ByteBuffer.allocate(1);
        Task<Integer> reader = start(() -> pair.client().read(dst)).awaitInside("read");
        Task<SelectableChannel> change = change(pair.client(), false);
        Task<Void> writer = run(() -> Bytes.write(pair.client(), new byte[1]));
        Bytes.read(pair.server(), 1);
        writer.result();
        Bytes.write(pair.server(), new byte[1]);
        assertThat(reader.result()).isEqualTo(1);
        assertThat(change.result().isBlocking()).isFalse();
    }

    @Test
    void endsWithAClose() throws Exception {
        Pair pair = pair();
        Task<Integer> reader =
                start(() -> pair.client().read(ByteBuffer.allocate(1))).awaitInside("read");
        Task<SelectableChannel> change = change(pair.client(), false);
        pair.client().close();
        assertThat(reader.failure()).isInstanceOf(AsynchronousCloseException.class);
        assertThat(change.failure()).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void ofAnAccept() throws Exception {
        ServerSocketChannel listener = listener();
        SocketChannel accepted = waitsFor(listener, "accept", listener::accept, () -> {
            SocketChannel unused = closing(SocketChannel.open(destination(listener)));
        });
        assertThat(closing(accepted).isBlocking()).isTrue();
    }

    @Test
    void ofAConnect() throws Exception {
        WaitingConnect waiting = waitingConnect();
        Task<SelectableChannel> change = change(waiting.client(), false);
        waiting.client().close();
        assertThat(waiting.connect().failure()).isInstanceOf(AsynchronousCloseException.class);
        assertThat(change.failure()).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void ofADatagramThatIsAwaited() throws Exception {
        DatagramChannel receiver = closing(DatagramChannel.open()).bind(anyPort());
        DatagramChannel sender = closing(DatagramChannel.open()).bind(anyPort());
        ByteBuffer dst = ByteBuffer.allocate(10);
        Object from = waitsFor(
                receiver,
                "receive",
                () -> receiver.receive(dst),
                () -> sender.send(ByteBuffer.allocate(3), receiver.getLocalAddress()));
        assertThat(from).isEqualTo(sender.getLocalAddress());
        assertThat(receiver.receive(dst)).isNull();
    }

    @Test
    void ofAReadOfADatagram() throws Exception {
        DatagramChannel receiver = closing(DatagramChannel.open()).bind(anyPort());
        DatagramChannel sender = closing(DatagramChannel.open()).bind(anyPort());
        receiver.connect(sender.getLocalAddress());
        int n = waitsFor(
                receiver,
                "read",
                () -> receiver.read(ByteBuffer.allocate(10)),
                () -> sender.send(ByteBuffer.allocate(3), receiver.getLocalAddress()));
        assertThat(n).isEqualTo(3);
    }

    @Test
    void ofADatagramEndsWithAClose() throws Exception {
        DatagramChannel receiver = closing(DatagramChannel.open()).bind(anyPort());
        Task<Object> waiting =
                start(() -> (Object) receiver.receive(ByteBuffer.allocate(1))).awaitInside("receive");
        Task<SelectableChannel> change = change(receiver, false);
        receiver.close();
        assertThat(waiting.failure()).isInstanceOf(AsynchronousCloseException.class);
        assertThat(change.failure()).isInstanceOf(ClosedChannelException.class);
    }
}
