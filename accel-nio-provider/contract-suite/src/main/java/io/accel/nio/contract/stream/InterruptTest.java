// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An interrupt closes the channel that the thread waits in, and the thread stays interrupted. */
@Tag("stream")
class InterruptTest extends ContractSupport {
    @Test
    void blockedRead() throws Exception {
        Pair pair = pair();
        assertClosedByInterrupt(pair.client(), "read", () -> pair.client().read(ByteBuffer.allocate(1)));
        assertThat(pair.server().read(ByteBuffer.allocate(1)))
                .as("the peer sees the end")
                .isEqualTo(-1);
    }

    /** The interrupt then acts like any other close, also if the end has written on another path than it reads. */
    @ParameterizedTest(name = "the peer has written: {0}")
    @ValueSource(booleans = {false, true})
    void blockedReadOfAnEndWhoseCloseIsAReset(boolean peerHasWritten) throws Exception {
        Pair pair = pair();
        pair.client().setOption(StandardSocketOptions.SO_LINGER, 0);
        Bytes.write(pair.client(), Bytes.ascii("forth"));
        assertThat(Bytes.readAscii(pair.server(), 5)).isEqualTo("forth");
        if (peerHasWritten) {
            Bytes.write(pair.server(), Bytes.ascii("back"));
            assertThat(Bytes.readAscii(pair.client(), 4)).isEqualTo("back");
        }
        assertClosedByInterrupt(pair.client(), "read", () -> pair.client().read(ByteBuffer.allocate(1)));
        assertThatThrownBy(() -> pair.server().read(ByteBuffer.allocate(1)))
                .isExactlyInstanceOf(SocketException.class)
                .hasMessage("Connection reset");
    }

    @Test
    void blockedScatteringRead() throws Exception {
        SocketChannel channel = pair().server();
        assertClosedByInterrupt(channel, "read", () -> channel.read(new ByteBuffer[] {ByteBuffer.allocate(1)}));
    }

    @Test
    void blockedWrite() throws Exception {
        Pair pair = fullPair();
        assertClosedByInterrupt(
                pair.client(), "write", Task.Action.call(() -> Bytes.writeSingleBytesForever(pair.client())));
    }

    /** On any path it reports the interrupt, and not how much it has written. */
    @Test
    void blockedWriteThatHasWrittenSome() throws Exception {
        Pair pair = pair();
        ByteBuffer much = ByteBuffer.allocateDirect(64 << 20);
        assertClosedByInterrupt(pair.client(), "write", () -> pair.client().write(much));
        assertThat(Bytes.readToEnd(pair.server())).hasSizeBetween(1, much.capacity() - 1);
    }

    @Test
    void blockedAccept() throws Exception {
        ServerSocketChannel listener = listener();
        assertClosedByInterrupt(listener, "accept", listener::accept);
    }

    @Test
    void blockedConnect() throws Exception {
        WaitingConnect waiting = waitingConnect();
        waiting.connect().interrupt();
        assertThat(waiting.connect().failure()).isExactlyInstanceOf(ClosedByInterruptException.class);
        assertThat(waiting.client().isOpen()).isFalse();
    }

    @Test
    void interruptedBeforeRead() throws Exception {
        Pair pair = pair();
        Bytes.write(pair.server(), Bytes.ascii("there is something to read"));
        assertClosedWhenInterruptedBefore(pair.client(), () -> pair.client().read(ByteBuffer.allocate(1)));
    }

    @Test
    void interruptedBeforeWrite() throws Exception {
        Pair pair = pair();
        assertClosedWhenInterruptedBefore(pair.client(), () -> pair.client().write(ByteBuffer.allocate(1)));
    }

    /** In a read or a write: nothing is unread, so there is no reset, whatever path the peer's bytes have come by. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void thePeerSeesTheEndOfWhatAnInterruptCloses(boolean byWriting) throws Exception {
        Pair pair = pair();
        Bytes.write(pair.server(), Bytes.ascii("question"));
        assertThat(Bytes.readAscii(pair.client(), 8)).isEqualTo("question");
        ByteBuffer one = ByteBuffer.allocate(1);
        assertClosedWhenInterruptedBefore(
                pair.client(),
                () -> byWriting ? pair.client().write(one) : pair.client().read(one));
        assertThat(pair.server().read(one.clear())).isEqualTo(-1);
    }

    /** As after a close by the thread itself. */
    @Test
    void unreadBytesOfAnInputThatWasShutResetWhatAnInterruptCloses() throws Exception {
        for (boolean interrupts : new boolean[] {false, true}) {
            Pair pair = pair();
            Bytes.write(pair.server(), Bytes.ascii("question"));
            eventually().until(() -> pair.client().socket().getInputStream().available() == 8);
            pair.client().shutdownInput();
            if (interrupts) {
                assertClosedWhenInterruptedBefore(
                        pair.client(), () -> pair.client().write(ByteBuffer.allocate(1)));
            } else {
                pair.client().close();
            }
            assertThatThrownBy(() -> pair.server().read(ByteBuffer.allocate(1)))
                    .isExactlyInstanceOf(SocketException.class)
                    .hasMessage("Connection reset");
        }
    }

    @Test
    void interruptedBeforeAccept() throws Exception {
        ServerSocketChannel listener = listener();
        closing(SocketChannel.open(destination(listener)));
        assertClosedWhenInterruptedBefore(listener, listener::accept);
    }

    @Test
    void interruptedBeforeConnect() throws Exception {
        ServerSocketChannel listener = listener();
        SocketChannel channel = channel();
        assertClosedWhenInterruptedBefore(channel, () -> channel.connect(destination(listener)));
    }

    @Test
    void nonBlockingOperationsDoNotCareAboutInterrupts() throws Exception {
        Pair pair = pair().nonBlocking();
        ServerSocketChannel listener = listener();
        listener.configureBlocking(false);
        Task<Boolean> task = start(() -> {
            Thread.currentThread().interrupt();
            pair.client().write(Bytes.ascii("x"));
            assertThat(pair.client().read(ByteBuffer.allocate(1))).isZero();
            assertThat(listener.accept()).isNull();
            return Thread.currentThread().isInterrupted();
        });
        assertThat(task.result()).as("interrupted status").isTrue();
        assertThat(pair.client().isOpen()).isTrue();
        assertThat(listener.isOpen()).isTrue();
        pair.server().configureBlocking(true);
        assertThat(Bytes.readAscii(pair.server(), 1)).isEqualTo("x");
    }

    @Test
    void anInterruptedThreadSelectsWhatIsReady() throws Exception {
        Pair pair = pair();
        Bytes.write(pair.server(), Bytes.ascii("x"));
        Selector selector = selector();
        SelectionKey key = register(pair.client(), selector, OP_READ);
        awaitReady(key, OP_READ);
        for (int ops : new int[] {OP_READ, OP_WRITE, OP_READ | OP_WRITE}) {
            key.interestOps(ops);
            for (int i = 0; i < 3; i++) {
                selector.selectedKeys().clear();
                Thread.currentThread().interrupt();
                int selected = selector.select();
                assertThat(Thread.interrupted()).isTrue();
                assertThat(selected).as("for the operations %d", ops).isEqualTo(1);
            }
        }
        assertThat(pair.client().isOpen()).isTrue();
    }

    @Test
    void otherThreadInTheSameChannelSeesTheClose() throws Exception {
        Pair pair = fullPair();
        Task<Void> writer =
                run(() -> Bytes.writeSingleBytesForever(pair.client())).awaitInside("write");
        Task<Integer> reader =
                start(() -> pair.client().read(ByteBuffer.allocate(1))).awaitInside("read");
        reader.interrupt();
        assertThat(reader.failure()).isExactlyInstanceOf(ClosedByInterruptException.class);
        assertThat(writer.failure())
                .isInstanceOf(ClosedChannelException.class)
                .isNotInstanceOf(ClosedByInterruptException.class);
    }

    private void assertClosedByInterrupt(Channel channel, String method, Callable<?> call) throws Exception {
        Task<Boolean> task = start(() -> {
            assertThatThrownBy(call::call).isExactlyInstanceOf(ClosedByInterruptException.class);
            return Thread.currentThread().isInterrupted();
        });
        task.awaitInside(method).interrupt();
        assertThat(task.result()).as("interrupted status").isTrue();
        assertThat(channel.isOpen()).isFalse();
    }

    private void assertClosedWhenInterruptedBefore(Channel channel, Callable<?> call) throws Exception {
        Task<Boolean> task = start(() -> {
            Thread.currentThread().interrupt();
            assertThatThrownBy(call::call).isExactlyInstanceOf(ClosedByInterruptException.class);
            return Thread.currentThread().isInterrupted();
        });
        assertThat(task.result()).as("interrupted status").isTrue();
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void theAdaptorOfAChannelThatWasClosedKnowsItsAddresses() throws IOException {
        SocketChannel client = pair().client();
        SocketAddress local = client.getLocalAddress();
        SocketAddress remote = client.getRemoteAddress();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> client.read(ByteBuffer.allocate(1))).isInstanceOf(ClosedByInterruptException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(client.socket().getLocalSocketAddress()).isEqualTo(local);
        assertThat(client.socket().getRemoteSocketAddress()).isEqualTo(remote);
        assertThat(client.socket().isBound()).isTrue();
    }
}
