// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.nio2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.InterruptedByTimeoutException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Asynchronous operations that end before they are done: by a timeout or a cancellation, and the later use of the channel. */
@Tag("nio2")
class Nio2EndTest extends Nio2Support {
    private static final long SHORT_MILLIS = 50;

    @Test
    void readTimesOut() throws Exception {
        AsyncPair pair = asyncPair();
        Outcome<Integer> read = new Outcome<>();
        long start = System.nanoTime();
        pair.server().read(ByteBuffer.allocate(1), SHORT_MILLIS, TimeUnit.MILLISECONDS, "late", read);
        assertThat(read.failure()).isExactlyInstanceOf(InterruptedByTimeoutException.class);
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(SHORT_MILLIS * 1_000_000);
        assertThat(read.attachment()).isEqualTo("late");
        assertGivenUp(() -> pair.server().read(ByteBuffer.allocate(1)));
        assertGivenUp(() -> pair.server().read(ByteBuffer.allocate(1), null, new Outcome<>()));
        assertThat(pair.server().isOpen()).isTrue();
        send(pair.server(), new byte[] {1}); // the other direction goes on
        assertThat(receive(pair.client(), 1)).containsExactly(1);
    }

    @Test
    void scatteringReadTimesOut() throws Exception {
        AsyncPair pair = asyncPair();
        Outcome<Long> read = new Outcome<>();
        pair.server()
                .read(new ByteBuffer[] {ByteBuffer.allocate(1)}, 0, 1, SHORT_MILLIS, TimeUnit.MILLISECONDS, null, read);
        assertThat(read.failure()).isExactlyInstanceOf(InterruptedByTimeoutException.class);
    }

    @Test
    void writeTimesOut() throws Exception {
        AsyncPair pair = fullAsyncPair();
        Outcome<Integer> write = new Outcome<>();
        while (!write.isTold()) { // one of them has to wait, or there would be no end
            Outcome<Integer> next = new Outcome<>();
            pair.client().write(ByteBuffer.allocate(1 << 16), 500, TimeUnit.MILLISECONDS, null, next);
            try {
                next.get();
            } catch (java.util.concurrent.ExecutionException e) {
                write = next;
            }
        }
        assertThat(write.failure()).isExactlyInstanceOf(InterruptedByTimeoutException.class);
        assertGivenUp(() -> pair.client().write(ByteBuffer.allocate(1)));
        send(pair.server(), new byte[] {2});
        assertThat(receive(pair.client(), 1)).containsExactly(2);
    }

    @Test
    void timeoutThatIsNotReached() throws Exception {
        AsyncPair pair = asyncPair();
        for (int i = 0; i < 20; i++) {
            Outcome<Integer> read = new Outcome<>();
            pair.server().read(ByteBuffer.allocate(1), LIMIT_MILLIS, TimeUnit.MILLISECONDS, null, read);
            send(pair.client(), new byte[] {1});
            assertThat(read.get()).isEqualTo(1);
        }
        assertWorks(pair);
    }

    @Test
    void noTimeoutIsForEver() throws Exception {
        AsyncPair pair = asyncPair();
        Outcome<Integer> read = new Outcome<>();
        pair.server().read(ByteBuffer.allocate(1), -1, TimeUnit.NANOSECONDS, null, read);
        Future<Integer> other = pair.client().read(ByteBuffer.allocate(1));
        assertThatThrownBy(() -> other.get(SHORT_MILLIS, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        assertThat(read.isTold()).isFalse();
        send(pair.client(), new byte[] {1});
        assertThat(read.get()).isEqualTo(1);
    }

    @Test
    void cancelledRead() throws Exception {
        AsyncPair pair = asyncPair();
        Future<Integer> read = pair.server().read(ByteBuffer.allocate(1));
        assertThat(read.cancel(false)).isTrue();
        assertThat(read.cancel(true)).isFalse();
        assertThat(read.isCancelled()).isTrue();
        assertThat(read.isDone()).isTrue();
        assertThatThrownBy(read::get).isInstanceOf(CancellationException.class);
        assertThatThrownBy(() -> read.get(1, TimeUnit.SECONDS)).isInstanceOf(CancellationException.class);
        assertGivenUp(() -> pair.server().read(ByteBuffer.allocate(1)));
        assertThat(pair.server().isOpen()).isTrue();
        send(pair.server(), new byte[] {3});
        assertThat(receive(pair.client(), 1)).containsExactly(3);
    }

    @Test
    void readCancelledByForceClosesTheChannel() throws Exception {
        AsynchronousSocketChannel channel = asyncPair().client();
        Future<Integer> read = channel.read(ByteBuffer.allocate(1));
        Task<Integer> waiting = start(read::get).awaitInside("get");
        assertThat(read.cancel(true)).isTrue();
        assertThat(waiting.failure()).isInstanceOf(CancellationException.class);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void cancelledWriteAndWhatElseWasPending() throws Exception {
        AsyncPair pair = fullAsyncPair();
        Outcome<Integer> read = new Outcome<>();
        pair.client().read(ByteBuffer.allocate(1), null, read);
        PendingWrite pending = writeUntilPending(pair.client());
        assertThat(pending.write().cancel(false)).isTrue();
        assertGivenUp(() -> pair.client().write(ByteBuffer.allocate(1)));
        assertThat(read.isTold()).isFalse();
        pair.client().close();
        assertThat(read.failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
    }

    @Test
    void whatIsDoneIsNotCancelled() throws Exception {
        AsyncPair pair = asyncPair();
        Future<Integer> write = pair.client().write(Bytes.ascii("x"));
        assertThat(value(write)).isEqualTo(1);
        assertThat(write.cancel(true)).isFalse();
        assertThat(write.isCancelled()).isFalse();
        assertThat(pair.client().isOpen()).isTrue();
        pair.client().close();
        Future<Integer> late = pair.client().write(Bytes.ascii("x"));
        assertThat(late.cancel(true)).isFalse();
        assertThat(late.isDone()).isTrue();
    }

    /** However much the ends have talked, and whether an operation of the channel had to wait. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 20})
    void closedWithBytesUnread(int roundTrips) throws Exception {
        for (boolean waits : new boolean[] {false, true}) {
            AsyncPair pair = asyncPair();
            pair.client().setOption(StandardSocketOptions.TCP_NODELAY, true); // else the kernel would hold bytes back
            for (int i = 0; i < roundTrips; i++) {
                send(pair.client(), new byte[] {1});
                assertThat(value(pair.server().read(ByteBuffer.allocate(1)))).isEqualTo(1);
                send(pair.server(), new byte[] {2});
                assertThat(value(pair.client().read(ByteBuffer.allocate(1)))).isEqualTo(1);
            }
            Future<Integer> read = waits ? pair.server().read(ByteBuffer.allocate(1)) : null;
            send(pair.client(), new byte[] {1, 2, 3});
            read = waits ? read : pair.server().read(ByteBuffer.allocate(1));
            assertThat(value(read)).isEqualTo(1);
            pair.server().close();
            assertThat(failureOf(pair.client().read(ByteBuffer.allocate(1))))
                    .isExactlyInstanceOf(IOException.class)
                    .hasMessage("Connection reset");
            assertThat(failureOf(pair.client().write(ByteBuffer.allocate(1)))).hasMessage("Broken pipe");
        }
    }
}
