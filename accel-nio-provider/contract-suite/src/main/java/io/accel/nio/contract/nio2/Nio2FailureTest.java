// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.nio2;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.nio.contract.Failure;
import io.accel.nio.contract.MachineClock.Moment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A TCP connection that fails from outside: pending operations are told, and so are later ones, the first of them. */
@Tag("nio2")
class Nio2FailureTest extends Nio2Support {
    private AsyncPair used() throws Exception {
        AsyncPair pair = asyncPair();
        assertWorks(pair);
        return pair;
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
        } catch (java.util.concurrent.ExecutionException e) {
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
}
