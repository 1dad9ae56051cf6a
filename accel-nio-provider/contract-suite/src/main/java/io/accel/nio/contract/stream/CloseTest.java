// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** After a close the peer sees either all the bytes and the end, or a reset. */
@Tag("stream")
class CloseTest extends ContractSupport {
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1000, 100_000})
    void peerReadsEverythingAndThenTheEnd(int length) throws IOException {
        Pair pair = pair();
        byte[] bytes = Bytes.random(length, length);
        Bytes.write(pair.client(), bytes);
        pair.client().close();
        Bytes.assertSame(Bytes.readToEnd(pair.server()), bytes);
        assertThat(pair.server().read(ByteBuffer.allocate(1))).isEqualTo(-1);
        assertThat(pair.server().isOpen()).isTrue();
    }

    @Test
    void acceptedEndClosesTheSameWay() throws IOException {
        Pair pair = pair();
        Bytes.write(pair.server(), Bytes.ascii("bye"));
        pair.server().close();
        assertThat(Bytes.readAscii(pair.client(), 3)).isEqualTo("bye");
        assertThat(pair.client().read(ByteBuffer.allocate(1))).isEqualTo(-1);
    }

    @Test
    void writeToAClosedPeerFailsInTheEnd() throws IOException {
        Pair pair = pair();
        pair.server().close();
        assertThatThrownBy(() -> Bytes.writeForever(pair.client())).isInstanceOf(IOException.class);
        assertThat(pair.client().isOpen()).as("an error does not close").isTrue();
    }

    @Test
    void writeOfNothingToAClosedPeerIsNoError() throws IOException {
        Pair pair = pair();
        pair.server().close();
        assertThat(pair.client().read(ByteBuffer.allocate(1))).isEqualTo(-1);
        ByteBuffer nothing = ByteBuffer.allocate(0);
        assertThat(pair.client().write(nothing)).isZero();
        assertThat(pair.client().write(new ByteBuffer[] {nothing, nothing})).isZero();
        assertThat(pair.client().write(nothing)).isZero();
    }

    @Test
    void blockedWriterFailsWhenThePeerCloses() throws Exception {
        Pair pair = pair();
        Task<Void> writer = run(() -> {
                    Bytes.writeForever(pair.client());
                })
                .awaitInside("write");
        pair.server().close();
        assertThat(writer.failure()).isInstanceOf(IOException.class);
    }

    @Test
    void closeWithUnreadBytesResetsTheConnection() throws IOException {
        Pair pair = pair();
        Bytes.write(pair.client(), Bytes.ascii("never read"));
        eventually().until(() -> pair.server().socket().getInputStream().available() == 10);
        pair.server().close();
        assertThatThrownBy(() -> Bytes.readToEnd(pair.client()))
                .isInstanceOf(IOException.class)
                .hasMessage("Connection reset");
        assertThatThrownBy(() -> pair.client().read(ByteBuffer.allocate(1)))
                .as("and stays so")
                .isInstanceOf(IOException.class)
                .hasMessage("Connection reset");
        assertThat(pair.client().isOpen()).isTrue();
    }

    @Test
    void lingerZeroResetsTheConnection() throws IOException {
        Pair pair = pair();
        pair.client().setOption(StandardSocketOptions.SO_LINGER, 0);
        pair.client().close();
        assertThatThrownBy(() -> Bytes.readToEnd(pair.server()))
                .isInstanceOf(IOException.class)
                .hasMessage("Connection reset");
        assertThatThrownBy(() -> Bytes.writeForever(pair.server())).isInstanceOf(IOException.class);
    }

    @Test
    void lingerZeroWakesABlockedReader() throws Exception {
        Pair pair = pair();
        Task<Integer> reader =
                start(() -> pair.server().read(ByteBuffer.allocate(1))).awaitInside("read");
        pair.client().setOption(StandardSocketOptions.SO_LINGER, 0);
        pair.client().close();
        assertThat(reader.failure()).isInstanceOf(IOException.class).hasMessage("Connection reset");
    }

    @Test
    void lingerZeroAfterTheEndOfStreamIsAReset() throws IOException {
        Pair pair = pair();
        pair.client().shutdownOutput();
        assertThat(pair.server().read(ByteBuffer.allocate(1))).isEqualTo(-1);
        pair.client().setOption(StandardSocketOptions.SO_LINGER, 0);
        pair.client().close();
        assertThatThrownBy(() -> Bytes.writeForever(pair.server())).isInstanceOf(IOException.class);
    }

    @Test
    void closeWithPositiveLingerLosesNothing() throws Exception {
        Pair pair = pair();
        byte[] bytes = Bytes.random(4, 1_000_000);
        Task<byte[]> reader = start(() -> Bytes.readToEnd(pair.server()));
        pair.client().setOption(StandardSocketOptions.SO_LINGER, 10);
        Bytes.write(pair.client(), bytes);
        pair.client().close();
        Bytes.assertSame(reader.result(), bytes);
    }

    @Test
    void closeIsIdempotentAndMayComeFromManyThreads() throws Exception {
        SocketChannel channel = pair().client();
        var closers = IntStream.range(0, 8)
                .mapToObj(i -> start(() -> {
                    channel.close();
                    return channel.isOpen();
                }))
                .toList();
        for (Task<Boolean> closer : closers) {
            assertThat(closer.result()).isFalse();
        }
        channel.close();
    }

    @Test
    void closeDoesNotWaitForAPeerThatDoesNotRead() throws Exception {
        Pair pair = pair();
        pair.client().configureBlocking(false);
        ByteBuffer much = ByteBuffer.allocate(64 << 20);
        while (pair.client().write(much) > 0) {
            assertThat(much.hasRemaining()).isTrue();
        }
        Task<Void> closer = run(() -> {
            pair.client().close();
        });
        closer.result();
        assertThat(Bytes.readToEnd(pair.server())).hasSize(much.position());
    }

    @Test
    void closedPendingConnectionDisturbsNobody() throws IOException {
        var listener = listener();
        for (int i = 0; i < 20; i++) {
            SocketChannel client = nonBlockingChannel();
            client.connect(destination(listener));
            client.close();
            assertThat(client.isConnectionPending()).isFalse();
        }
        SocketChannel last = closing(SocketChannel.open(destination(listener)));
        var wanted = last.getLocalAddress();
        SocketChannel accepted;
        do {
            accepted = closing(listener.accept());
        } while (!wanted.equals(clientOf(accepted)));
        Bytes.write(last, Bytes.ascii("here"));
        assertThat(Bytes.readAscii(accepted, 4)).isEqualTo("here");
    }
}
