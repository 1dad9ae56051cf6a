// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Many buffers at a time. */
@Tag("stream")
class ScatterGatherTest extends ContractSupport {
    /** More than the 1,024 that one system call takes. */
    private static final int MANY = 3000;

    @Test
    void gathersInOrder() throws IOException {
        Pair pair = pair();
        ByteBuffer[] sources = {
            Bytes.ascii("one "),
            ByteBuffer.allocate(0),
            direct("two "),
            Bytes.ascii("three ").asReadOnlyBuffer(),
            ByteBuffer.allocateDirect(0),
            direct("four").asReadOnlyBuffer()
        };
        assertThat(pair.client().write(sources)).isEqualTo(18);
        assertThat(sources).allMatch(source -> !source.hasRemaining());
        assertThat(Bytes.readAscii(pair.server(), 18)).isEqualTo("one two three four");
    }

    @Test
    void gathersARangeOnly() throws IOException {
        Pair pair = pair();
        ByteBuffer[] sources = {Bytes.ascii("no"), Bytes.ascii("yes"), direct("too"), Bytes.ascii("not")};
        assertThat(pair.client().write(sources, 1, 2)).isEqualTo(6);
        assertThat(sources[0].position()).isZero();
        assertThat(sources[3].position()).isZero();
        assertThat(Bytes.readAscii(pair.server(), 6)).isEqualTo("yestoo");
        assertThat(pair.nonBlocking().server().read(ByteBuffer.allocate(1))).isZero();
    }

    @Test
    void scattersInOrder() throws IOException {
        Pair pair = pair();
        Bytes.write(pair.client(), Bytes.ascii("abcdefghij"));
        awaitBytes(pair.server());
        ByteBuffer[] destinations = {
            ByteBuffer.allocate(1),
            ByteBuffer.allocate(0),
            ByteBuffer.allocateDirect(3),
            ByteBuffer.allocate(5).position(1).limit(3),
            ByteBuffer.allocate(100)
        };
        long n = 0;
        while (n < 10) {
            n += pair.server().read(destinations);
        }
        assertThat(n).isEqualTo(10);
        assertThat(destinations[0].get(0)).isEqualTo((byte) 'a');
        assertThat(destinations[2].flip()).isEqualTo(Bytes.ascii("bcd"));
        assertThat(destinations[3].flip().position(1)).isEqualTo(Bytes.ascii("ef"));
        assertThat(destinations[4].position()).isEqualTo(4);
        assertThat(destinations[4].limit()).isEqualTo(100);
        assertThat(destinations[4].flip()).isEqualTo(Bytes.ascii("ghij"));
    }

    @Test
    void scattersIntoARangeOnly() throws IOException {
        Pair pair = pair();
        Bytes.write(pair.client(), Bytes.ascii("abcdef"));
        ByteBuffer[] destinations = {
            ByteBuffer.allocate(2), ByteBuffer.allocate(2), ByteBuffer.allocateDirect(2), ByteBuffer.allocate(2)
        };
        long n = 0;
        while (n < 4) {
            n += pair.server().read(destinations, 1, 2);
        }
        assertThat(destinations[0].position()).isZero();
        assertThat(destinations[1].flip()).isEqualTo(Bytes.ascii("ab"));
        assertThat(destinations[2].flip()).isEqualTo(Bytes.ascii("cd"));
        assertThat(destinations[3].position()).isZero();
        assertThat(Bytes.readAscii(pair.server(), 2)).isEqualTo("ef");
    }

    @ParameterizedTest
    @CsvSource({"-1, 1", "0, -1", "0, 3", "2, 1", "3, 0", "1, 2147483647"})
    void rangeOutsideTheArrayIsRefused(int offset, int length) throws IOException {
        Pair pair = pair();
        ByteBuffer[] buffers = {ByteBuffer.allocate(1), ByteBuffer.allocate(1)};
        for (SocketChannel channel : new SocketChannel[] {pair.client(), channel()}) {
            assertThatThrownBy(() -> channel.write(buffers, offset, length))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> channel.read(buffers, offset, length))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThat(channel.isOpen()).isTrue();
        }
    }

    @Test
    void emptyRangesMoveNothing() throws IOException {
        Pair pair = pair().nonBlocking();
        ByteBuffer[] buffers = {ByteBuffer.allocate(1), ByteBuffer.allocate(1)};
        assertThat(pair.client().write(buffers, 2, 0)).isZero();
        assertThat(pair.client().write(new ByteBuffer[0])).isZero();
        assertThat(pair.client().write(new ByteBuffer[] {ByteBuffer.allocate(0)}))
                .isZero();
        assertThat(pair.server().read(buffers, 2, 0)).isZero();
        assertThat(pair.server().read(new ByteBuffer[0])).isZero();
    }

    @Test
    void nullAmongTheBuffersIsRefused() throws IOException {
        Pair pair = pair();
        assertThatThrownBy(() -> pair.client().write(new ByteBuffer[] {null})).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> pair.client().read(new ByteBuffer[] {null})).isInstanceOf(NullPointerException.class);
        assertThat(pair.client().isOpen()).isTrue();
    }

    @Test
    void endOfStreamIsReported() throws IOException {
        Pair pair = pair();
        pair.client().close();
        assertThat(pair.server().read(new ByteBuffer[] {ByteBuffer.allocate(1), ByteBuffer.allocate(1)}))
                .isEqualTo(-1);
    }

    @Test
    void manyBuffersAreGathered() throws Exception {
        Pair pair = pair();
        byte[] expected = Bytes.random(7, MANY * 5);
        ByteBuffer[] sources = new ByteBuffer[MANY];
        Arrays.setAll(sources, i -> (i % 2 == 0 ? ByteBuffer.allocate(5) : ByteBuffer.allocateDirect(5))
                .put(expected, i * 5, 5)
                .flip());
        Task<byte[]> reader = start(() -> Bytes.read(pair.server(), expected.length));
        int done = 0;
        while (done < MANY) {
            long before = remaining(sources);
            long n = pair.client().write(sources, done, MANY - done);
            assertThat(n).isPositive().isEqualTo(before - remaining(sources));
            while (done < MANY && !sources[done].hasRemaining()) {
                done++;
            }
        }
        Bytes.assertSame(reader.result(), expected);
    }

    @Test
    void manyBuffersAreScattered() throws Exception {
        Pair pair = pair();
        byte[] expected = Bytes.random(8, MANY * 5);
        ByteBuffer[] destinations = new ByteBuffer[MANY];
        Arrays.setAll(destinations, i -> i % 3 == 0 ? ByteBuffer.allocateDirect(5) : ByteBuffer.allocate(5));
        Task<Void> writer = run(() -> {
            Bytes.write(pair.client(), expected);
        });
        int done = 0;
        while (done < MANY) {
            assertThat(pair.server().read(destinations, done, MANY - done)).isPositive();
            while (done < MANY && !destinations[done].hasRemaining()) {
                done++;
            }
        }
        writer.result();
        byte[] received = new byte[expected.length];
        for (int i = 0; i < MANY; i++) {
            destinations[i].flip().get(received, i * 5, 5);
        }
        Bytes.assertSame(received, expected);
    }

    private static void awaitBytes(SocketChannel channel) {
        eventually().until(() -> channel.socket().getInputStream().available() > 0);
    }

    private static long remaining(ByteBuffer[] buffers) {
        return Arrays.stream(buffers).mapToLong(ByteBuffer::remaining).sum();
    }

    private static ByteBuffer direct(String text) {
        ByteBuffer source = Bytes.ascii(text);
        return ByteBuffer.allocateDirect(source.remaining()).put(source).flip();
    }
}
