// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.nio2;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.Failure;
import io.accel.nio.contract.MachineClock.Moment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A TCP connection that fails from outside: pending operations are told, and so are later ones, the first of them. */
@Tag("nio2")
class Nio2FailureTest extends Nio2Support {
    /** The directions in which bytes have gone before. */
    enum Used {
        BOTH,
        OUT,
        IN,
        NONE
    }

    private static final int SOME = 2_000;

    private AsyncPair used() throws Exception {
        AsyncPair pair = asyncPair();
        assertWorks(pair);
        return pair;
    }

    private AsyncPair used(Used directions) throws Exception {
        AsyncPair pair = asyncPair();
        if (directions == Used.BOTH || directions == Used.OUT) {
            carry(pair.client(), pair.server());
        }
        if (directions == Used.BOTH || directions == Used.IN) {
            carry(pair.server(), pair.client());
        }
        return pair;
    }

    private static void carry(AsynchronousSocketChannel from, AsynchronousSocketChannel to) throws Exception {
        for (int i = 0; i < 3; i++) {
            byte[] bytes = Bytes.random(i, SOME);
            send(from, bytes);
            Bytes.assertSame(receive(to, SOME), bytes);
        }
    }

    static Stream<Arguments> eachOnEachPath() {
        return Stream.of(Failure.values())
                .flatMap(failure -> Stream.of(Used.values()).map(used -> Arguments.of(failure, used)));
    }

    private static Moment strike(Failure failure, AsynchronousSocketChannel end) throws Exception {
        return failure.strike(end.getLocalAddress(), end.getRemoteAddress());
    }

    private static void assertIsTold(Future<?> operation, String message) throws Exception {
        assertThat(failureOf(operation)).isExactlyInstanceOf(IOException.class).hasMessage(message);
    }

    private static ByteBuffer one() {
        return ByteBuffer.allocate(1);
    }

    private static void assertWasTold(AsynchronousSocketChannel channel) throws Exception {
        for (int i = 0; i < 2; i++) {
            assertThat(value(channel.read(one()))).isEqualTo(-1);
            assertIsTold(channel.write(one()), "Broken pipe");
        }
        assertThat(channel.isOpen()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void aPendingRead(Failure failure) throws Exception {
        AsynchronousSocketChannel client = used().client();
        Future<Integer> read = client.read(one());
        Moment struck = strike(failure, client);
        assertIsTold(read, failure.readMessage());
        Failure.assertJust(struck);
        assertWasTold(client);
    }

    @ParameterizedTest
    @EnumSource
    void aPendingReadOfTheAcceptedEnd(Failure failure) throws Exception {
        AsynchronousSocketChannel server = used().server();
        Future<Integer> read = server.read(one());
        Moment struck = strike(failure, server);
        assertIsTold(read, failure.readMessage());
        Failure.assertJust(struck);
        assertWasTold(server);
    }

    @ParameterizedTest
    @EnumSource
    void aPendingWrite(Failure failure) throws Exception {
        AsyncPair pair = fullAsyncPair();
        PendingWrite pending = writeUntilPending(pair.client());
        Moment struck = strike(failure, pair.client());
        assertIsTold(pending.write(), failure.writeMessage());
        Failure.assertJust(struck);
        assertWasTold(pair.client());
    }

    @ParameterizedTest
    @EnumSource
    void aPendingReadBesideAPendingWrite(Failure failure) throws Exception {
        AsyncPair pair = fullAsyncPair();
        PendingWrite pending = writeUntilPending(pair.client());
        Future<Integer> read = pair.client().read(one());
        strike(failure, pair.client());
        try { // which of the two is told of the failure is open; the other meets what is left
            assertThat(value(read)).isEqualTo(-1);
            assertIsTold(pending.write(), failure.writeMessage());
        } catch (ExecutionException e) {
            assertThat(e.getCause()).hasMessage(failure.readMessage());
            assertIsTold(pending.write(), "Broken pipe");
        }
        assertWasTold(pair.client());
    }

    @ParameterizedTest
    @EnumSource
    void bytesThatHadComeAreRead(Failure failure) throws Exception {
        AsyncPair pair = used();
        send(pair.server(), new byte[] {1, 2, 3});
        assertThat(receive(pair.client(), 1)).containsExactly(1);
        strike(failure, pair.client());
        assertThat(receive(pair.client(), 2)).containsExactly(2, 3);
        assertIsTold(pair.client().read(one()), failure.readMessage());
        assertWasTold(pair.client());
    }

    /** A write that may have yet to choose its path, at the moment when a read has just been told. */
    @ParameterizedTest
    @MethodSource("eachOnEachPath")
    void aWriteBehindAReadThatWasTold(Failure failure, Used directions) throws Exception {
        AsynchronousSocketChannel client = used(directions).client();
        Future<Integer> read = client.read(one());
        strike(failure, client);
        assertIsTold(read, failure.readMessage());
        assertWasTold(client);
    }

    @ParameterizedTest
    @MethodSource("eachOnEachPath")
    void aGatheringWriteBehindAReadThatWasTold(Failure failure, Used directions) throws Exception {
        AsynchronousSocketChannel client = used(directions).client();
        Future<Integer> read = client.read(one());
        strike(failure, client);
        assertIsTold(read, failure.readMessage());
        ByteBuffer[] refused = {one(), one()};
        Outcome<Long> write = new Outcome<>();
        client.write(refused, 0, refused.length, 0, TimeUnit.SECONDS, null, write);
        assertThat(write.failure()).isExactlyInstanceOf(IOException.class).hasMessage("Broken pipe");
        assertThat(refused[0].position()).isZero();
        assertThat(value(client.read(one()))).isEqualTo(-1);
    }

    /** From the handler that is told, whose thread is the one that the kernel has just told. */
    @ParameterizedTest
    @MethodSource("eachOnEachPath")
    void aWriteByTheHandlerOfAReadThatWasTold(Failure failure, Used directions) throws Exception {
        AsynchronousSocketChannel client = used(directions).client();
        Outcome<Integer> write = new Outcome<>();
        client.read(one(), null, new CompletionHandler<Integer, Object>() {
            @Override
            public void completed(Integer count, Object with) {
                write.failed(new AssertionError("read " + count), with);
            }

            @Override
            public void failed(Throwable e, Object with) {
                client.write(one(), with, write);
            }
        });
        strike(failure, client);
        assertThat(write.failure()).isExactlyInstanceOf(IOException.class).hasMessage("Broken pipe");
        assertWasTold(client);
    }

    @ParameterizedTest
    @MethodSource("eachOnEachPath")
    void aWriteThatComesLater(Failure failure, Used directions) throws Exception {
        AsynchronousSocketChannel client = used(directions).client();
        strike(failure, client);
        assertThat(refusal(client)).isExactlyInstanceOf(IOException.class).hasMessage(failure.writeMessage());
        assertWasTold(client);
    }

    @ParameterizedTest
    @MethodSource("eachOnEachPath")
    void anEndThatHasComeBeforeTheFailure(Failure failure, Used directions) throws Exception {
        for (boolean writesFirst : new boolean[] {true, false}) {
            AsyncPair pair = used(directions);
            AsynchronousSocketChannel client = pair.client();
            pair.server().shutdownOutput();
            // Over loopback the end comes while it is sent.
            strike(failure, client);
            String told = failure == Failure.RESET ? "Broken pipe" : failure.writeMessage();
            if (writesFirst) {
                assertThat(refusal(client)).hasMessage(told);
            }
            assertThat(value(client.read(one()))).isEqualTo(-1);
            if (!writesFirst) {
                assertThat(refusal(client)).hasMessage(told);
            }
            assertWasTold(client);
        }
    }

    /** Writes until that is refused: a faster path may take bytes for some milliseconds, as if they had come before the failure. */
    private static Throwable refusal(AsynchronousSocketChannel channel) {
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        eventually().until(() -> {
            try {
                value(channel.write(one()));
            } catch (ExecutionException e) {
                refusal.set(e.getCause());
            }
            return refusal.get() != null;
        });
        return refusal.get();
    }
}
