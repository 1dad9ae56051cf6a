// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.nio2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.ReadPendingException;
import java.nio.channels.WritePendingException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Asynchronous reads and writes: the bytes that they move, the cases in which they are refused, and their end with the stream or
 * the channel.
 */
@Tag("nio2")
class Nio2TransferTest extends Nio2Support {
    @Test
    void readsThatWaitAndReadsThatNeedNot() throws Exception {
        AsyncPair pair = asyncPair();
        ByteBuffer buffer = ByteBuffer.allocate(8);
        Future<Integer> waiting = pair.server().read(buffer);
        assertThat(waiting.isDone()).isFalse();
        send(pair.client(), new byte[] {1, 2});
        assertThat(value(waiting)).isEqualTo(2);
        assertThat(buffer.flip()).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2}));
        send(pair.client(), new byte[] {3});
        eventually().until(() -> value(pair.server().read(ByteBuffer.allocateDirect(8))) == 1);
        assertWorks(pair);
    }

    @Test
    void handlersGetCountsAndAttachments() throws Exception {
        AsyncPair pair = asyncPair();
        Outcome<Integer> read = new Outcome<>();
        pair.server().read(ByteBuffer.allocate(8), "read", read);
        Outcome<Integer> written = new Outcome<>();
        pair.client().write(Bytes.ascii("hello"), "write", written);
        assertThat(written.get()).isEqualTo(5);
        assertThat(written.attachment()).isEqualTo("write");
        assertThat(read.get()).isEqualTo(5);
        assertThat(read.attachment()).isEqualTo("read");
    }

    @Test
    void scatteringAndGathering() throws Exception {
        AsyncPair pair = asyncPair();
        ByteBuffer[] out = {Bytes.ascii("unused"), Bytes.ascii("ab"), Bytes.ascii(""), Bytes.ascii("cdef")};
        Outcome<Long> written = new Outcome<>();
        pair.client().write(out, 1, 3, 0, TimeUnit.SECONDS, null, written);
        assertThat(written.get()).isEqualTo(6L);
        ByteBuffer[] in = {ByteBuffer.allocate(3), ByteBuffer.allocate(0), ByteBuffer.allocateDirect(9)};
        long read = 0;
        while (read < 6) {
            Outcome<Long> some = new Outcome<>();
            pair.server().read(in, 0, 3, LIMIT_MILLIS, TimeUnit.MILLISECONDS, null, some);
            read += some.get();
        }
        assertThat(in[0].flip()).isEqualTo(Bytes.ascii("abc"));
        assertThat(in[2].flip()).isEqualTo(Bytes.ascii("def"));
        assertThat(out[0].position()).isZero();
    }

    @Test
    void scatteringReadThatWaits() throws Exception {
        AsyncPair pair = asyncPair();
        ByteBuffer[] in = {ByteBuffer.allocate(2), ByteBuffer.allocate(2)};
        Outcome<Long> read = new Outcome<>();
        pair.server().read(in, 0, 2, 0, TimeUnit.SECONDS, "s", read);
        assertThat(read.isTold()).isFalse();
        send(pair.client(), new byte[] {1, 2, 3});
        long first = read.get();
        assertThat(first).isBetween(1L, 3L);
        assertThat(in[0].position() + in[1].position()).isEqualTo((int) first);
    }

    @Test
    void argumentsThatAreRefused() throws Exception {
        AsynchronousSocketChannel channel = asyncPair().client();
        ByteBuffer readOnly = ByteBuffer.allocate(1).asReadOnlyBuffer();
        ByteBuffer[] buffers = {ByteBuffer.allocate(1), readOnly};
        assertThatThrownBy(() -> channel.read(readOnly)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> channel.read(readOnly, null, new Outcome<>()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> channel.read(buffers, 0, 2, 0, TimeUnit.SECONDS, null, new Outcome<>()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> channel.read(buffers, 1, 2, 0, TimeUnit.SECONDS, null, new Outcome<>()))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> channel.write(buffers, -1, 1, 0, TimeUnit.SECONDS, null, new Outcome<>()))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1), null, null))
                .isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> channel.write(ByteBuffer.allocate(1), null, null))
                .isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> channel.read(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> channel.write(null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void emptyBuffers() throws Exception {
        AsyncPair pair = asyncPair();
        assertThat(value(pair.client().write(ByteBuffer.allocate(0)))).isZero();
        assertThat(value(pair.client().read(ByteBuffer.allocate(0)))).isZero();
        Outcome<Integer> read = new Outcome<>();
        pair.client().read(ByteBuffer.allocate(0), null, read);
        assertThat(read.get()).isZero();
        Outcome<Long> gathered = new Outcome<>();
        pair.client().write(new ByteBuffer[] {ByteBuffer.allocate(0)}, 0, 1, 0, TimeUnit.SECONDS, null, gathered);
        assertThat(gathered.get()).isZero();
        Outcome<Long> scattered = new Outcome<>();
        pair.client().read(new ByteBuffer[] {}, 0, 0, 0, TimeUnit.SECONDS, null, scattered);
        assertThat(scattered.get()).isZero();
        assertWorks(pair);
    }

    @Test
    void secondReadIsRefused() throws Exception {
        AsyncPair pair = asyncPair();
        ByteBuffer buffer = ByteBuffer.allocate(1);
        Future<Integer> pending = pair.server().read(buffer);
        assertThatThrownBy(() -> pair.server().read(ByteBuffer.allocate(1))).isInstanceOf(ReadPendingException.class);
        assertThatThrownBy(() -> pair.server().read(ByteBuffer.allocate(1), null, new Outcome<>()))
                .isInstanceOf(ReadPendingException.class);
        send(pair.server(), new byte[] {1}); // the other direction goes on
        assertThat(receive(pair.client(), 1)).containsExactly(1);
        send(pair.client(), new byte[] {2});
        assertThat(value(pending)).isEqualTo(1);
        assertWorks(pair);
    }

    @Test
    void writeThatHasToWait() throws Exception {
        AsyncPair pair = fullAsyncPair();
        PendingWrite pending = writeUntilPending(pair.client());
        assertThatThrownBy(() -> pair.client().write(ByteBuffer.allocate(1))).isInstanceOf(WritePendingException.class);
        assertThatThrownBy(() -> pair.client()
                        .write(
                                new ByteBuffer[] {ByteBuffer.allocate(1)},
                                0,
                                1,
                                0,
                                TimeUnit.SECONDS,
                                null,
                                new Outcome<>()))
                .isInstanceOf(WritePendingException.class);
        long read = 0;
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        while (read < pending.before()) {
            read += value(pair.server().read(buffer.clear()));
        }
        int last = value(pending.write());
        assertThat(last).isPositive();
        while (read < pending.before() + last) {
            read += value(pair.server().read(buffer.clear()));
        }
        assertThat(read).isEqualTo(pending.before() + last);
        assertWorks(pair);
    }

    @Test
    void bulkBothWaysAtOnce() throws Exception {
        AsyncPair pair = asyncPair();
        byte[] there = Bytes.random(1, 5_000_000);
        byte[] back = Bytes.random(2, 4_000_000);
        CompletableFuture<Void> sentThere = sendAll(pair.client(), there);
        CompletableFuture<Void> sentBack = sendAll(pair.server(), back);
        CompletableFuture<byte[]> atServer = receiveAll(pair.server(), there.length);
        CompletableFuture<byte[]> atClient = receiveAll(pair.client(), back.length);
        Bytes.assertSame(value(atServer), there);
        Bytes.assertSame(value(atClient), back);
        value(sentThere);
        value(sentBack);
    }

    private static CompletableFuture<Void> sendAll(AsynchronousSocketChannel channel, byte[] bytes) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        channel.write(buffer, null, new CompletionHandler<Integer, Void>() {
            @Override
            public void completed(Integer n, Void attachment) {
                if (buffer.hasRemaining()) {
                    channel.write(buffer, null, this);
                } else {
                    done.complete(null);
                }
            }

            @Override
            public void failed(Throwable failure, Void attachment) {
                done.completeExceptionally(failure);
            }
        });
        return done;
    }

    private static CompletableFuture<byte[]> receiveAll(AsynchronousSocketChannel channel, int length) {
        CompletableFuture<byte[]> done = new CompletableFuture<>();
        ByteBuffer buffer = ByteBuffer.allocate(length);
        channel.read(buffer, LIMIT_MILLIS, TimeUnit.MILLISECONDS, null, new CompletionHandler<Integer, Void>() {
            @Override
            public void completed(Integer n, Void attachment) {
                if (n < 0) {
                    failed(new IOException("the end after " + buffer.position()), null);
                } else if (buffer.hasRemaining()) {
                    channel.read(buffer, LIMIT_MILLIS, TimeUnit.MILLISECONDS, null, this);
                } else {
                    done.complete(buffer.array());
                }
            }

            @Override
            public void failed(Throwable failure, Void attachment) {
                done.completeExceptionally(failure);
            }
        });
        return done;
    }

    // ---- half-close

    @Test
    void endOfStream() throws Exception {
        AsyncPair pair = asyncPair();
        Future<Integer> pending = pair.server().read(ByteBuffer.allocate(1));
        assertThat(pair.client().shutdownOutput()).isSameAs(pair.client());
        assertThat(value(pending)).isEqualTo(-1);
        assertThat(value(pair.server().read(ByteBuffer.allocate(1)))).isEqualTo(-1);
        Outcome<Long> scattered = new Outcome<>();
        pair.server().read(new ByteBuffer[] {ByteBuffer.allocate(1)}, 0, 1, 0, TimeUnit.SECONDS, null, scattered);
        assertThat(scattered.get()).isEqualTo(-1L);
        send(pair.server(), new byte[] {5});
        assertThat(receive(pair.client(), 1)).containsExactly(5);
        pair.client().shutdownOutput();
        assertThat(pair.client().toString()).contains("oshut");
    }

    @Test
    void noWritesAfterShutdownOutput() throws Exception {
        AsyncPair pair = asyncPair();
        pair.client().shutdownOutput();
        assertThat(failureOf(pair.client().write(Bytes.ascii("x")))).isExactlyInstanceOf(ClosedChannelException.class);
        Outcome<Integer> write = new Outcome<>();
        pair.client().write(Bytes.ascii("x"), null, write);
        assertThat(write.failure()).isExactlyInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> pair.client().setOption(java.net.StandardSocketOptions.TCP_NODELAY, true))
                .isExactlyInstanceOf(IOException.class);
        assertThat(pair.client().isOpen()).isTrue();
    }

    @Test
    void readsAfterShutdownInputAreAtTheEnd() throws Exception {
        AsyncPair pair = asyncPair();
        Future<Integer> pending = pair.client().read(ByteBuffer.allocate(1));
        assertThat(pair.client().shutdownInput()).isSameAs(pair.client());
        assertThat(value(pending)).isEqualTo(-1);
        assertThat(value(pair.client().read(ByteBuffer.allocate(1)))).isEqualTo(-1);
        assertThat(value(pair.client().read(ByteBuffer.allocate(0)))).isEqualTo(-1);
        pair.client().shutdownInput();
        assertThat(pair.client().toString()).contains("ishut");
        send(pair.client(), new byte[] {6});
        assertThat(receive(pair.server(), 1)).containsExactly(6);
    }

    @Test
    void pendingWriteFailsByShutdownOutput() throws Exception {
        AsyncPair pair = fullAsyncPair();
        PendingWrite pending = writeUntilPending(pair.client());
        pair.client().shutdownOutput();
        assertThat(failureOf(pending.write())).isInstanceOf(IOException.class);
    }

    // ---- close

    @Test
    void closeEndsPendingOperations() throws Exception {
        AsyncPair pair = fullAsyncPair();
        PendingWrite write = writeUntilPending(pair.client());
        Outcome<Integer> read = new Outcome<>();
        pair.client().read(ByteBuffer.allocate(1), LIMIT_MILLIS, TimeUnit.MILLISECONDS, "read", read);
        pair.client().close();
        assertThat(read.failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
        assertThat(read.attachment()).isEqualTo("read");
        assertThat(failureOf(write.write())).isExactlyInstanceOf(AsynchronousCloseException.class);
        pair.client().close();
    }

    @Test
    void nothingAfterClose() throws Exception {
        AsynchronousSocketChannel channel = asyncPair().client();
        channel.close();
        assertThat(failureOf(channel.read(ByteBuffer.allocate(1)))).isExactlyInstanceOf(ClosedChannelException.class);
        assertThat(failureOf(channel.write(ByteBuffer.allocate(1)))).isExactlyInstanceOf(ClosedChannelException.class);
        Outcome<Integer> read = new Outcome<>();
        channel.read(ByteBuffer.allocate(1), "a", read);
        assertThat(read.failure()).isExactlyInstanceOf(ClosedChannelException.class);
        Outcome<Long> write = new Outcome<>();
        channel.write(new ByteBuffer[] {ByteBuffer.allocate(1)}, 0, 1, 0, TimeUnit.SECONDS, "a", write);
        assertThat(write.failure()).isExactlyInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(channel::shutdownInput).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(channel::shutdownOutput).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void thePeerSeesTheCloseAndWhatWasSentBefore() throws Exception {
        AsyncPair pair = asyncPair();
        send(pair.client(), new byte[] {1, 2});
        pair.client().close();
        assertThat(receive(pair.server(), 2)).containsExactly(1, 2);
        assertThat(value(pair.server().read(ByteBuffer.allocate(1)))).isEqualTo(-1);
        eventually().untilAsserted(() -> assertThat(failureOf(pair.server().write(Bytes.ascii("x"))))
                .isInstanceOf(IOException.class));
    }
}
