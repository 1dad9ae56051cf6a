// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.nio2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.Path;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.IllegalChannelGroupException;
import java.nio.channels.ShutdownChannelGroupException;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Groups of asynchronous channels: the threads that call handlers, and the end of a group. */
@Tag("nio2")
class Nio2GroupTest extends Nio2Support {
    @Test
    void argumentsThatAreRefused() {
        assertThatThrownBy(() -> AsynchronousChannelGroup.withFixedThreadPool(0, daemons("none")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> AsynchronousChannelGroup.withFixedThreadPool(1, null))
                .isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> AsynchronousChannelGroup.withThreadPool(null))
                .isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> AsynchronousChannelGroup.withCachedThreadPool(null, 1))
                .isInstanceOf(NullPointerException.class);
    }

    @Test
    void handlersAreCalledByTheGroupsThreads() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor(daemons("pool"));
        assertCalledBy("pool", pooledGroup(pool));
        assertCalledBy("fixed", fixedGroup(1));
        assertCalledBy("fixed", fixedGroup(3));
        assertCalledBy("cached", cachedGroup());
    }

    private void assertCalledBy(String name, AsynchronousChannelGroup group) throws Exception {
        assertThat(group.provider()).isSameAs(AsynchronousChannelProvider.provider());
        AsynchronousServerSocketChannel listener = asyncListener(group);
        Outcome<AsynchronousSocketChannel> accept = new Outcome<>();
        listener.accept(null, accept);
        AsynchronousSocketChannel client = asyncChannel(group);
        Outcome<Void> connect = new Outcome<>();
        client.connect(destination(listener), null, connect);
        connect.get();
        AsynchronousSocketChannel server = closing(accept.get());
        Outcome<Integer> read = new Outcome<>();
        server.read(ByteBuffer.allocate(1), null, read);
        Outcome<Integer> write = new Outcome<>();
        client.write(Bytes.ascii("x"), null, write);
        assertThat(write.get()).isEqualTo(1);
        assertThat(read.get()).isEqualTo(1);
        Outcome<Integer> timeout = new Outcome<>();
        server.read(ByteBuffer.allocate(1), 10, TimeUnit.MILLISECONDS, null, timeout);
        timeout.failure();
        Outcome<Integer> closed = new Outcome<>();
        client.read(ByteBuffer.allocate(1), null, closed);
        client.close();
        closed.failure();
        Outcome<Integer> late = new Outcome<>();
        client.read(ByteBuffer.allocate(1), null, late);
        late.failure();
        for (Outcome<?> outcome : new Outcome<?>[] {accept, connect, read, write, timeout, closed, late}) {
            assertThat(outcome.thread().getName()).isEqualTo(name);
        }
    }

    /** However often a handler begins an operation that is done at once, its stack does not grow without limit. */
    @Test
    void handlersWithinHandlers() throws Exception {
        for (AsynchronousChannelGroup group : new AsynchronousChannelGroup[] {null, fixedGroup(1), cachedGroup()}) {
            AsyncPair pair = asyncPair(group);
            CountDownLatch done = new CountDownLatch(1);
            int[] left = {20_000};
            int[] deepest = {0};
            pair.client().write(ByteBuffer.allocate(0), null, new CompletionHandler<Integer, Void>() {
                @Override
                public void completed(Integer n, Void attachment) {
                    if (--left[0] % 1_000 == 0) {
                        deepest[0] = Math.max(deepest[0], new Throwable().getStackTrace().length);
                    }
                    if (left[0] > 0) {
                        pair.client().write(ByteBuffer.allocate(0), null, this);
                    } else {
                        done.countDown();
                    }
                }

                @Override
                public void failed(Throwable failure, Void attachment) {}
            });
            eventually().until(() -> done.getCount() == 0);
            assertThat(deepest[0]).isLessThan(300);
        }
    }

    /** A handler that blocks keeps no other from being called, as long as there is a thread. */
    @Test
    void aHandlerMayBlock() throws Exception {
        for (AsynchronousChannelGroup group :
                new AsynchronousChannelGroup[] {null, fixedGroup(2), cachedGroup(), pooledGroup(pool())}) {
            AsyncPair pair = asyncPair(group);
            AsyncPair other = asyncPair(group);
            CountDownLatch release = new CountDownLatch(1);
            CountDownLatch entered = new CountDownLatch(1);
            closing(release::countDown);
            pair.server().read(ByteBuffer.allocate(1), null, new CompletionHandler<Integer, Void>() {
                @Override
                public void completed(Integer n, Void attachment) {
                    entered.countDown();
                    awaitQuietly(release);
                }

                @Override
                public void failed(Throwable failure, Void attachment) {}
            });
            send(pair.client(), new byte[] {1});
            assertThat(entered.await(LIMIT_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
            for (int i = 0; i < 5; i++) {
                Outcome<Integer> read = new Outcome<>();
                other.server().read(ByteBuffer.allocate(1), null, read);
                send(other.client(), new byte[] {1});
                assertThat(read.get()).isEqualTo(1);
            }
            release.countDown();
        }
    }

    private static ExecutorService pool() {
        return Executors.newFixedThreadPool(2, daemons("pool"));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** An exception of a handler ends its thread at most. */
    @Test
    void aHandlerMayThrow() throws Exception {
        Set<Throwable> uncaught = ConcurrentHashMap.newKeySet();
        AsynchronousChannelGroup group = ending(AsynchronousChannelGroup.withFixedThreadPool(1, body -> {
            Thread thread = daemons("throwing").newThread(body);
            thread.setUncaughtExceptionHandler((t, e) -> uncaught.add(e));
            return thread;
        }));
        AsyncPair pair = asyncPair(group);
        IllegalStateException thrown = new IllegalStateException("a handler's");
        for (int i = 0; i < 3; i++) {
            pair.server().read(ByteBuffer.allocate(1), null, new CompletionHandler<Integer, Void>() {
                @Override
                public void completed(Integer n, Void attachment) {
                    throw thrown;
                }

                @Override
                public void failed(Throwable failure, Void attachment) {}
            });
            send(pair.client(), new byte[] {1});
            eventually().until(() -> uncaught.remove(thrown));
        }
        assertWorks(pair);
        Outcome<Integer> read = new Outcome<>();
        pair.server().read(ByteBuffer.allocate(1), null, read);
        send(pair.client(), new byte[] {1});
        assertThat(read.get()).isEqualTo(1);
    }

    /** An interrupt that a handler leaves behind does not reach the next handler. */
    @Test
    void aHandlerMayLeaveItsThreadInterrupted() throws Exception {
        AsyncPair pair = asyncPair(fixedGroup(1));
        for (int i = 0; i < 3; i++) {
            CountDownLatch called = new CountDownLatch(1);
            pair.server().read(ByteBuffer.allocate(1), null, new CompletionHandler<Integer, Void>() {
                @Override
                public void completed(Integer n, Void attachment) {
                    if (!Thread.currentThread().isInterrupted()) {
                        called.countDown();
                    }
                    Thread.currentThread().interrupt();
                }

                @Override
                public void failed(Throwable failure, Void attachment) {}
            });
            send(pair.client(), new byte[] {1});
            assertThat(called.await(LIMIT_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
        }
        assertWorks(pair);
    }

    // ---- the end

    @Test
    void shutdownWaitsForTheChannels() throws Exception {
        for (AsynchronousChannelGroup group :
                new AsynchronousChannelGroup[] {fixedGroup(2), cachedGroup(), pooledGroup(pool())}) {
            AsyncPair pair = asyncPair(group);
            assertThat(group.isShutdown()).isFalse();
            group.shutdown();
            group.shutdown();
            assertThat(group.isShutdown()).isTrue();
            assertThat(group.isTerminated()).isFalse();
            assertThat(group.awaitTermination(1, TimeUnit.MILLISECONDS)).isFalse();
            assertThatThrownBy(() -> AsynchronousSocketChannel.open(group))
                    .isInstanceOf(ShutdownChannelGroupException.class);
            assertThatThrownBy(() -> AsynchronousServerSocketChannel.open(group))
                    .isInstanceOf(ShutdownChannelGroupException.class);
            assertWorks(pair);
            Outcome<Integer> read = new Outcome<>();
            pair.server().read(ByteBuffer.allocate(1), null, read);
            pair.client().close();
            assertThat(read.get()).isEqualTo(-1);
            pair.server().close();
            assertThat(group.awaitTermination(LIMIT_MILLIS, TimeUnit.MILLISECONDS))
                    .isTrue();
            assertThat(group.isTerminated()).isTrue();
        }
    }

    @Test
    void shutdownOfAGroupWithoutChannels() throws Exception {
        for (AsynchronousChannelGroup group :
                new AsynchronousChannelGroup[] {fixedGroup(2), cachedGroup(), pooledGroup(pool())}) {
            group.shutdown();
            assertThat(group.awaitTermination(LIMIT_MILLIS, TimeUnit.MILLISECONDS))
                    .isTrue();
            assertThat(group.isTerminated()).isTrue();
        }
    }

    @Test
    void shutdownNowClosesTheChannels() throws Exception {
        AsynchronousServerSocketChannel elsewhere = asyncListener();
        for (AsynchronousChannelGroup group :
                new AsynchronousChannelGroup[] {fixedGroup(2), cachedGroup(), pooledGroup(pool())}) {
            AsyncPair pair = asyncPair(group);
            AsynchronousServerSocketChannel listener = asyncListener(group);
            Future<AsynchronousSocketChannel> accept = listener.accept();
            AsynchronousSocketChannel reader = asyncChannel(group);
            value(reader.connect(destination(elsewhere))); // a peer that the group does not close
            Outcome<Integer> read = new Outcome<>();
            reader.read(ByteBuffer.allocate(1), null, read);
            group.shutdownNow();
            group.shutdownNow();
            assertThat(group.isShutdown()).isTrue();
            assertThat(pair.client().isOpen()).isFalse();
            assertThat(pair.server().isOpen()).isFalse();
            assertThat(listener.isOpen()).isFalse();
            assertThat(failureOf(accept)).isExactlyInstanceOf(AsynchronousCloseException.class);
            assertThat(read.failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
            assertThat(group.awaitTermination(LIMIT_MILLIS, TimeUnit.MILLISECONDS))
                    .isTrue();
            assertThat(failureOf(pair.client().read(ByteBuffer.allocate(1))))
                    .isExactlyInstanceOf(ClosedChannelException.class);
            assertThatThrownBy(() -> pair.client().read(ByteBuffer.allocate(1), null, new Outcome<>()))
                    .isInstanceOf(ShutdownChannelGroupException.class);
            assertThatThrownBy(() -> pair.client().connect(anyPort(), null, new Outcome<>()))
                    .isInstanceOf(ShutdownChannelGroupException.class);
            assertThatThrownBy(() -> listener.accept(null, new Outcome<>()))
                    .isInstanceOf(ShutdownChannelGroupException.class);
        }
    }

    /** A group is shut down while one of its handlers runs, and does not end before the handler has returned. */
    @Test
    void aHandlerShutsItsGroupDown() throws Exception {
        for (AsynchronousChannelGroup group :
                new AsynchronousChannelGroup[] {fixedGroup(1), cachedGroup(), pooledGroup(pool())}) {
            AsyncPair pair = asyncPair(group);
            CountDownLatch release = new CountDownLatch(1);
            CountDownLatch shut = new CountDownLatch(1);
            pair.server().read(ByteBuffer.allocate(1), null, new CompletionHandler<Integer, Void>() {
                @Override
                public void completed(Integer n, Void attachment) {
                    try {
                        group.shutdownNow();
                    } catch (IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                    shut.countDown();
                    awaitQuietly(release);
                }

                @Override
                public void failed(Throwable failure, Void attachment) {}
            });
            send(pair.client(), new byte[] {1});
            assertThat(shut.await(LIMIT_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
            assertThat(group.isTerminated()).isFalse();
            release.countDown();
            assertThat(group.awaitTermination(LIMIT_MILLIS, TimeUnit.MILLISECONDS))
                    .isTrue();
        }
    }

    @Test
    void acceptInAGroupThatIsShutDown() throws Exception {
        AsynchronousChannelGroup group = cachedGroup();
        AsynchronousServerSocketChannel listener = asyncListener(group);
        Future<AsynchronousSocketChannel> accept = listener.accept();
        group.shutdown();
        AsynchronousSocketChannel client = asyncChannel();
        value(client.connect(destination(listener)));
        assertThat(failureOf(accept))
                .isInstanceOf(IOException.class)
                .hasCauseInstanceOf(ShutdownChannelGroupException.class);
        assertThat(value(client.read(ByteBuffer.allocate(1)))).isEqualTo(-1);
    }

    @Test
    void aGroupOfAnotherProvider() throws Exception {
        AsynchronousChannelGroup strange = new AsynchronousChannelGroup(AsynchronousChannelProvider.provider()) {
            @Override
            public boolean isShutdown() {
                return false;
            }

            @Override
            public boolean isTerminated() {
                return false;
            }

            @Override
            public void shutdown() {}

            @Override
            public void shutdownNow() {}

            @Override
            public boolean awaitTermination(long timeout, TimeUnit unit) {
                return false;
            }
        };
        assertThatThrownBy(() -> AsynchronousSocketChannel.open(strange))
                .isInstanceOf(IllegalChannelGroupException.class);
        assertThatThrownBy(() -> AsynchronousServerSocketChannel.open(strange))
                .isInstanceOf(IllegalChannelGroupException.class);
    }

    @Test
    void manyConnectionsInOneGroup() throws Exception {
        AsynchronousChannelGroup group = fixedGroup(2);
        AsynchronousServerSocketChannel listener = asyncListener(group);
        int connections = Path.current() == Path.RDMA ? 10 : 50; // one connection takes a guest some tenths of a second
        int rounds = 40;
        CountDownLatch done = new CountDownLatch(connections);
        listener.accept(null, new CompletionHandler<AsynchronousSocketChannel, Void>() {
            @Override
            public void completed(AsynchronousSocketChannel channel, Void attachment) {
                listener.accept(null, this);
                Nio2Echo.serve(closing(channel));
            }

            @Override
            public void failed(Throwable failure, Void attachment) {}
        });
        for (int i = 0; i < connections; i++) {
            AsynchronousSocketChannel client = asyncChannel(group);
            Nio2Echo.ask(client, destination(listener), rounds, done);
        }
        eventually().until(() -> done.getCount() == 0);
    }
}
