// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.DatagramSupport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One datagram of several buffers, and into several. */
@Tag("datagram")
class DatagramScatterGatherTest extends DatagramSupport {
    /** A system takes so many buffers at a time; Java programs may give more. */
    private static final int IOV_MAX = 1024;

    @Test
    void severalBuffersAreOneDatagram() throws IOException {
        Ends ends = connectedEnds();
        ByteBuffer[] buffers = {
            Bytes.ascii("heap "),
            ByteBuffer.allocate(0),
            ByteBuffer.allocateDirect(7).put(Bytes.ascii("direct ")).flip(),
            Bytes.ascii("[read only]").position(1).limit(10).asReadOnlyBuffer()
        };
        assertThat(ends.left().write(buffers)).isEqualTo(21);
        for (ByteBuffer buffer : buffers) {
            assertThat(buffer.hasRemaining()).isFalse();
        }
        assertThat(receiveText(ends.right())).isEqualTo("heap direct read only");
        assertNothingArrives(ends.right());
    }

    @Test
    void oneDatagramIntoSeveralBuffers() throws IOException {
        Ends ends = connectedEnds();
        ends.left().write(Bytes.ascii("0123456789"));
        ByteBuffer[] buffers = {
            ByteBuffer.allocate(5).position(2),
            ByteBuffer.allocate(0),
            ByteBuffer.allocateDirect(4),
            ByteBuffer.allocate(9)
        };
        assertThat(ends.right().read(buffers)).isEqualTo(10);
        assertThat(Arrays.stream(buffers).map(ByteBuffer::position)).containsExactly(5, 0, 4, 3);
        assertThat(buffers[0].position(2)).isEqualTo(Bytes.ascii("012"));
        assertThat(buffers[2].flip()).isEqualTo(Bytes.ascii("3456"));
        assertThat(buffers[3].flip()).isEqualTo(Bytes.ascii("789"));
    }

    @Test
    void readTakesOneDatagramOnly() throws IOException {
        Ends ends = connectedEnds();
        ends.left().write(Bytes.ascii("one"));
        ends.left().write(Bytes.ascii("two"));
        ByteBuffer[] buffers = {ByteBuffer.allocate(2), ByteBuffer.allocate(100)};
        assertThat(ends.right().read(buffers)).isEqualTo(3);
        assertThat(buffers[1].position()).isEqualTo(1);
        assertThat(ends.right().read(buffers)).isEqualTo(3);
        assertThat(buffers[1].position()).isEqualTo(4);
    }

    @Test
    void whatDoesNotFitIsDiscarded() throws IOException {
        Ends ends = connectedEnds();
        for (int round = 0; round < 3; round++) {
            ends.left().write(Bytes.ascii("far too long"));
            ends.left().write(Bytes.ascii("next"));
            ByteBuffer[] buffers = {ByteBuffer.allocate(4), ByteBuffer.allocateDirect(3)};
            assertThat(ends.right().read(buffers)).isEqualTo(7);
            assertThat(buffers[0].flip()).isEqualTo(Bytes.ascii("far "));
            assertThat(buffers[1].flip()).isEqualTo(Bytes.ascii("too"));
            ByteBuffer small = ByteBuffer.allocate(2);
            assertThat(ends.right().read(small)).isEqualTo(2);
            assertThat(small.flip()).isEqualTo(Bytes.ascii("ne"));
        }
        assertNothingArrives(ends.right());
    }

    @Test
    void offsetAndLengthSelectBuffers() throws IOException {
        Ends ends = connectedEnds();
        ByteBuffer[] sources = {Bytes.ascii("a"), Bytes.ascii("b"), Bytes.ascii("c"), Bytes.ascii("d")};
        assertThat(ends.left().write(sources, 1, 2)).isEqualTo(2);
        assertThat(Arrays.stream(sources).map(ByteBuffer::remaining)).containsExactly(1, 0, 0, 1);
        ByteBuffer[] targets = {ByteBuffer.allocate(1), ByteBuffer.allocate(1), ByteBuffer.allocate(1)};
        assertThat(ends.right().read(targets, 1, 2)).isEqualTo(2);
        assertThat(targets[0].position()).isZero();
        assertThat(targets[1].flip()).isEqualTo(Bytes.ascii("b"));
        assertThat(targets[2].flip()).isEqualTo(Bytes.ascii("c"));
    }

    @Test
    void badOffsetsAndLengthsAreRefused() throws IOException {
        Ends ends = connectedEnds();
        ByteBuffer[] buffers = {Bytes.ascii("a"), Bytes.ascii("b")};
        int[][] bad = {{-1, 1}, {0, -1}, {0, 3}, {2, 1}, {3, 0}, {1, Integer.MAX_VALUE}};
        for (int[] range : bad) {
            assertThatThrownBy(() -> ends.left().write(buffers, range[0], range[1]))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> ends.left().read(buffers, range[0], range[1]))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
        assertNothingArrives(ends.right());
    }

    @Test
    void nothingToWriteIsNoDatagram() throws IOException {
        Ends ends = connectedEnds();
        ByteBuffer[] empty = {ByteBuffer.allocate(0), ByteBuffer.allocateDirect(0)};
        assertThat(ends.left().write(new ByteBuffer[0])).isZero();
        assertThat(ends.left().write(empty)).isZero();
        assertNothingArrives(ends.right());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 16, 1000, IOV_MAX})
    void manyBuffers(int count) throws IOException {
        Ends ends = connectedEnds();
        byte[] bytes = Bytes.random(count, count * 3);
        ByteBuffer[] sources = new ByteBuffer[count];
        ByteBuffer[] targets = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            sources[i] = i % 2 == 0 ? ByteBuffer.wrap(bytes, 3 * i, 3) : direct(bytes, 3 * i);
            targets[i] = i % 3 == 0 ? ByteBuffer.allocateDirect(3) : ByteBuffer.allocate(3);
        }
        assertThat(ends.left().write(sources)).isEqualTo(bytes.length);
        assertThat(ends.right().read(targets)).isEqualTo(bytes.length);
        ByteBuffer received = ByteBuffer.allocate(bytes.length);
        for (ByteBuffer target : targets) {
            received.put(target.flip());
        }
        Bytes.assertSame(received.array(), bytes);
    }

    @Test
    void largestDatagramOfSeveralBuffers() throws IOException {
        Ends ends = connectedEnds();
        byte[] bytes = Bytes.random(1, LARGEST);
        ByteBuffer[] sources = {
            ByteBuffer.wrap(bytes, 0, 1),
            ByteBuffer.wrap(bytes, 1, 60_000),
            ByteBuffer.wrap(bytes, 60_001, LARGEST - 60_001)
        };
        assertThat(ends.left().write(sources)).isEqualTo(LARGEST);
        ByteBuffer[] targets = {ByteBuffer.allocate(30_000), ByteBuffer.allocateDirect(LARGEST)};
        assertThat(ends.right().read(targets)).isEqualTo(LARGEST);
        assertThat(targets[0].flip()).isEqualTo(ByteBuffer.wrap(bytes, 0, 30_000));
        assertThat(targets[1].flip()).isEqualTo(ByteBuffer.wrap(bytes, 30_000, LARGEST - 30_000));
    }

    @Test
    void oneByteTooManyIsRefused() throws IOException {
        Ends ends = connectedEnds();
        ByteBuffer[] sources = {ByteBuffer.allocate(LARGEST), ByteBuffer.allocateDirect(1)};
        assertThatThrownBy(() -> ends.left().write(sources)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> ends.left().write(ByteBuffer.allocate(LARGEST + 1)))
                .isInstanceOf(IOException.class);
        assertThat(sources[0].position()).isZero();
        assertNothingArrives(ends.right());
        assertThat(ends.left().write(sources[0])).isEqualTo(LARGEST);
        assertThat(receive(ends.right()).bytes().remaining()).isEqualTo(LARGEST);
    }

    private static ByteBuffer direct(byte[] bytes, int from) {
        return ByteBuffer.allocateDirect(3).put(bytes, from, 3).flip();
    }
}
