// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.nio2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.accel.nio.contract.Arenas;
import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.TruncatedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Asynchronous operations whose buffers fail: they complete, move no position and no byte, and the connection goes on. */
@Tag("nio2")
class Nio2FailingBufferTest extends Nio2Support {
    /** More than a connection takes on any path before its reader reads. */
    private static final int MOST_BYTES = 1 << 28;

    private static final String CONFINED = "Confined session not supported";

    enum Failing {
        CLOSED("Already closed"),
        CLOSED_CONFINED(CONFINED),
        CONFINED_HERE(CONFINED),
        ANOTHER_THREADS(CONFINED),
        GONE("Bad address");

        private final String message;

        Failing(String message) {
            this.message = message;
        }

        ByteBuffer buffer(int size) throws Exception {
            Arenas.Memory confined = this == CLOSED_CONFINED || this == CONFINED_HERE ? Arenas.confined(size) : null;
            if (this == CLOSED_CONFINED) {
                confined.close();
            }
            return switch (this) {
                case CLOSED -> Arenas.closed(size);
                case CLOSED_CONFINED, CONFINED_HERE -> confined.buffer();
                case ANOTHER_THREADS -> Arenas.ofAnotherThread(size);
                case GONE -> TruncatedFile.mapped(size, 0);
            };
        }

        /** Asserts that a handler was told as the JDK's channels tell it. */
        void assertTold(Throwable failure) {
            assertThat(failure).hasMessage(message);
            if (this == GONE) {
                assertThat(failure).isExactlyInstanceOf(IOException.class);
            } else {
                assertThat(failure).isInstanceOf(IllegalStateException.class);
            }
        }

        /** The same of a future. */
        void assertFailed(Throwable failure) {
            assertThat(failure).isExactlyInstanceOf(IOException.class).hasMessageEndingWith(message);
            if (this != GONE) {
                assertThat(failure.getCause()).isInstanceOf(IllegalStateException.class);
            }
        }
    }

    static Stream<Failing> here() {
        return Arrays.stream(Failing.values()).filter(each -> Arenas.exist() || each == Failing.GONE);
    }

    @ParameterizedTest
    @MethodSource("here")
    void write(Failing failing) throws Exception {
        AsyncPair pair = asyncPair();
        ByteBuffer buffer = failing.buffer(65_536);
        failing.assertFailed(failureOf(pair.client().write(buffer)));
        Outcome<Integer> outcome = new Outcome<>();
        pair.client().write(buffer, null, outcome);
        failing.assertTold(outcome.failure());
        assertThat(buffer.position()).isZero();
        assertWorks(pair);
    }

    @ParameterizedTest
    @MethodSource("here")
    void gather(Failing failing) throws Exception {
        AsyncPair pair = asyncPair();
        ByteBuffer[] sources = {Bytes.ascii("AAAA"), failing.buffer(8), Bytes.ascii("BBBB")};
        Outcome<Long> outcome = new Outcome<>();
        pair.client().write(sources, 0, 3, 0, TimeUnit.SECONDS, null, outcome);
        failing.assertTold(outcome.failure());
        assertThat(sources).allMatch(each -> each.position() == 0);
        assertWorks(pair);
    }

    @ParameterizedTest
    @MethodSource("here")
    void read(Failing failing) throws Exception {
        AsyncPair pair = asyncPair();
        send(pair.server(), Bytes.random(1, 10));
        ByteBuffer buffer = failing.buffer(6);
        failing.assertFailed(failureOf(pair.client().read(buffer)));
        Outcome<Integer> outcome = new Outcome<>();
        pair.client().read(buffer, null, outcome);
        failing.assertTold(outcome.failure());
        assertThat(buffer.position()).isZero();
        Bytes.assertSame(receive(pair.client(), 10), Bytes.random(1, 10));
        assertWorks(pair);
    }

    @ParameterizedTest
    @MethodSource("here")
    void scatter(Failing failing) throws Exception {
        AsyncPair pair = asyncPair();
        send(pair.server(), Bytes.random(1, 10));
        ByteBuffer[] targets = {ByteBuffer.allocate(2), failing.buffer(6)};
        Outcome<Long> outcome = new Outcome<>();
        pair.client().read(targets, 0, 2, 0, TimeUnit.SECONDS, null, outcome);
        failing.assertTold(outcome.failure());
        assertThat(targets).allMatch(each -> each.position() == 0);
        Bytes.assertSame(receive(pair.client(), 10), Bytes.random(1, 10));
        assertWorks(pair);
    }

    /** A read that waits, and meets the buffer when bytes come; or that is refused before. */
    @ParameterizedTest
    @MethodSource("here")
    void waitingRead(Failing failing) throws Exception {
        AsyncPair pair = asyncPair();
        for (boolean several : new boolean[] {false, true}) {
            ByteBuffer buffer = failing.buffer(6);
            if (several) {
                Outcome<Long> told = new Outcome<>();
                pair.client().read(new ByteBuffer[] {buffer}, 0, 1, 0, TimeUnit.SECONDS, null, told);
                send(pair.server(), Bytes.random(1, 10));
                failing.assertTold(told.failure());
            } else {
                Future<Integer> read = pair.client().read(buffer);
                send(pair.server(), Bytes.random(1, 10));
                failing.assertFailed(failureOf(read));
            }
            assertThat(buffer.position()).isZero();
            Bytes.assertSame(receive(pair.client(), 10), Bytes.random(1, 10));
        }
        assertWorks(pair);
    }

    @ParameterizedTest
    @MethodSource("here")
    void withoutAByte(Failing failing) throws Exception {
        assumeTrue(failing != Failing.GONE);
        AsyncPair pair = asyncPair();
        ByteBuffer buffer = failing.buffer(6).limit(0);
        assertThat(value(pair.client().write(buffer))).isZero();
        assertThat(value(pair.client().read(buffer))).isZero();
        Outcome<Long> write = new Outcome<>();
        pair.client().write(new ByteBuffer[] {buffer}, 0, 1, 0, TimeUnit.SECONDS, null, write);
        failing.assertTold(write.failure());
        Outcome<Long> read = new Outcome<>();
        pair.client().read(new ByteBuffer[] {buffer}, 0, 1, 0, TimeUnit.SECONDS, null, read);
        failing.assertTold(read.failure());
        assertWorks(pair);
    }

    @Test
    void arenaOfAWaitingRead() throws Exception {
        assumeTrue(Arenas.exist());
        AsyncPair pair = asyncPair();
        Arenas.Memory memory = Arenas.shared(8);
        Future<Integer> read = pair.client().read(memory.buffer());
        assertHeld(memory);
        send(pair.server(), Bytes.random(1, 5));
        assertThat(value(read)).isEqualTo(5);
        memory.close();
        assertWorks(pair);
    }

    @Test
    void arenaOfAWaitingWrite() throws Exception {
        assumeTrue(Arenas.exist());
        AsyncPair pair = fullAsyncPair();
        Arenas.Memory memory = Arenas.shared(1 << 16);
        int sent = 0;
        Future<Integer> write = pair.client().write(memory.buffer());
        while (sent < MOST_BYTES && hasEnded(write)) {
            sent += value(write);
            write = pair.client().write(memory.buffer().clear());
        }
        assertHeld(memory);
        receive(pair.server(), sent);
        assertThat(value(write)).isPositive();
        memory.close();
    }

    /** Whether a write is over, or is within a while. */
    private static boolean hasEnded(Future<Integer> write) throws Exception {
        try {
            return write.get(1, TimeUnit.SECONDS) > 0;
        } catch (TimeoutException e) {
            return false;
        }
    }

    private static void assertHeld(Arenas.Memory memory) {
        assertThatThrownBy(memory::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Session is acquired by 1 clients");
    }
}
