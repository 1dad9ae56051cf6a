// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads and writes that do not wait. */
@Tag("stream")
class NonBlockingTest extends ContractSupport {
    /** More than any socket takes in without its peer reading. */
    private static final int MORE_THAN_FITS = 64 << 20;

    @Test
    void readReturnsZeroWhenThereIsNothing() throws IOException {
        Pair pair = pair().nonBlocking();
        ByteBuffer buffer = ByteBuffer.allocate(10);
        assertThat(pair.server().read(buffer)).isZero();
        assertThat(pair.server().read(new ByteBuffer[] {buffer, ByteBuffer.allocateDirect(3)}))
                .isZero();
        assertThat(buffer.position()).isZero();
        assertThat(pair.client().read(buffer)).isZero();
    }

    @Test
    void readReturnsZeroAgainWhenAllIsRead() throws IOException {
        Pair pair = pair().nonBlocking();
        Bytes.write(pair.client(), Bytes.ascii("abc"));
        assertThat(Bytes.readAscii(pair.server(), 3)).isEqualTo("abc");
        assertThat(pair.server().read(ByteBuffer.allocate(10))).isZero();
    }

    @Test
    void endOfStreamIsReportedAgainAndAgain() throws IOException {
        Pair pair = pair().nonBlocking();
        pair.client().close();
        ByteBuffer buffer = ByteBuffer.allocate(10);
        eventually().until(() -> pair.server().read(buffer) == -1);
        assertThat(pair.server().read(buffer)).isEqualTo(-1);
        assertThat(pair.server().read(new ByteBuffer[] {buffer})).isEqualTo(-1);
        assertThat(buffer.position()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void writeStopsWhenThePeerDoesNotReadAndGoesOnWhenItDoes(boolean direct) throws Exception {
        Pair pair = pair();
        pair.client().configureBlocking(false);
        byte[] expected = Bytes.random(1, MORE_THAN_FITS);
        ByteBuffer source = direct
                ? ByteBuffer.allocateDirect(expected.length).put(expected).flip()
                : ByteBuffer.wrap(expected);
        int written = fill(pair.client(), source);
        assertThat(source.position()).isEqualTo(written);
        assertThat(source.limit()).isEqualTo(expected.length);
        Task<byte[]> reader = start(() -> Bytes.readToEnd(pair.server()));
        while (source.hasRemaining()) {
            if (pair.client().write(source) == 0) {
                Thread.yield(); // to a reader on the same processor
            }
        }
        pair.client().shutdownOutput();
        Bytes.assertSame(reader.result(), expected);
    }

    @Test
    void gatheringWriteStopsInTheMiddleOfABuffer() throws Exception {
        Pair pair = pair();
        pair.client().configureBlocking(false);
        byte[] piece = Bytes.random(2, 100_003);
        ByteBuffer[] sources = new ByteBuffer[640];
        Arrays.setAll(sources, i -> ByteBuffer.wrap(piece));
        long total = 0;
        int idle = 0;
        while (idle < 20) {
            long n = pair.client().write(sources);
            total += n;
            idle = n == 0 ? idle + 1 : 0;
        }
        long accepted = total;
        assertThat(Arrays.stream(sources).mapToLong(ByteBuffer::position).sum()).isEqualTo(accepted);
        for (int i = 0; i + 1 < sources.length; i++) {
            assertThat(sources[i].hasRemaining() && sources[i + 1].position() > 0)
                    .as("buffer %d before buffer %d", i, i + 1)
                    .isFalse();
        }
        Task<byte[]> reader = start(() -> Bytes.readToEnd(pair.server()));
        pair.client().shutdownOutput();
        byte[] received = reader.result();
        assertThat(received.length).isEqualTo((int) accepted);
        for (int at = 0; at < received.length; at += piece.length) {
            int length = Math.min(piece.length, received.length - at);
            assertThat(Arrays.mismatch(received, at, at + length, piece, 0, length))
                    .isEqualTo(-1);
        }
    }

    @Test
    void whatWasAcceptedBeforeAFullSocketArrivesAfterClose() throws Exception {
        Pair pair = pair();
        pair.client().configureBlocking(false);
        byte[] bytes = Bytes.random(3, MORE_THAN_FITS);
        int written = fill(pair.client(), ByteBuffer.wrap(bytes));
        pair.client().close();
        Bytes.assertSame(Bytes.readToEnd(pair.server()), Arrays.copyOf(bytes, written));
    }

    /** One thread drives both ends, as a single event loop would. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void oneThreadInterleavesBothEnds(long seed) throws IOException {
        Pair pair = pair().nonBlocking();
        Random random = new Random(seed);
        Flow there = new Flow(pair.client(), pair.server(), Bytes.random(seed, 2 << 20));
        Flow back = new Flow(pair.server(), pair.client(), Bytes.random(-seed, 2 << 20));
        while (!there.complete() || !back.complete()) {
            (random.nextBoolean() ? there : back).step(random);
        }
        Bytes.assertSame(there.received.array(), there.sent.array());
        Bytes.assertSame(back.received.array(), back.sent.array());
    }

    @Test
    void modeMayChangeAtAnyTime() throws Exception {
        Pair pair = pair();
        for (int round = 0; round < 50; round++) {
            pair.server().configureBlocking(round % 2 == 0);
            assertThat(pair.server().isBlocking()).isEqualTo(round % 2 == 0);
            Bytes.write(pair.client(), Bytes.random(round, 100));
            Bytes.assertSame(Bytes.read(pair.server(), 100), Bytes.random(round, 100));
        }
        pair.server().configureBlocking(true);
        Task<byte[]> reader = start(() -> Bytes.read(pair.server(), 1)).awaitInside("read");
        Bytes.write(pair.client(), new byte[] {5});
        assertThat(reader.result()).containsExactly(5);
    }

    /** Writes until the channel has not taken anything for a while. */
    private static int fill(SocketChannel channel, ByteBuffer source) throws IOException {
        int idle = 0;
        while (idle < 100) {
            idle = channel.write(source) == 0 ? idle + 1 : 0;
        }
        assertThat(source.hasRemaining()).as("the channel fills up").isTrue();
        return source.position();
    }

    private static final class Flow {
        private final SocketChannel from;
        private final SocketChannel to;
        private final ByteBuffer sent;
        private final ByteBuffer received;

        Flow(SocketChannel from, SocketChannel to, byte[] bytes) {
            this.from = from;
            this.to = to;
            this.sent = ByteBuffer.wrap(bytes);
            this.received = ByteBuffer.allocate(bytes.length);
        }

        boolean complete() {
            return !received.hasRemaining();
        }

        void step(Random random) throws IOException {
            int length = 1 + random.nextInt(1 << (1 + random.nextInt(16)));
            boolean send = random.nextInt(5) < 3;
            ByteBuffer buffer = send ? sent : received;
            int limit = buffer.limit();
            buffer.limit(Math.min(limit, buffer.position() + length));
            int n = send ? from.write(buffer) : to.read(buffer);
            assertThat(n).isNotNegative();
            buffer.limit(limit);
        }
    }
}
