// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.nio2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.MachineClock;
import io.accel.nio.contract.MappedRings;
import io.accel.nio.contract.Route;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Base of the classes about asynchronous channels: pairs of them, groups that end with the test, handlers to wait for. */
abstract class Nio2Support extends ContractSupport {
    private static final int LIMIT_SECONDS = 10;
    private static final int LARGE = 1 << 16;
    /** More than a connection takes on any path before its reader reads. */
    private static final int MOST_BYTES = 1 << 28;
    /** How many times longer than the time after which a connection counts as full a write must wait to count as waiting. */
    private static final int QUIET = 6;

    /** The two ends of one connection. */
    record AsyncPair(AsynchronousSocketChannel client, AsynchronousSocketChannel server) {}

    /** A handler whose outcome can be waited for, and the thread that told it. */
    static final class Outcome<V> implements CompletionHandler<V, Object> {
        private final CompletableFuture<V> result = new CompletableFuture<>();
        private volatile Thread thread;
        private volatile Object attachment;

        @Override
        public void completed(V value, Object with) {
            told(with);
            assertThat(result.complete(value)).as("told once").isTrue();
        }

        @Override
        public void failed(Throwable failure, Object with) {
            told(with);
            assertThat(result.completeExceptionally(failure)).as("told once").isTrue();
        }

        private void told(Object with) {
            thread = Thread.currentThread();
            attachment = with;
        }

        V get() throws Exception {
            return value(result);
        }

        Throwable failure() throws Exception {
            return failureOf(result);
        }

        boolean isTold() {
            return result.isDone();
        }

        Thread thread() {
            return thread;
        }

        Object attachment() {
            return attachment;
        }
    }

    static <V> V value(Future<V> future) throws Exception {
        return MachineClock.get(future, LIMIT_SECONDS);
    }

    static Throwable failureOf(Future<?> future) throws Exception {
        try {
            Object result = MachineClock.get(future, LIMIT_SECONDS);
            throw new AssertionError("expected an exception, but the operation returned " + result);
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }

    final AsynchronousChannelGroup ending(AsynchronousChannelGroup group) {
        closing(group::shutdownNow);
        return group;
    }

    final AsynchronousChannelGroup fixedGroup(int threads) throws IOException {
        return ending(AsynchronousChannelGroup.withFixedThreadPool(threads, daemons("fixed")));
    }

    final AsynchronousChannelGroup pooledGroup(ExecutorService pool) throws IOException {
        return ending(AsynchronousChannelGroup.withThreadPool(pool));
    }

    final AsynchronousChannelGroup cachedGroup() throws IOException {
        return ending(
                AsynchronousChannelGroup.withCachedThreadPool(Executors.newCachedThreadPool(daemons("cached")), 1));
    }

    static ThreadFactory daemons(String name) {
        return body -> {
            Thread thread = new Thread(body, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    final AsynchronousSocketChannel asyncChannel() throws IOException {
        return asyncChannel(null);
    }

    final AsynchronousSocketChannel asyncChannel(AsynchronousChannelGroup group) throws IOException {
        return closing(AsynchronousSocketChannel.open(group));
    }

    final AsynchronousServerSocketChannel asyncListener() throws IOException {
        return asyncListener(null);
    }

    final AsynchronousServerSocketChannel asyncListener(AsynchronousChannelGroup group) throws IOException {
        return closing(AsynchronousServerSocketChannel.open(group)).bind(anyPort());
    }

    static InetSocketAddress destination(AsynchronousServerSocketChannel listener) throws IOException {
        return Route.current().to((InetSocketAddress) listener.getLocalAddress());
    }

    final AsyncPair asyncPair() throws Exception {
        return asyncPair(null);
    }

    /** A new connection with both ends in the group. */
    final AsyncPair asyncPair(AsynchronousChannelGroup group) throws Exception {
        AsynchronousServerSocketChannel listener = asyncListener(group);
        AsyncPair pair = connect(asyncChannel(group), listener);
        listener.close();
        return pair;
    }

    /** A new connection whose client has no room for another byte. */
    final AsyncPair fullAsyncPair() throws Exception {
        AsynchronousServerSocketChannel listener = closing(AsynchronousServerSocketChannel.open());
        listener.setOption(StandardSocketOptions.SO_RCVBUF, LARGE).bind(anyPort());
        AsyncPair pair = connect(asyncChannel().setOption(StandardSocketOptions.SO_SNDBUF, LARGE), listener);
        listener.close();
        return pair;
    }

    private AsyncPair connect(AsynchronousSocketChannel client, AsynchronousServerSocketChannel listener)
            throws Exception {
        Set<String> before = MappedRings.names();
        Future<AsynchronousSocketChannel> accepted = listener.accept();
        value(client.connect(destination(listener)));
        AsyncPair pair = new AsyncPair(client, closing(value(accepted)));
        MappedRings.assertOnPath(before, client);
        return pair;
    }

    /** Begins writes until one of them has to wait; returns that write, with the count of bytes that the others wrote. */
    static PendingWrite writeUntilPending(AsynchronousSocketChannel channel) throws Exception {
        long written = 0;
        while (written < MOST_BYTES) {
            ByteBuffer piece = ByteBuffer.allocate(LARGE);
            Future<Integer> write = channel.write(piece);
            try {
                written += write.get((long) QUIET * Route.current().quietMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                return new PendingWrite(write, written);
            }
        }
        throw new AssertionError("the connection took " + written + " bytes that nobody read");
    }

    /** A write that has to wait, and the number of bytes that earlier writes wrote. */
    record PendingWrite(Future<Integer> write, long before) {}

    static void send(AsynchronousSocketChannel channel, byte[] bytes) throws Exception {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            int before = buffer.remaining();
            assertThat(value(channel.write(buffer))).isEqualTo(before - buffer.remaining());
        }
    }

    static byte[] receive(AsynchronousSocketChannel channel, int length) throws Exception {
        ByteBuffer buffer = ByteBuffer.allocate(length);
        while (buffer.hasRemaining()) {
            if (value(channel.read(buffer)) < 0) {
                throw new EOFException("end of stream after " + buffer.position() + " of " + length + " bytes");
            }
        }
        return buffer.array();
    }

    /** Asserts that the connection works in both directions. */
    static void assertWorks(AsyncPair pair) throws Exception {
        byte[] bytes = Bytes.random(7, 3_000);
        send(pair.client(), bytes);
        Bytes.assertSame(receive(pair.server(), bytes.length), bytes);
        send(pair.server(), bytes);
        Bytes.assertSame(receive(pair.client(), bytes.length), bytes);
    }

    /** Asserts that reading, or writing, is over for the channel, as after a timeout or a cancellation. */
    static void assertGivenUp(org.assertj.core.api.ThrowableAssert.ThrowingCallable operation) {
        assertThatThrownBy(operation).isExactlyInstanceOf(IllegalStateException.class);
    }
}
