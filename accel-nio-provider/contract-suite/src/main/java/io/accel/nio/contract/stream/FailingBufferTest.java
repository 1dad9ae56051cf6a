// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.nio.contract.Arenas;
import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Task;
import io.accel.nio.contract.TruncatedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Operations whose buffers fail: they move no position and no byte, and the connection goes on. A buffer fails if its arena is closed or
 * another thread's, or if it maps a part of a file that is gone.
 */
@Tag("stream")
class FailingBufferTest extends ContractSupport {
    /** More than a connection takes at once on any path. */
    private static final int HUGE = 64 << 20;

    enum Failing {
        CLOSED {
            @Override
            ByteBuffer buffer(int size) {
                return Arenas.closed(size);
            }
        },
        CLOSED_READ_ONLY {
            @Override
            ByteBuffer buffer(int size) {
                return Arenas.closed(size).asReadOnlyBuffer();
            }
        },
        ANOTHER_THREADS {
            @Override
            ByteBuffer buffer(int size) throws Exception {
                return Arenas.ofAnotherThread(size);
            }
        },
        GONE {
            @Override
            ByteBuffer buffer(int size) throws IOException {
                return TruncatedFile.mapped(size, 0);
            }
        },
        GONE_DUPLICATE {
            @Override
            ByteBuffer buffer(int size) throws IOException {
                return TruncatedFile.mapped(size, 0).asReadOnlyBuffer().duplicate();
            }
        },
        GONE_SLICE {
            @Override
            ByteBuffer buffer(int size) throws IOException {
                return TruncatedFile.mapped(size + (1 << 16), 1).slice(1 << 16, size);
            }
        };

        abstract ByteBuffer buffer(int size) throws Exception;

        boolean isArena() {
            return this == CLOSED || this == CLOSED_READ_ONLY || this == ANOTHER_THREADS;
        }

        boolean isReadOnly() {
            return this == CLOSED_READ_ONLY || this == GONE_DUPLICATE;
        }

        /** Asserts that an operation fails as the JDK's channels do. */
        void assertFails(ThrowingCallable operation) {
            if (isArena()) {
                String message = this == ANOTHER_THREADS ? "outside owning thread" : "Already closed";
                assertThatThrownBy(operation)
                        .isInstanceOf(RuntimeException.class)
                        .hasMessageContaining(message);
            } else {
                assertThatThrownBy(operation)
                        .isExactlyInstanceOf(IOException.class)
                        .hasMessage("Bad address");
            }
        }
    }

    private static final List<Boolean> EITHER = List.of(true, false);

    static Stream<Arguments> inEachMode() {
        return Arrays.stream(Failing.values())
                .filter(each -> Arenas.exist() || !each.isArena())
                .flatMap(each -> EITHER.stream().map(blocking -> Arguments.of(each, blocking)));
    }

    private Pair pair(boolean blocking) throws IOException {
        return blocking ? pair() : pair().nonBlocking();
    }

    private static ByteBuffer heap(String text) {
        return Bytes.ascii(text);
    }

    private static ByteBuffer direct(String text) {
        return ByteBuffer.allocateDirect(text.length()).put(Bytes.ascii(text)).flip();
    }

    /** Asserts that nothing came, and that the connection works. */
    private static void assertNothingSent(Pair pair) throws IOException {
        Bytes.write(pair.client(), heap("next"));
        pair.server().configureBlocking(true);
        assertThat(Bytes.readAscii(pair.server(), 4)).isEqualTo("next");
        pair.server().configureBlocking(false);
        assertThat(pair.server().read(ByteBuffer.allocate(1))).isZero();
        pair.client().configureBlocking(true);
        Bytes.write(pair.server(), heap("back"));
        assertThat(Bytes.readAscii(pair.client(), 4)).isEqualTo("back");
    }

    @ParameterizedTest
    @MethodSource("inEachMode")
    void write(Failing failing, boolean blocking) throws Exception {
        Pair pair = pair(blocking);
        ByteBuffer buffer = failing.buffer(65_536);
        failing.assertFails(() -> pair.client().write(buffer));
        assertThat(buffer.position()).isZero();
        buffer.position(100).limit(200);
        failing.assertFails(() -> pair.client().write(buffer));
        assertThat(buffer.position()).isEqualTo(100);
        assertNothingSent(pair);
    }

    @ParameterizedTest
    @MethodSource("inEachMode")
    void writeBehindOthers(Failing failing, boolean blocking) throws Exception {
        Pair pair = pair(blocking);
        Bytes.write(pair.client(), heap("before"));
        ByteBuffer buffer = failing.buffer(8);
        failing.assertFails(() -> pair.client().write(buffer));
        Bytes.write(pair.client(), heap(" behind"));
        pair.server().configureBlocking(true);
        assertThat(Bytes.readAscii(pair.server(), 13)).isEqualTo("before behind");
        assertNothingSent(pair);
    }

    @ParameterizedTest
    @MethodSource("inEachMode")
    void gather(Failing failing, boolean blocking) throws Exception {
        Pair pair = pair(blocking);
        for (int at = 0; at < 3; at++) {
            ByteBuffer[] sources = {heap("AAAAAAAA"), direct("BBBB"), heap("C").asReadOnlyBuffer()};
            sources[at] = failing.buffer(8);
            failing.assertFails(() -> pair.client().write(sources));
            assertThat(sources).allMatch(each -> each.position() == 0);
        }
        assertNothingSent(pair);
    }

    @ParameterizedTest
    @MethodSource("inEachMode")
    void gatherThenClose(Failing failing, boolean blocking) throws Exception {
        Pair pair = pair(blocking);
        Bytes.write(pair.client(), heap("before"));
        failing.assertFails(() -> pair.client().write(new ByteBuffer[] {heap("AAAA"), failing.buffer(8)}));
        pair.client().shutdownOutput();
        pair.server().configureBlocking(true);
        assertThat(new String(Bytes.readToEnd(pair.server()), java.nio.charset.StandardCharsets.ISO_8859_1))
                .isEqualTo("before");
    }

    /** The first buffer does not fit in at once. */
    @ParameterizedTest
    @MethodSource("inEachMode")
    void gatherBehindMoreThanFits(Failing failing, boolean blocking) throws Exception {
        assumeTrue(failing.isArena(), "the kernel finds out about the memory of a file when it gets there");
        Pair pair = pair(blocking);
        ByteBuffer first = ByteBuffer.allocate(HUGE);
        ByteBuffer second = failing.buffer(8);
        failing.assertFails(() -> pair.client().write(new ByteBuffer[] {first, second}));
        assertThat(first.position()).isZero();
        assertThat(second.position()).isZero();
        assertNothingSent(pair);
    }

    /** Nothing fits in. */
    @ParameterizedTest
    @EnumSource
    void writeToAFullConnection(Failing failing) throws Exception {
        assumeTrue(failing.isArena() && Arenas.exist());
        SocketChannel client = fullPair().client();
        client.configureBlocking(false);
        ByteBuffer buffer = failing.buffer(8);
        failing.assertFails(() -> client.write(buffer));
        failing.assertFails(() -> client.write(new ByteBuffer[] {heap("AAAA"), buffer}));
        assertThat(buffer.position()).isZero();
    }

    /** Buffers without a byte. */
    @ParameterizedTest
    @EnumSource
    void emptyBuffers(Failing failing) throws Exception {
        assumeTrue(failing.isArena() && Arenas.exist());
        Pair pair = pair().nonBlocking();
        ByteBuffer buffer = failing.buffer(8).limit(0);
        assertThat(pair.client().write(buffer)).isZero();
        failing.assertFails(() -> pair.client().write(new ByteBuffer[] {heap("AAAA"), buffer}));
        failing.assertFails(() -> pair.client().write(new ByteBuffer[] {buffer}));
        if (!failing.isReadOnly()) {
            assertThat(pair.client().read(buffer)).isZero();
            failing.assertFails(() -> pair.client().read(new ByteBuffer[] {buffer}));
        }
        assertNothingSent(pair);
    }

    private static void send(Pair pair, String text) throws IOException {
        Bytes.write(pair.server(), heap(text));
        eventually().until(() -> pair.client().socket().getInputStream().available() == text.length());
    }

    /** Asserts that exactly these bytes are left to read. */
    private static void assertLeft(Pair pair, String text) throws IOException {
        pair.client().configureBlocking(true);
        assertThat(Bytes.readAscii(pair.client(), text.length())).isEqualTo(text);
        pair.client().configureBlocking(false);
        assertThat(pair.client().read(ByteBuffer.allocate(1))).isZero();
    }

    @ParameterizedTest
    @MethodSource("inEachMode")
    void read(Failing failing, boolean blocking) throws Exception {
        assumeTrue(!failing.isReadOnly());
        Pair pair = pair();
        send(pair, "0123456789");
        pair.client().configureBlocking(blocking);
        ByteBuffer buffer = failing.buffer(6);
        failing.assertFails(() -> pair.client().read(buffer));
        buffer.position(2);
        failing.assertFails(() -> pair.client().read(buffer));
        assertThat(buffer.position()).isEqualTo(2);
        assertLeft(pair, "0123456789");
    }

    @ParameterizedTest
    @MethodSource("inEachMode")
    void scatter(Failing failing, boolean blocking) throws Exception {
        assumeTrue(!failing.isReadOnly());
        Pair pair = pair();
        send(pair, "0123456789abcdef");
        pair.client().configureBlocking(blocking);
        for (int at = 0; at < 3; at++) {
            ByteBuffer[] targets = {ByteBuffer.allocate(6), ByteBuffer.allocateDirect(6), ByteBuffer.allocate(8)};
            targets[at] = failing.buffer(6);
            failing.assertFails(() -> pair.client().read(targets));
            assertThat(targets).allMatch(each -> each.position() == 0);
        }
        assertLeft(pair, "0123456789abcdef");
    }

    /** A buffer behind those that take all bytes. */
    @ParameterizedTest
    @MethodSource("inEachMode")
    void scatterBeforeAFailingBuffer(Failing failing, boolean blocking) throws Exception {
        assumeTrue(!failing.isReadOnly());
        Pair pair = pair();
        send(pair, "0123456789");
        pair.client().configureBlocking(blocking);
        ByteBuffer first = ByteBuffer.allocate(100);
        ByteBuffer second = failing.buffer(6);
        if (failing.isArena()) {
            failing.assertFails(() -> pair.client().read(new ByteBuffer[] {first, second}));
            assertThat(first.position()).isZero();
            assertLeft(pair, "0123456789");
        } else {
            assertThat(pair.client().read(new ByteBuffer[] {first, second})).isEqualTo(10);
            assertThat(first.position()).isEqualTo(10);
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothingToRead(Failing failing) throws Exception {
        assumeTrue(!failing.isReadOnly() && (Arenas.exist() || !failing.isArena()));
        Pair pair = pair().nonBlocking();
        ByteBuffer buffer = failing.buffer(6);
        ByteBuffer[] several = {ByteBuffer.allocate(3), buffer};
        if (failing.isArena()) {
            failing.assertFails(() -> pair.client().read(buffer));
            failing.assertFails(() -> pair.client().read(several));
        } else {
            assertThat(pair.client().read(buffer)).isZero();
            assertThat(pair.client().read(several)).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("inEachMode")
    void endOfStream(Failing failing, boolean blocking) throws Exception {
        assumeTrue(!failing.isReadOnly());
        Pair pair = pair();
        pair.server().shutdownOutput();
        assertThat(pair.client().read(ByteBuffer.allocate(1))).isEqualTo(-1);
        pair.client().configureBlocking(blocking);
        ByteBuffer buffer = failing.buffer(6);
        ByteBuffer[] several = {ByteBuffer.allocate(3), buffer};
        if (failing.isArena()) {
            failing.assertFails(() -> pair.client().read(buffer));
            failing.assertFails(() -> pair.client().read(several));
        } else {
            assertThat(pair.client().read(buffer)).isEqualTo(-1);
            assertThat(pair.client().read(several)).isEqualTo(-1);
        }
        pair.client().shutdownInput();
        assertThat(pair.client().read(buffer)).isEqualTo(-1);
        assertThat(pair.client().read(several)).isEqualTo(-1);
    }

    @ParameterizedTest
    @EnumSource
    void outputShutDown(Failing failing) throws Exception {
        assumeTrue(Arenas.exist() || !failing.isArena());
        Pair pair = pair();
        pair.client().shutdownOutput();
        ByteBuffer buffer = failing.buffer(6);
        assertThatThrownBy(() -> pair.client().write(buffer))
                .isInstanceOf(java.nio.channels.ClosedChannelException.class);
        assertThatThrownBy(() -> pair.client().write(new ByteBuffer[] {buffer}))
                .isInstanceOf(java.nio.channels.ClosedChannelException.class);
    }

    /** The first buffer that is not fit decides how a read fails. */
    @Test
    void theFirstUnfitBufferCounts() throws Exception {
        assumeTrue(Arenas.exist());
        Pair pair = pair();
        send(pair, "0123456789");
        ByteBuffer readOnly = ByteBuffer.allocate(1).asReadOnlyBuffer();
        ByteBuffer closed = Arenas.closed(1);
        assertThatThrownBy(() -> pair.client().read(new ByteBuffer[] {readOnly, closed}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Read-only buffer");
        Failing.CLOSED.assertFails(() -> pair.client().read(new ByteBuffer[] {closed, readOnly}));
        assertLeft(pair, "0123456789");
    }

    @Test
    void scatterIntoAReadOnlyBuffer() throws Exception {
        Pair pair = pair();
        send(pair, "0123456789");
        ByteBuffer first = ByteBuffer.allocate(100);
        assertThatThrownBy(() -> pair.client()
                        .read(new ByteBuffer[] {first, ByteBuffer.allocate(1).asReadOnlyBuffer()}))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(first.position()).isZero();
        assertLeft(pair, "0123456789");
    }

    /** Only as many buffers as one system call takes are looked at. */
    @Test
    void buffersBehindTheLastAreNotLookedAt() throws Exception {
        Pair pair = pair();
        List<ByteBuffer> sources = new ArrayList<>();
        for (int i = 0; i < 1024; i++) {
            sources.add(heap("x"));
        }
        sources.add(null);
        assertThat(pair.client().write(sources.toArray(ByteBuffer[]::new))).isEqualTo(1024);
        eventually().until(() -> pair.server().socket().getInputStream().available() == 1024);
        List<ByteBuffer> targets = new ArrayList<>();
        for (int i = 0; i < 1024; i++) {
            targets.add(ByteBuffer.allocate(1));
        }
        targets.add(ByteBuffer.allocate(1).asReadOnlyBuffer());
        assertThat(pair.server().read(targets.toArray(ByteBuffer[]::new))).isEqualTo(1024);
    }

    /** Most pages are there. */
    @ParameterizedTest
    @MethodSource("inEachMode")
    void partlyGone(Failing failing, boolean blocking) throws Exception {
        assumeTrue(failing == Failing.GONE);
        Pair pair = pair(blocking);
        MappedByteBuffer source = TruncatedFile.mapped(65_536, 8_192);
        failing.assertFails(() -> pair.client().write(source));
        assertThat(source.position()).isZero();
        assertNothingSent(pair);
        source.limit(8_192);
        Bytes.write(pair.client(), source);
        pair.server().configureBlocking(true);
        assertThat(Bytes.read(pair.server(), 8_192)).containsOnly('M');
    }

    @Test
    void partlyGoneTarget() throws Exception {
        Pair pair = pair();
        MappedByteBuffer target = TruncatedFile.mapped(65_536, 8_192);
        send(pair, "0123456789");
        target.position(8_190);
        Failing.GONE.assertFails(() -> pair.client().read(target));
        assertThat(target.position()).isEqualTo(8_190);
        target.position(0);
        assertThat(pair.client().read(target)).isEqualTo(10);
        assertThat(target.flip()).isEqualTo(heap("0123456789"));
    }

    /** Mappings whose pages are there are buffers like others, in pieces of any size. */
    @ParameterizedTest
    @EnumSource(names = {"GONE", "GONE_SLICE"})
    void mappingsThatAreThere(Failing kind) throws Exception {
        Pair pair = pair();
        int size = 300_000;
        byte[] bytes = Bytes.random(41, size);
        MappedByteBuffer source = TruncatedFile.mapped(size + 100, size + 100);
        source.slice(50, size).put(bytes);
        MappedByteBuffer target = TruncatedFile.mapped(size + 100, size + 100);
        source.position(50).limit(50 + size);
        target.position(20).limit(20 + size);
        Task<Void> writer = run(() -> {
            if (kind == Failing.GONE) {
                Bytes.write(pair.client(), source.duplicate());
            } else {
                ByteBuffer[] pieces = new ByteBuffer[10];
                Arrays.setAll(pieces, i -> source.slice(50 + i * 30_000, 30_000));
                while (pieces[9].hasRemaining()) {
                    assertThat(pair.client().write(pieces)).isPositive();
                }
            }
        });
        while (target.hasRemaining()) {
            assertThat(pair.server().read(target)).isPositive();
        }
        writer.result();
        byte[] came = new byte[size];
        target.get(20, came);
        Bytes.assertSame(came, bytes);
    }

    @Test
    void arenaOfAWaitingRead() throws Exception {
        assumeTrue(Arenas.exist());
        Pair pair = pair();
        Arenas.Memory memory = Arenas.shared(8);
        for (boolean several : EITHER) {
            ByteBuffer buffer = memory.buffer().clear();
            Task<Long> reader = start(() -> several
                            ? pair.client().read(new ByteBuffer[] {ByteBuffer.allocate(2), buffer})
                            : (Long) (long) pair.client().read(buffer))
                    .awaitInside("read");
            assertThatThrownBy(memory::close)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("Session is acquired by 1 clients");
            Bytes.write(pair.server(), heap("hello"));
            assertThat(reader.result()).isEqualTo(5);
        }
        memory.close();
        Failing.CLOSED.assertFails(() -> pair.client().read(memory.buffer().clear()));
    }

    @Test
    void arenaOfAWaitingWrite() throws Exception {
        assumeTrue(Arenas.exist());
        Pair pair = pair();
        Arenas.Memory memory = Arenas.shared(HUGE);
        ByteBuffer[] sources = {heap("AAAA"), memory.buffer()};
        Task<Long> writer = start(() -> pair.client().write(sources)).awaitInside("write");
        eventually().until(() -> pair.server().socket().getInputStream().available() > 0);
        assertThatThrownBy(memory::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Session is acquired by 1 clients");
        byte[] came = Bytes.read(pair.server(), HUGE + 4);
        assertThat(writer.result()).isEqualTo(HUGE + 4);
        assertThat(came).endsWith('C', 'C');
        memory.close();
    }

    @Test
    void arenaOfAVirtualThreadsWaitingRead() throws Exception {
        assumeTrue(Arenas.exist());
        Pair pair = pair();
        Arenas.Memory memory = Arenas.shared(8);
        Task<Integer> reader =
                startVirtual(() -> pair.client().read(memory.buffer())).awaitInside("read");
        memory.close();
        Bytes.write(pair.server(), heap("hello"));
        assertThat(reader.failure()).isInstanceOf(IllegalStateException.class).hasMessage("Already closed");
        assertLeft(pair, "hello");
    }

    @Test
    void confinedArenaOfItsOwnThread() throws Exception {
        assumeTrue(Arenas.exist());
        Pair pair = pair();
        try (Arenas.Memory memory = Arenas.confined(4)) {
            assertThat(pair.client().write(memory.buffer())).isEqualTo(4);
            assertThat(Bytes.readAscii(pair.server(), 4)).isEqualTo("CCCC");
            send(pair, "back");
            assertThat(pair.client().read(memory.buffer().clear())).isEqualTo(4);
            assertThat(memory.buffer().flip()).isEqualTo(heap("back"));
        }
    }
}
