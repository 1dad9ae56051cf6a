// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.nio.contract.Arenas;
import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.DatagramSupport;
import io.accel.nio.contract.Task;
import io.accel.nio.contract.TruncatedFile;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.util.Arrays;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Datagrams from and to buffers that fail: nothing is sent, and no position moves. */
@Tag("datagram")
class DatagramFailingBufferTest extends DatagramSupport {
    enum Failing {
        CLOSED,
        ANOTHER_THREADS,
        GONE;

        ByteBuffer buffer(int size) throws Exception {
            return switch (this) {
                case CLOSED -> Arenas.closed(size);
                case ANOTHER_THREADS -> Arenas.ofAnotherThread(size);
                case GONE -> TruncatedFile.mapped(size, 0);
            };
        }

        /** Asserts that an operation fails as the JDK's channels do; with that exception if it is the memory of a file. */
        void assertFails(Class<? extends IOException> gone, ThrowingCallable operation) {
            if (this == GONE) {
                assertThatThrownBy(operation).isExactlyInstanceOf(gone).hasMessage("Bad address");
            } else {
                assertThatThrownBy(operation)
                        .isInstanceOf(RuntimeException.class)
                        .hasMessageContaining(this == CLOSED ? "Already closed" : "outside owning thread");
            }
        }
    }

    static Stream<Failing> here() {
        return Arrays.stream(Failing.values()).filter(each -> Arenas.exist() || each == Failing.GONE);
    }

    private static void assertWorks(Ends ends) throws IOException {
        send(ends.left(), "next", addressOf(ends.right()));
        assertThat(receiveText(ends.right())).isEqualTo("next");
        assertNothingArrives(ends.right());
    }

    @ParameterizedTest
    @MethodSource("here")
    void send(Failing failing) throws Exception {
        Ends ends = ends();
        ByteBuffer buffer = failing.buffer(1000).position(10);
        failing.assertFails(SocketException.class, () -> ends.left().send(buffer, addressOf(ends.right())));
        assertThat(buffer.position()).isEqualTo(10);
        assertWorks(ends);
    }

    @ParameterizedTest
    @MethodSource("here")
    void sendOrWriteToThePeer(Failing failing) throws Exception {
        Ends ends = connectedEnds();
        ByteBuffer buffer = failing.buffer(1000);
        failing.assertFails(IOException.class, () -> ends.left().send(buffer, addressOf(ends.right())));
        failing.assertFails(IOException.class, () -> ends.left().write(buffer));
        assertThat(buffer.position()).isZero();
        assertWorks(ends);
    }

    @ParameterizedTest
    @MethodSource("here")
    void gather(Failing failing) throws Exception {
        Ends ends = connectedEnds();
        for (int at = 0; at < 3; at++) {
            ByteBuffer[] sources = {Bytes.ascii("AAAA"), ByteBuffer.allocateDirect(2), Bytes.ascii("BB")};
            sources[at] = failing.buffer(8);
            failing.assertFails(IOException.class, () -> ends.left().write(sources));
            assertThat(sources).allMatch(each -> each.position() == 0);
        }
        assertWorks(ends);
    }

    @ParameterizedTest
    @MethodSource("here")
    void withoutAByte(Failing failing) throws Exception {
        assumeTrue(failing != Failing.GONE);
        Ends ends = connectedEnds().nonBlocking();
        ByteBuffer buffer = failing.buffer(8).limit(0);
        assertThat(ends.left().write(buffer)).isZero();
        failing.assertFails(null, () -> ends.left().write(new ByteBuffer[] {buffer}));
        failing.assertFails(null, () -> ends.left().write(new ByteBuffer[] {Bytes.ascii("A"), buffer}));
        assertThat(ends.left().read(buffer)).isZero();
        failing.assertFails(null, () -> ends.left().read(new ByteBuffer[] {buffer}));
        assertThat(ends.left().receive(buffer)).isNull();
        Ends others = ends();
        failing.assertFails(null, () -> others.left().send(buffer, addressOf(others.right())));
        assertWorks(ends);
    }

    @ParameterizedTest
    @MethodSource("here")
    void receive(Failing failing) throws Exception {
        Ends ends = ends();
        send(ends.left(), "first", addressOf(ends.right()));
        send(ends.left(), "second", addressOf(ends.right()));
        ByteBuffer buffer = failing.buffer(100).position(1);
        failing.assertFails(SocketException.class, () -> ends.right().receive(buffer));
        assertThat(buffer.position()).isEqualTo(1);
        assertLeft(failing, ends);
    }

    /** Asserts which of two datagrams is left: the kernel loses one that it cannot store. */
    private static void assertLeft(Failing failing, Ends ends) throws IOException {
        if (failing != Failing.GONE) {
            assertThat(receiveText(ends.right())).isEqualTo("first");
        }
        assertThat(receiveText(ends.right())).isEqualTo("second");
        assertNothingArrives(ends.right());
    }

    @ParameterizedTest
    @MethodSource("here")
    void read(Failing failing) throws Exception {
        Ends ends = connectedEnds();
        send(ends.left(), "first", addressOf(ends.right()));
        send(ends.left(), "second", addressOf(ends.right()));
        ByteBuffer buffer = failing.buffer(100);
        failing.assertFails(IOException.class, () -> ends.right().read(buffer));
        assertThat(buffer.position()).isZero();
        assertLeft(failing, ends);
    }

    @ParameterizedTest
    @MethodSource("here")
    void scatter(Failing failing) throws Exception {
        Ends ends = connectedEnds();
        send(ends.left(), "first", addressOf(ends.right()));
        send(ends.left(), "second", addressOf(ends.right()));
        ByteBuffer[] targets = {ByteBuffer.allocate(2).position(1), failing.buffer(3), ByteBuffer.allocate(8)};
        failing.assertFails(IOException.class, () -> ends.right().read(targets));
        assertThat(targets[0].position()).isEqualTo(1);
        assertThat(targets[1].position()).isZero();
        assertLeft(failing, ends);
    }

    @ParameterizedTest
    @MethodSource("here")
    void nothingToReceive(Failing failing) throws Exception {
        assumeTrue(failing != Failing.GONE);
        Ends ends = connectedEnds().nonBlocking();
        ByteBuffer buffer = failing.buffer(8);
        failing.assertFails(null, () -> ends.right().receive(buffer));
        failing.assertFails(null, () -> ends.right().read(buffer));
        failing.assertFails(null, () -> ends.right().read(new ByteBuffer[] {ByteBuffer.allocate(2), buffer}));
    }

    @Test
    void mappingsThatAreThere() throws Exception {
        Ends ends = connectedEnds();
        MappedByteBuffer source = TruncatedFile.mapped(60_000, 60_000);
        MappedByteBuffer target = TruncatedFile.mapped(70_000, 70_000);
        byte[] bytes = Bytes.random(5, 60_000);
        source.duplicate().put(bytes);
        for (int size : new int[] {1, 1_000, 60_000}) {
            source.position(0).limit(size);
            assertThat(ends.left().write(source)).isEqualTo(size);
            target.clear().position(7);
            assertThat(ends.right().read(target)).isEqualTo(size);
            assertThat(target.position()).isEqualTo(7 + size);
            assertThat(target.flip().position(7)).isEqualTo(ByteBuffer.wrap(bytes, 0, size));
        }
    }

    @Test
    void arenaOfAWaitingReceive() throws Exception {
        assumeTrue(Arenas.exist());
        Ends ends = connectedEnds();
        Arenas.Memory memory = Arenas.shared(8);
        Task<SocketAddress> receiver =
                start(() -> ends.right().receive(memory.buffer())).awaitInside("receive");
        assertHeld(memory);
        send(ends.left(), "hello", addressOf(ends.right()));
        assertThat(receiver.result()).isEqualTo(addressOf(ends.left()));
        ByteBuffer[] several = {ByteBuffer.allocate(2), memory.buffer().clear()};
        Task<Long> reader = start(() -> ends.right().read(several)).awaitInside("read");
        assertHeld(memory);
        send(ends.left(), "hello", addressOf(ends.right()));
        assertThat(reader.result()).isEqualTo(5);
        memory.close();
    }

    private static void assertHeld(Arenas.Memory memory) {
        assertThatThrownBy(memory::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Session is acquired by 1 clients");
    }
}
