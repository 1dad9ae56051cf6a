// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.DatagramSupport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.NotYetConnectedException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which bytes of a program's buffers are sent, and where received ones are put. */
@Tag("datagram")
class DatagramBufferTest extends DatagramSupport {
    enum Kind {
        HEAP,
        DIRECT,
        SLICE,
        DIRECT_SLICE,
        OF_A_LONGER_ARRAY;

        ByteBuffer allocate(int capacity) {
            return switch (this) {
                case HEAP -> ByteBuffer.allocate(capacity);
                case DIRECT -> ByteBuffer.allocateDirect(capacity);
                case SLICE -> ByteBuffer.allocate(capacity + 7).slice(3, capacity);
                case DIRECT_SLICE -> ByteBuffer.allocateDirect(capacity + 7).slice(3, capacity);
                case OF_A_LONGER_ARRAY ->
                    ByteBuffer.wrap(new byte[capacity + 9], 4, capacity).slice();
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void sentFromPositionToLimit(Kind kind) throws IOException {
        Ends ends = ends();
        ByteBuffer buffer = kind.allocate(10).put(Bytes.ascii("0123456789"));
        for (int position = 0; position <= 10; position++) {
            for (int limit = position; limit <= 10; limit++) {
                buffer.limit(limit).position(position);
                assertThat(ends.left().send(buffer, addressOf(ends.right()))).isEqualTo(limit - position);
                assertThat(buffer.position()).isEqualTo(limit);
                assertThat(buffer.limit()).isEqualTo(limit);
                assertThat(receiveText(ends.right())).isEqualTo("0123456789".substring(position, limit));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void sentFromAReadOnlyBuffer(Kind kind) throws IOException {
        Ends ends = ends();
        ByteBuffer buffer =
                kind.allocate(9).put(Bytes.ascii("read only")).flip().asReadOnlyBuffer();
        assertThat(ends.left().send(buffer, addressOf(ends.right()))).isEqualTo(9);
        assertThat(buffer.hasRemaining()).isFalse();
        assertThat(receiveText(ends.right())).isEqualTo("read only");
    }

    @ParameterizedTest
    @EnumSource
    void receivedAtThePosition(Kind kind) throws IOException {
        Ends ends = ends();
        send(ends.left(), "abc", addressOf(ends.right()));
        ByteBuffer buffer = kind.allocate(10).put(Bytes.ascii("0123456789"));
        buffer.limit(8).position(2);
        assertThat(ends.right().receive(buffer)).isEqualTo(addressOf(ends.left()));
        assertThat(buffer.position()).isEqualTo(5);
        assertThat(buffer.limit()).isEqualTo(8);
        assertThat(ascii(buffer.clear())).isEqualTo("01abc56789");
    }

    @ParameterizedTest
    @EnumSource
    void whatDoesNotFitIsDiscarded(Kind kind) throws IOException {
        Ends ends = ends();
        for (int round = 0; round < 3; round++) {
            send(ends.left(), "too long", addressOf(ends.right()));
            send(ends.left(), "next", addressOf(ends.right()));
            ByteBuffer buffer = kind.allocate(10).put(Bytes.ascii("0123456789"));
            buffer.limit(5).position(2);
            assertThat(ends.right().receive(buffer)).isEqualTo(addressOf(ends.left()));
            assertThat(buffer.hasRemaining()).isFalse();
            assertThat(ascii(buffer.clear())).isEqualTo("01too56789");
            assertThat(receiveText(ends.right())).isEqualTo("next");
        }
        assertNothingArrives(ends.right());
    }

    @ParameterizedTest
    @EnumSource
    void largeDatagramIntoASmallBuffer(Kind kind) throws IOException {
        Ends ends = ends();
        byte[] bytes = Bytes.random(5, LARGEST);
        for (int length : new int[] {1, 100, 5000, LARGEST - 1}) {
            send(ends.left(), bytes, addressOf(ends.right()));
            ByteBuffer buffer = kind.allocate(length);
            assertThat(ends.right().receive(buffer)).isNotNull();
            assertThat(buffer.flip()).isEqualTo(ByteBuffer.wrap(bytes, 0, length));
        }
        assertNothingArrives(ends.right());
    }

    @ParameterizedTest
    @EnumSource
    void bufferWithoutRoomTakesADatagramAndItsSource(Kind kind) throws IOException {
        Ends ends = ends();
        ByteBuffer full = kind.allocate(3).position(3);
        send(ends.left(), "dropped", addressOf(ends.right()));
        assertThat(ends.right().receive(full)).isEqualTo(addressOf(ends.left()));
        assertThat(full.position()).isEqualTo(3);
        assertThat(full.limit()).isEqualTo(3);
        assertNothingArrives(ends.right());
    }

    @Test
    void readOnlyBufferIsRefusedAndTakesNothing() throws IOException {
        Ends ends = connectedEnds();
        ends.left().write(Bytes.ascii("kept"));
        ByteBuffer readOnly = ByteBuffer.allocate(10).asReadOnlyBuffer();
        ByteBuffer direct = ByteBuffer.allocateDirect(10).asReadOnlyBuffer();
        for (ByteBuffer buffer : new ByteBuffer[] {readOnly, direct}) {
            assertThatThrownBy(() -> ends.right().receive(buffer)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> ends.right().read(buffer)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> ends.right().read(new ByteBuffer[] {ByteBuffer.allocate(2), buffer}))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(buffer.position()).isZero();
        }
        assertThat(receiveText(ends.right())).isEqualTo("kept");
    }

    @Test
    void readOnlyBufferMattersOnlyToWhoIsConnected() throws IOException {
        ByteBuffer readOnly = ByteBuffer.allocate(10).asReadOnlyBuffer();
        assertThatThrownBy(() -> bound().read(readOnly)).isInstanceOf(NotYetConnectedException.class);
        assertThatThrownBy(() -> bound().read(new ByteBuffer[] {readOnly}))
                .isInstanceOf(NotYetConnectedException.class);
    }

    @Test
    void noBufferIsRefused() throws IOException {
        Ends ends = connectedEnds();
        assertThatThrownBy(() -> ends.right().receive(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> ends.right().read((ByteBuffer) null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> ends.right().write((ByteBuffer) null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> ends.right().read((ByteBuffer[]) null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> ends.right().write((ByteBuffer[]) null)).isInstanceOf(NullPointerException.class);
        assertThat(ends.right().isOpen()).isTrue();
    }

    /** The sender may change its buffer as soon as it is told that it was sent. */
    @ParameterizedTest
    @EnumSource
    void bufferIsTheSendersAgainAfterTheSend(Kind kind) throws IOException {
        Ends ends = ends();
        ByteBuffer buffer = kind.allocate(2000);
        for (int i = 0; i < FEW; i++) {
            while (buffer.hasRemaining()) {
                buffer.put((byte) i);
            }
            assertThat(ends.left().send(buffer.flip(), addressOf(ends.right()))).isEqualTo(2000);
            buffer.clear();
        }
        for (int i = 0; i < FEW; i++) {
            ByteBuffer received = receive(ends.right()).bytes();
            assertThat(received.remaining()).isEqualTo(2000);
            while (received.hasRemaining()) {
                assertThat(received.get()).isEqualTo((byte) i);
            }
        }
    }

    private static String ascii(ByteBuffer buffer) {
        return StandardCharsets.US_ASCII.decode(buffer).toString();
    }
}
