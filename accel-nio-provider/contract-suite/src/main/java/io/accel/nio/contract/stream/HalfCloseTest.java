// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** shutdownOutput and shutdownInput. */
@Tag("stream")
class HalfCloseTest extends ContractSupport {
    @Test
    void peerReadsTheRestAndThenTheEndAgainAndAgain() throws IOException {
        Pair pair = pair();
        Bytes.write(pair.client(), Bytes.ascii("last words"));
        assertThat(pair.client().shutdownOutput()).isSameAs(pair.client());
        assertThat(Bytes.readAscii(pair.server(), 10)).isEqualTo("last words");
        for (int i = 0; i < 3; i++) {
            assertThat(pair.server().read(ByteBuffer.allocate(8))).isEqualTo(-1);
        }
    }

    @Test
    void peerMayStillSend() throws IOException {
        Pair pair = pair();
        pair.client().shutdownOutput();
        assertThat(pair.server().read(ByteBuffer.allocate(1))).isEqualTo(-1);
        Bytes.write(pair.server(), Bytes.ascii("answer"));
        assertThat(Bytes.readAscii(pair.client(), 6)).isEqualTo("answer");
        pair.server().shutdownOutput();
        assertThat(pair.client().read(ByteBuffer.allocate(1))).isEqualTo(-1);
        assertThat(pair.client().isOpen()).isTrue();
        assertThat(pair.client().isConnected()).isTrue();
    }

    @Test
    void muchIsSentBackAfterTheEnd() throws Exception {
        Pair pair = pair();
        byte[] request = Bytes.random(1, 3_000_000);
        byte[] answer = Bytes.random(2, 3_000_000);
        Task<Void> server = run(() -> {
            Bytes.assertSame(Bytes.readToEnd(pair.server()), request);
            Bytes.write(pair.server(), answer);
            pair.server().close();
        });
        Bytes.write(pair.client(), request);
        pair.client().shutdownOutput();
        Bytes.assertSame(Bytes.readToEnd(pair.client()), answer);
        server.result();
    }

    /** As if another thread had shut it down meanwhile, and also where there is nothing to write. */
    @Test
    void writeAfterShutdownOutputIsRefused() throws IOException {
        SocketChannel channel = pair().client();
        Bytes.write(channel, Bytes.ascii("before"));
        channel.shutdownOutput();
        ByteBuffer buffer = ByteBuffer.allocate(1);
        for (int i = 0; i < 2; i++) {
            assertRefused(() -> channel.write(buffer));
            assertRefused(() -> channel.write(new ByteBuffer[] {buffer}));
            assertRefused(() -> channel.write(ByteBuffer.allocate(0)));
            assertRefused(() -> channel.write(new ByteBuffer[0]));
            channel.configureBlocking(false);
        }
        assertThat(buffer.position()).isZero();
        assertThat(channel.isOpen()).isTrue();
        channel.shutdownOutput();
    }

    private static void assertRefused(ThrowableAssert.ThrowingCallable write) {
        assertThatThrownBy(write).isExactlyInstanceOf(AsynchronousCloseException.class);
    }

    @Test
    void shutdownOutputWakesABlockedWriter() throws Exception {
        Pair pair = pair();
        ByteBuffer much = ByteBuffer.allocateDirect(64 << 20);
        Task<Integer> writer = startedWriting(() -> pair.client().write(much), pair.server());
        pair.client().shutdownOutput();
        assertThat(writer.result()).isEqualTo(much.position()).isBetween(1, much.capacity() - 1);
        assertRefused(() -> pair.client().write(much));
        assertThat(pair.client().isOpen()).isTrue();
    }

    @Test
    void shutdownOutputWakesABlockedGatheringWriter() throws Exception {
        Pair pair = pair();
        ByteBuffer[] much = {ByteBuffer.allocate(1), ByteBuffer.allocateDirect(64 << 20)};
        Task<Long> writer = startedWriting(() -> pair.client().write(much), pair.server());
        pair.client().shutdownOutput();
        assertThat(writer.result()).isEqualTo(1L + much[1].position()).isBetween(1L, (long) much[1].capacity());
        assertRefused(() -> pair.client().write(much));
    }

    @Test
    void shutdownOutputRefusesABlockedWriteThatHasTakenNothing() throws Exception {
        for (int round = 0; round < times(5); round++) {
            Pair pair = fullPair();
            Task<Void> writer = waitingWriter(() -> Bytes.write(pair.client(), new byte[1]));
            assertRefusedByShutdownOutput(pair, writer);
        }
    }

    @Test
    void shutdownOutputRefusesABlockedGatheringWriteThatHasTakenNothing() throws Exception {
        for (int round = 0; round < times(5); round++) {
            Pair pair = fullPair();
            ByteBuffer[] buffers = {ByteBuffer.allocate(0), ByteBuffer.allocateDirect(1)};
            Task<Void> writer = waitingWriter(() -> {
                pair.client().write(buffers);
                buffers[1].clear();
            });
            assertRefusedByShutdownOutput(pair, writer);
        }
    }

    private static void assertRefusedByShutdownOutput(Pair pair, Task<Void> writer) throws Exception {
        pair.client().shutdownOutput();
        assertThat(writer.failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
        assertThat(pair.client().isOpen()).isTrue();
        assertThat(Bytes.readToEnd(pair.server())).isNotEmpty();
        Bytes.write(pair.server(), Bytes.ascii("answer"));
        assertThat(Bytes.readAscii(pair.client(), 6)).isEqualTo("answer");
    }

    @Test
    void readAfterShutdownInputIsTheEnd() throws IOException {
        Pair pair = pair();
        assertThat(pair.client().shutdownInput()).isSameAs(pair.client());
        assertThat(pair.client().read(ByteBuffer.allocate(1))).isEqualTo(-1);
        assertThat(pair.client().read(new ByteBuffer[] {ByteBuffer.allocate(1)}))
                .isEqualTo(-1);
        pair.client().configureBlocking(false);
        assertThat(pair.client().read(ByteBuffer.allocate(1))).isEqualTo(-1);
        assertThat(pair.client().isOpen()).isTrue();
        pair.client().shutdownInput();
    }

    @Test
    void bytesThatWereNotReadBeforeShutdownInputAreGone() throws IOException {
        Pair pair = pair();
        Bytes.write(pair.server(), Bytes.ascii("too late"));
        eventually().until(() -> pair.client().socket().getInputStream().available() == 8);
        pair.client().shutdownInput();
        assertThat(pair.client().read(ByteBuffer.allocate(1))).isEqualTo(-1);
        pair.client().configureBlocking(false);
        assertThat(pair.client().read(new ByteBuffer[] {ByteBuffer.allocate(1)}))
                .isEqualTo(-1);
    }

    @Test
    void shutdownInputLeavesTheOutputAlone() throws IOException {
        Pair pair = pair();
        pair.client().shutdownInput();
        Bytes.write(pair.client(), Bytes.ascii("outward"));
        assertThat(Bytes.readAscii(pair.server(), 7)).isEqualTo("outward");
    }

    @Test
    void peerMayWriteIntoAShutDownInput() throws IOException {
        Pair pair = pair();
        pair.client().shutdownInput();
        Bytes.write(pair.server(), Bytes.ascii("unheard"));
        Bytes.write(pair.client(), Bytes.ascii("alive"));
        assertThat(Bytes.readAscii(pair.server(), 5)).isEqualTo("alive");
        assertThat(pair.client().read(ByteBuffer.allocate(1))).isEqualTo(-1);
        assertThat(pair.client().isOpen()).isTrue();
        assertThat(pair.server().isOpen()).isTrue();
    }

    @Test
    void shutdownInputWakesABlockedReader() throws Exception {
        Pair pair = pair();
        Task<Integer> reader =
                start(() -> pair.client().read(ByteBuffer.allocate(1))).awaitInside("read");
        pair.client().shutdownInput();
        assertThat(reader.result()).isEqualTo(-1);
        assertThat(pair.client().isOpen()).isTrue();
    }

    /** A reader that has got the end because of it knows that the input is shut down. */
    @Test
    void shutdownInputIsKnownToTheReaderThatItWakes() throws Exception {
        for (int i = 0; i < 30; i++) {
            Pair pair = pair();
            Task<Boolean> reader = start(() -> pair.client().read(ByteBuffer.allocate(1)) == -1
                            && pair.client().socket().isInputShutdown())
                    .awaitInside("read");
            pair.client().shutdownInput();
            assertThat(reader.result()).as("connection %s", i).isTrue();
        }
    }

    @Test
    void bothShutDownIsStillOpen() throws IOException {
        Pair pair = pair();
        pair.client().shutdownOutput().shutdownInput();
        assertThat(pair.client().isOpen()).isTrue();
        assertThat(pair.client().isConnected()).isTrue();
        assertThat(pair.client().read(ByteBuffer.allocate(1))).isEqualTo(-1);
        assertThatThrownBy(() -> pair.client().write(ByteBuffer.allocate(1)))
                .isInstanceOf(ClosedChannelException.class);
        assertThat(pair.server().read(ByteBuffer.allocate(1))).isEqualTo(-1);
        assertThat(pair.client().getRemoteAddress()).isNotNull();
        pair.client().close();
    }

    @Test
    void endOfStreamWakesABlockedReader() throws Exception {
        Pair pair = pair();
        Task<byte[]> reader = start(() -> Bytes.readToEnd(pair.server())).awaitInside("read");
        pair.client().shutdownOutput();
        assertThat(reader.result()).isEmpty();
    }

    @Test
    void nothingIsLostBetweenManyWritesAndTheEnd() throws Exception {
        for (int round = 0; round < times(200); round++) {
            Pair pair = pair();
            byte[] bytes = Bytes.random(round, 1 + round * 37);
            Task<byte[]> reader = start(() -> Bytes.readToEnd(pair.server()));
            Bytes.write(pair.client(), bytes);
            pair.client().shutdownOutput();
            Bytes.assertSame(reader.result(), bytes);
            pair.client().close();
            pair.server().close();
        }
    }
}
