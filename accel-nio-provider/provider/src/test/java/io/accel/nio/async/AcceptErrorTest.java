// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.core.jdk.JdkAccess;
import io.accel.nio.AccelAsynchronousChannelProvider;
import io.accel.nio.AccelSelectorProvider;
import io.accel.profile.Profile;
import io.accel.testing.ClientsEnd;
import io.accel.testing.InjectedErrors.Kind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The group's executor takes no handler for a while, for want of threads: a connection that was accepted reaches the program, or ends. */
@Timeout(60)
class AcceptErrorTest {
    private final Failing executor = new Failing();
    private AccelSelectorProvider provider;
    private ChannelGroup group;
    private AsynchronousServerSocketChannel listener;

    @BeforeEach
    void open() throws IOException {
        provider = new AccelSelectorProvider(Profile.load("balanced", Map.of("rule.1", "kernel * *:*")));
        group = ChannelGroup.of(new AccelAsynchronousChannelProvider(), provider, executor, 0);
        listener = group.openServerSocketChannel();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void close() throws Exception {
        group.shutdownNow();
        assertThat(group.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aHandlerThatWaitsForMemoryIsCalledOnce() throws Exception {
        Handler handler = new Handler();
        listener.accept(null, handler);
        executor.fail(3, () -> new OutOfMemoryError(Kind.MEMORY.message()));
        try (SocketChannel client = connect();
                AsynchronousSocketChannel accepted = handler.outcome.get(20, TimeUnit.SECONDS)) {
            assertThat(executor.left).hasValue(0);
            assertThat(client.write(ByteBuffer.wrap(new byte[] {1}))).isEqualTo(1);
            assertThat(accepted.read(ByteBuffer.allocate(9)).get(20, TimeUnit.SECONDS))
                    .isEqualTo(1);
        }
        othersAreAccepted();
        assertThat(handler.calls).hasValue(1);
    }

    /** As {@link ThreadPoolExecutor} does for a task that it has queued, if it has no thread and cannot start one. */
    @Test
    void aHandlerThatTheExecutorTakesAndRefusesIsCalledOnce() throws Exception {
        Handler handler = new Handler();
        listener.accept(null, handler);
        executor.takesAndFails = true;
        executor.fail(1, () -> new OutOfMemoryError(Kind.MEMORY.message()));
        try (SocketChannel client = connect();
                AsynchronousSocketChannel accepted = handler.outcome.get(20, TimeUnit.SECONDS)) {
            assertThat(accepted.getRemoteAddress()).isEqualTo(client.getLocalAddress());
        }
        othersAreAccepted();
        assertThat(handler.calls).hasValue(1);
    }

    @Test
    void aConnectionOfWhichNoHandlerHearsEnds() throws Exception {
        listener.accept(null, new Handler());
        executor.fail(1, () -> {
            throw new RejectedExecutionException(Kind.MISTAKE.message());
        });
        try (SocketChannel client = connect()) {
            assertThat(ClientsEnd.isMet(client)).isTrue();
        }
        othersAreAccepted();
    }

    @Test
    void aConnectionOfWhichTheCallerHearsAnErrorEnds() throws Exception {
        try (SocketChannel client = connect()) {
            executor.fail(1, () -> new OutOfMemoryError(Kind.MEMORY.message()));
            assertThatThrownBy(() -> listener.accept(null, new Handler())).hasMessage(Kind.MEMORY.message());
            assertThat(ClientsEnd.isMet(client)).isTrue();
        }
        othersAreAccepted();
    }

    private void othersAreAccepted() throws Exception {
        Handler handler = new Handler();
        listener.accept(null, handler);
        try (SocketChannel client = connect();
                AsynchronousSocketChannel accepted = handler.outcome.get(20, TimeUnit.SECONDS)) {
            assertThat(accepted.getRemoteAddress()).isEqualTo(client.getLocalAddress());
        }
    }

    private SocketChannel connect() throws IOException {
        SocketChannel client = JdkAccess.kernelProvider().openSocketChannel();
        client.connect(listener.getLocalAddress());
        return client;
    }

    private static final class Handler implements CompletionHandler<AsynchronousSocketChannel, Void> {
        final CompletableFuture<AsynchronousSocketChannel> outcome = new CompletableFuture<>();
        final AtomicInteger calls = new AtomicInteger();

        @Override
        public void completed(AsynchronousSocketChannel accepted, Void unused) {
            calls.incrementAndGet();
            outcome.complete(accepted);
        }

        @Override
        public void failed(Throwable e, Void unused) {
            calls.incrementAndGet();
            outcome.completeExceptionally(e);
        }
    }

    /** Takes no task for a while. */
    private static final class Failing extends ThreadPoolExecutor {
        final AtomicInteger left = new AtomicInteger();
        volatile boolean takesAndFails;
        private volatile Supplier<Error> how;

        Failing() {
            super(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>());
        }

        void fail(int times, Supplier<Error> with) {
            how = with;
            left.set(times);
        }

        @Override
        public void execute(Runnable task) {
            if (left.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                if (takesAndFails) {
                    super.execute(task);
                }
                throw how.get();
            }
            super.execute(task);
        }
    }
}
