// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Task;
import io.accel.nio.contract.WithinLimit;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A channel that another thread closes releases the threads that wait in it. */
@Tag("stream")
class AsynchronousCloseTest extends ContractSupport {
    private static final int PIECE = 300;

    @Test
    void blockedRead() throws Exception {
        Pair pair = pair();
        Task<Integer> reader =
                start(() -> pair.client().read(ByteBuffer.allocate(1))).awaitInside("read");
        pair.client().close();
        assertThat(reader.failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
        assertThat(pair.server().read(ByteBuffer.allocate(1)))
                .as("the peer sees the end")
                .isEqualTo(-1);
    }

    @Test
    void blockedScatteringRead() throws Exception {
        Pair pair = pair();
        ByteBuffer[] buffers = {ByteBuffer.allocate(1), ByteBuffer.allocateDirect(1)};
        Task<Long> reader = start(() -> pair.server().read(buffers)).awaitInside("read");
        pair.server().close();
        assertThat(reader.failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
    }

    @Test
    void blockedWrite() throws Exception {
        assertClosedWhileWriting(() -> {
            Pair pair = fullPair();
            Task<Void> writer = waitingWriter(() -> Bytes.write(pair.client(), new byte[1]));
            pair.client().close();
            return writer;
        });
    }

    @Test
    void blockedGatheringWrite() throws Exception {
        assertClosedWhileWriting(() -> {
            Pair pair = fullPair();
            ByteBuffer[] buffers = {ByteBuffer.allocate(0), ByteBuffer.allocateDirect(1)};
            Task<Void> writer = waitingWriter(() -> {
                pair.client().write(buffers);
                buffers[1].clear();
            });
            pair.client().close();
            return writer;
        });
    }

    /** A write reports the bytes that it has taken, however it ends: the next write fails. */
    @Test
    void blockedWriteThatTookSome() throws Exception {
        Pair pair = pair();
        ByteBuffer much = ByteBuffer.allocateDirect(64 << 20);
        Task<Integer> writer = startedWriting(() -> pair.client().write(much), pair.server());
        pair.client().close();
        assertThat(writer.result()).isEqualTo(much.position()).isBetween(1, much.capacity() - 1);
        assertThatThrownBy(() -> pair.client().write(much)).isExactlyInstanceOf(ClosedChannelException.class);
    }

    @Test
    void blockedGatheringWriteThatTookSome() throws Exception {
        Pair pair = pair();
        ByteBuffer[] much = {ByteBuffer.allocate(1), ByteBuffer.allocateDirect(64 << 20)};
        Task<Long> writer = startedWriting(() -> pair.client().write(much), pair.server());
        pair.client().close();
        assertThat(writer.result()).isEqualTo(1L + much[1].position());
    }

    @Test
    void blockedWriteThatTookSomeMeetsAReset() throws Exception {
        Pair pair = pair();
        ByteBuffer much = ByteBuffer.allocateDirect(64 << 20);
        Task<Integer> writer = startedWriting(() -> pair.client().write(much), pair.server());
        pair.server().close();
        assertThat(writer.result()).isEqualTo(much.position()).isBetween(1, much.capacity() - 1);
        assertThatThrownBy(() -> pair.client().write(much))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("Connection reset by peer");
        assertThatThrownBy(() -> pair.client().write(much)).hasMessage("Broken pipe");
    }

    @Test
    void blockedReaderAndWriterOfOneChannel() throws Exception {
        assertClosedWhileWriting(() -> {
            Pair pair = fullPair();
            Task<Integer> reader =
                    start(() -> pair.client().read(ByteBuffer.allocate(1))).awaitInside("read");
            Task<Void> writer = waitingWriter(() -> Bytes.write(pair.client(), new byte[1]));
            pair.client().close();
            assertThat(reader.failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
            return writer;
        });
    }

    @Test
    void severalBlockedReaders() throws Exception {
        Pair pair = pair();
        List<Task<Integer>> readers = IntStream.range(0, 3)
                .mapToObj(i ->
                        start(() -> pair.client().read(ByteBuffer.allocate(1))).awaitInside("read"))
                .toList();
        pair.client().close();
        for (Task<Integer> reader : readers) {
            // Threads that wait for their turn find the channel closed
            assertThat(reader.failure()).isInstanceOf(ClosedChannelException.class);
        }
    }

    @Test
    void blockedAccept() throws Exception {
        ServerSocketChannel listener = listener();
        Task<SocketChannel> acceptor = start(listener::accept).awaitInside("accept");
        listener.close();
        assertThat(acceptor.failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
    }

    @Test
    void severalBlockedAcceptors() throws Exception {
        ServerSocketChannel listener = listener();
        List<Task<SocketChannel>> acceptors = IntStream.range(0, 3)
                .mapToObj(i -> start(listener::accept).awaitInside("accept"))
                .toList();
        listener.close();
        for (Task<SocketChannel> acceptor : acceptors) {
            assertThat(acceptor.failure()).isInstanceOf(ClosedChannelException.class);
        }
    }

    @Test
    void blockedConnect() throws Exception {
        WaitingConnect waiting = waitingConnect();
        waiting.client().close();
        assertThat(waiting.connect().failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
    }

    @Test
    void readerThatIsServedBeforeTheCloseGetsItsBytes() throws Exception {
        for (int round = 0; round < 100; round++) {
            Pair pair = pair();
            Task<Integer> reader = start(() -> pair.client().read(ByteBuffer.allocate(8)));
            Bytes.write(pair.server(), Bytes.ascii("8 bytes!"));
            assertThat(reader.result()).isBetween(1, 8);
            pair.client().close();
            pair.server().close();
        }
    }

    @Test
    void closeWhileBothEndsAreBusyEndsInExceptionsOnly() throws Exception {
        for (int round = 0; round < 20; round++) {
            Pair pair = pair();
            List<Task<Void>> busy = List.of(
                    run(() -> Bytes.writeForever(pair.client())),
                    run(() -> readForever(pair.client())),
                    run(() -> Bytes.writeForever(pair.server())),
                    run(() -> readForever(pair.server())));
            Bytes.write(pair.client(), new byte[1000]);
            pair.client().close();
            for (Task<Void> task : busy) {
                assertThat(task.failure()).isInstanceOf(IOException.class);
            }
            pair.server().close();
        }
    }

    /** Another thread closes in the middle of writes: none of them reports bytes that the peer does not get, or takes some and fails. */
    @Test
    @WithinLimit.Seconds(60)
    void whatWritesTookBeforeACloseArrives() throws Exception {
        for (int round = 0; round < times(400); round++) {
            Pair pair = pair();
            AtomicInteger taken = new AtomicInteger();
            boolean gathers = round % 2 == 0;
            Task<Void> writer = run(() -> writePieces(pair.client(), gathers, taken));
            Task<byte[]> reader = start(() -> Bytes.readToEnd(pair.server()));
            while (taken.get() < round * PIECE) {
                Thread.onSpinWait();
            }
            pair.client().close();
            assertThat(writer.failure()).isInstanceOf(ClosedChannelException.class);
            assertThat(reader.result().length).as("round %s", round).isGreaterThanOrEqualTo(taken.get());
            pair.server().close();
        }
    }

    private static void writePieces(SocketChannel channel, boolean gathers, AtomicInteger taken) throws IOException {
        ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);
        ByteBuffer[] pieces = {piece.slice(0, PIECE / 2), piece.slice(PIECE / 2, PIECE / 2)};
        while (true) {
            piece.clear();
            pieces[0].clear();
            pieces[1].clear();
            long n = 0;
            try {
                n = gathers ? channel.write(pieces) : channel.write(piece);
            } finally {
                assertThat(gathers ? pieces[0].position() + pieces[1].position() : piece.position())
                        .as("bytes that left the buffers")
                        .isEqualTo((int) n);
            }
            taken.addAndGet((int) n);
        }
    }

    private static void readForever(SocketChannel channel) throws IOException {
        while (channel.read(ByteBuffer.allocate(5000)) >= 0) {}
        throw new EOFException();
    }

    /**
     * A kernel that has been full for a while may still take a byte, so the close may also fall between two writes.
     * Then the next write finds the channel closed, which says nothing about a blocked write: so the test tries again.
     */
    private static void assertClosedWhileWriting(Callable<Task<Void>> closedWriter) throws Exception {
        for (int attempt = 0; attempt < 10; attempt++) {
            Throwable failure = closedWriter.call().failure();
            assertThat(failure).isInstanceOf(ClosedChannelException.class);
            if (failure instanceof AsynchronousCloseException) {
                assertThat(failure).isExactlyInstanceOf(AsynchronousCloseException.class);
                return;
            }
        }
        fail("no blocked write ended in AsynchronousCloseException");
    }
}
