// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Task;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Blocking operations on virtual threads. */
@Tag("stream")
class VirtualThreadTest extends ContractSupport {
    @BeforeEach
    void virtualThreadsExist() {
        assumeTrue(Task.virtualThreads(), "this JDK has no virtual threads");
    }

    @Test
    void echo() throws Exception {
        ServerSocketChannel listener = listener();
        Task<Void> server = startVirtual(Task.Action.call(() -> {
            SocketChannel accepted = closing(listener.accept());
            Bytes.write(accepted, Bytes.readToEnd(accepted));
            accepted.shutdownOutput();
        }));
        byte[] bytes = Bytes.random(1, 1_000_000);
        Task<byte[]> client = startVirtual(() -> {
            SocketChannel channel = closing(SocketChannel.open(destination(listener)));
            Bytes.write(channel, bytes);
            channel.shutdownOutput();
            return Bytes.readToEnd(channel);
        });
        Bytes.assertSame(client.result(), bytes);
        server.result();
    }

    /** Far more waiting readers than carrier threads: they may not all hold one. */
    @Test
    void waitingReadersDoNotStarveTheRest() throws Exception {
        int waiting = 64;
        List<Pair> pairs = new ArrayList<>();
        List<Task<byte[]>> readers = new ArrayList<>();
        CountDownLatch started = new CountDownLatch(waiting);
        ServerSocketChannel listener = listener();
        for (int i = 0; i < waiting; i++) {
            Pair pair = pair(listener);
            pairs.add(pair);
            readers.add(startVirtual(() -> {
                started.countDown();
                return Bytes.read(pair.server(), 4);
            }));
        }
        started.await();
        Task<String> other = startVirtual(() -> "still scheduled");
        assertThat(other.result()).isEqualTo("still scheduled");
        for (int i = waiting - 1; i >= 0; i--) {
            Bytes.write(pairs.get(i).client(), Bytes.random(i, 4));
            assertThat(readers.get(i).result()).isEqualTo(Bytes.random(i, 4));
        }
    }

    @Test
    void interruptClosesTheChannel() throws Exception {
        Pair pair = pair();
        Task<Boolean> reader = startVirtual(() -> {
            assertThatThrownBy(() -> pair.client().read(ByteBuffer.allocate(1)))
                    .isExactlyInstanceOf(ClosedByInterruptException.class);
            return Thread.currentThread().isInterrupted();
        });
        reader.awaitInside("read").interrupt();
        assertThat(reader.result()).as("interrupted status").isTrue();
        assertThat(pair.client().isOpen()).isFalse();
    }

    @Test
    void closeEndsReadWriteAndAccept() throws Exception {
        Pair pair = fullPair();
        ServerSocketChannel listener = listener();
        Task<Integer> reader =
                startVirtual(() -> pair.client().read(ByteBuffer.allocate(1))).awaitInside("read");
        Task<Void> writer = startVirtual(Task.Action.call(() -> Bytes.writeSingleBytesForever(pair.client())))
                .awaitInside("write");
        Task<SocketChannel> acceptor = startVirtual(listener::accept).awaitInside("accept");
        pair.client().close();
        listener.close();
        assertThat(reader.failure()).isInstanceOf(AsynchronousCloseException.class);
        assertThat(writer.failure()).isInstanceOf(ClosedChannelException.class);
        assertThat(acceptor.failure()).isInstanceOf(AsynchronousCloseException.class);
    }

    @Test
    void platformAndVirtualThreadsShareAChannel() throws Exception {
        Pair pair = pair();
        byte[] bytes = Bytes.random(3, 2_000_000);
        Task<Void> first = startVirtual(Task.Action.call(() -> Bytes.write(pair.client(), bytes)));
        Bytes.assertSame(Bytes.read(pair.server(), bytes.length), bytes);
        first.result();
        Task<byte[]> second = startVirtual(() -> Bytes.read(pair.server(), bytes.length));
        Bytes.write(pair.client(), bytes);
        Bytes.assertSame(second.result(), bytes);
        pair.nonBlocking();
        assertThat(pair.server().read(ByteBuffer.allocate(1))).isZero();
    }

    @Test
    void socketStreamsAndTimeouts() throws Exception {
        Pair pair = pair();
        Task<Integer> reader = startVirtual(() -> {
            pair.server().socket().setSoTimeout(20);
            assertThatThrownBy(() -> pair.server().socket().getInputStream().read())
                    .isInstanceOf(SocketTimeoutException.class);
            pair.server().socket().setSoTimeout(0);
            pair.server().socket().getOutputStream().write(1);
            return pair.server().socket().getInputStream().read();
        });
        assertThat(Bytes.read(pair.client(), 1)).containsExactly(1);
        Bytes.write(pair.client(), new byte[] {42});
        assertThat(reader.result()).isEqualTo(42);
    }
}
