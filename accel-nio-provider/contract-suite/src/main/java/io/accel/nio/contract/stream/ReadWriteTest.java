// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** One buffer at a time: every kind of buffer, and its position and limit afterwards. */
@Tag("stream")
class ReadWriteTest extends ContractSupport {
    private static final byte[] MESSAGE = Bytes.random(1, 1000);

    static Stream<Arguments> sources() {
        return Stream.of(
                Arguments.of("heap", ByteBuffer.wrap(MESSAGE.clone())),
                Arguments.of("heap, read-only", ByteBuffer.wrap(MESSAGE.clone()).asReadOnlyBuffer()),
                Arguments.of("heap, sliced", sliced(ByteBuffer.allocate(2000))),
                Arguments.of("heap, with offset", offset(ByteBuffer.allocate(2000))),
                Arguments.of("direct", filled(ByteBuffer.allocateDirect(1000))),
                Arguments.of(
                        "direct, read-only",
                        filled(ByteBuffer.allocateDirect(1000)).asReadOnlyBuffer()),
                Arguments.of("direct, sliced", sliced(ByteBuffer.allocateDirect(2000))),
                Arguments.of("direct, with offset", offset(ByteBuffer.allocateDirect(2000))),
                Arguments.of("direct, duplicate, little-endian", littleEndian(ByteBuffer.allocateDirect(1000))));
    }

    static Stream<Arguments> destinations() {
        return Stream.of(
                Arguments.of("heap", ByteBuffer.allocate(1000)),
                Arguments.of("heap, sliced", sliced(ByteBuffer.allocate(2000))),
                Arguments.of("heap, with offset", offset(ByteBuffer.allocate(2000))),
                Arguments.of("direct", ByteBuffer.allocateDirect(1000)),
                Arguments.of("direct, sliced", sliced(ByteBuffer.allocateDirect(2000))),
                Arguments.of("direct, with offset", offset(ByteBuffer.allocateDirect(2000))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("sources")
    void writes(String kind, ByteBuffer source) throws IOException {
        Pair pair = pair();
        int limit = source.limit();
        Bytes.write(pair.client(), source);
        assertThat(source.position()).as(kind).isEqualTo(limit);
        assertThat(source.limit()).as(kind).isEqualTo(limit);
        Bytes.assertSame(Bytes.read(pair.server(), MESSAGE.length), MESSAGE);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("destinations")
    void reads(String kind, ByteBuffer destination) throws IOException {
        Pair pair = pair();
        Bytes.write(pair.client(), MESSAGE);
        int start = destination.position();
        int limit = destination.limit();
        while (destination.hasRemaining()) {
            int before = destination.position();
            int n = pair.server().read(destination);
            assertThat(n).as(kind).isPositive();
            assertThat(destination.position()).isEqualTo(before + n);
            assertThat(destination.limit()).isEqualTo(limit);
        }
        byte[] received = new byte[MESSAGE.length];
        destination.position(start).get(received);
        Bytes.assertSame(received, MESSAGE);
    }

    @Test
    void nothingOutsideTheBufferIsTouched() throws IOException {
        Pair pair = pair();
        Bytes.write(pair.client(), MESSAGE);
        for (ByteBuffer whole : new ByteBuffer[] {ByteBuffer.allocate(30), ByteBuffer.allocateDirect(30)}) {
            ByteBuffer part = whole.duplicate().position(10).limit(20);
            while (part.hasRemaining()) {
                pair.server().read(part);
            }
            for (int i = 0; i < 10; i++) {
                assertThat(whole.get(i)).isZero();
                assertThat(whole.get(20 + i)).isZero();
            }
        }
    }

    @Test
    void readTakesOnlyWhatFits() throws IOException {
        Pair pair = pair();
        Bytes.write(pair.client(), Bytes.ascii("abcdefgh"));
        for (String expected : new String[] {"a", "bc", "def", "gh"}) {
            assertThat(Bytes.readAscii(pair.server(), expected.length())).isEqualTo(expected);
        }
    }

    @Test
    void readReturnsWhatThereIsWithoutFillingTheBuffer() throws IOException {
        Pair pair = pair();
        Bytes.write(pair.client(), Bytes.ascii("x"));
        ByteBuffer large = ByteBuffer.allocate(1 << 20);
        assertThat(pair.server().read(large)).isEqualTo(1);
        assertThat(large.position()).isEqualTo(1);
        assertThat(large.limit()).isEqualTo(1 << 20);
    }

    @Test
    void readIntoReadOnlyBufferIsRefusedAndLosesNothing() throws IOException {
        Pair pair = pair();
        Bytes.write(pair.client(), Bytes.ascii("kept"));
        for (ByteBuffer buffer : new ByteBuffer[] {ByteBuffer.allocate(4), ByteBuffer.allocateDirect(4)}) {
            ByteBuffer readOnly = buffer.asReadOnlyBuffer();
            assertThatThrownBy(() -> pair.server().read(readOnly)).isInstanceOf(IllegalArgumentException.class);
            ByteBuffer[] buffers = {ByteBuffer.allocate(1), readOnly};
            assertThatThrownBy(() -> pair.server().read(buffers)).isInstanceOf(IllegalArgumentException.class);
            assertThat(readOnly.position()).isZero();
        }
        assertThat(Bytes.readAscii(pair.server(), 4)).isEqualTo("kept");
    }

    @Test
    void aReadThatCanBringNothingDoesNotLookAtTheBuffer() throws IOException {
        ByteBuffer readOnly = ByteBuffer.allocate(4).asReadOnlyBuffer();
        ByteBuffer[] several = {readOnly, ByteBuffer.allocate(4)};
        Pair pair = pair();
        pair.client().shutdownInput();
        assertThat(pair.client().read(readOnly)).isEqualTo(-1);
        assertThat(pair.client().read(several)).isEqualTo(-1);
        pair.client().close();
        assertThatThrownBy(() -> pair.client().read(readOnly)).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> pair.client().read(several)).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void emptyBufferWritesNothing() throws IOException {
        Pair pair = pair();
        assertThat(pair.client().write(ByteBuffer.allocate(0))).isZero();
        assertThat(pair.client().write(ByteBuffer.allocateDirect(8).position(8)))
                .isZero();
        Bytes.write(pair.client(), Bytes.ascii("!"));
        assertThat(Bytes.readAscii(pair.server(), 1)).isEqualTo("!");
    }

    @Test
    void emptyBufferReadsNothingWhenThereIsSomething() throws IOException {
        Pair pair = pair();
        Bytes.write(pair.client(), Bytes.ascii("!"));
        assertThat(pair.server().read(ByteBuffer.allocate(0))).isZero();
        assertThat(pair.server().read(ByteBuffer.allocateDirect(0))).isZero();
        assertThat(Bytes.readAscii(pair.server(), 1)).isEqualTo("!");
    }

    @Test
    void emptyBufferReadsNothingWhenThereIsNothing() throws Exception {
        Pair pair = pair();
        Task<Integer> blocking = start(() -> pair.server().read(ByteBuffer.allocate(0)));
        assertThat(blocking.result()).isZero();
        pair.nonBlocking();
        assertThat(pair.server().read(ByteBuffer.allocate(0))).isZero();
    }

    @Test
    void senderMayReuseItsBufferAtOnce() throws IOException {
        Pair pair = pair();
        ByteBuffer reused = ByteBuffer.allocateDirect(64);
        for (byte round = 0; round < 100; round++) {
            reused.clear();
            while (reused.hasRemaining()) {
                reused.put(round);
            }
            Bytes.write(pair.client(), reused.flip());
        }
        for (byte round = 0; round < 100; round++) {
            assertThat(Bytes.read(pair.server(), 64)).containsOnly(round);
        }
    }

    @Test
    void bytesTravelBothWays() throws IOException {
        Pair pair = pair();
        for (int round = 0; round < 1000; round++) {
            Bytes.write(pair.client(), Bytes.random(round, 64));
            Bytes.assertSame(Bytes.read(pair.server(), 64), Bytes.random(round, 64));
            Bytes.write(pair.server(), Bytes.random(-round, 64));
            Bytes.assertSame(Bytes.read(pair.client(), 64), Bytes.random(-round, 64));
        }
    }

    private static ByteBuffer filled(ByteBuffer buffer) {
        buffer.duplicate().put(MESSAGE);
        return buffer;
    }

    private static ByteBuffer sliced(ByteBuffer buffer) {
        return filled(buffer.position(300).limit(1300).slice());
    }

    private static ByteBuffer offset(ByteBuffer buffer) {
        return filled(buffer.position(700).limit(1700));
    }

    private static ByteBuffer littleEndian(ByteBuffer buffer) {
        return filled(buffer).duplicate().order(ByteOrder.LITTLE_ENDIAN);
    }
}
