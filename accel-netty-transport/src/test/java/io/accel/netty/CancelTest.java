// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.core.poll.Pollable;
import io.accel.core.poll.Registration;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.nio.channels.SelectableChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** A registration may be cancelled by any thread. */
class CancelTest {
    private static final int HANDLES = 400;
    private static final int THREADS = 4;

    private final IoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, AccelIoHandler.newFactory());
    private final IoEventLoop loop = group.next();
    private final Queue<String> mistakes = new ConcurrentLinkedQueue<>();

    @AfterEach
    void shutDown() {
        group.shutdownGracefully(0, 5, SECONDS).syncUninterruptibly();
    }

    /** Never ready; counts what it is told. */
    private final class Quiet implements AccelIoHandle, Pollable {
        final AtomicInteger unregistered = new AtomicInteger();
        final AtomicInteger released = new AtomicInteger();
        final AtomicInteger closed = new AtomicInteger();

        @Override
        public Pollable pollable() {
            return this;
        }

        @Override
        public void handle(IoRegistration registration, IoEvent event) {
            mistakes.add("handled " + event);
        }

        @Override
        public void unregistered() {
            unregistered.incrementAndGet();
            if (!loop.inEventLoop()) {
                mistakes.add("unregistered by " + Thread.currentThread().getName());
            }
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }

        @Override
        public SelectableChannel watched() {
            return null;
        }

        @Override
        public int watchedOps(int interest) {
            return 0;
        }

        @Override
        public boolean isPolled() {
            return true;
        }

        @Override
        public int look(int interest) {
            return 0;
        }

        @Override
        public int kernelReady(int interest, int watchedReady) {
            return 0;
        }

        @Override
        public void arm(int interest) {}

        @Override
        public long deadline() {
            return Long.MAX_VALUE;
        }

        @Override
        public boolean retained(Registration registration) {
            return true;
        }

        @Override
        public void released(Registration registration) {
            released.incrementAndGet();
        }
    }

    @Test
    void manyThreadsCancelWhileOthersRegister() throws Exception {
        List<Quiet> handles = new ArrayList<>();
        List<IoRegistration> registrations = new ArrayList<>();
        for (int i = 0; i < HANDLES; i++) {
            Quiet handle = new Quiet();
            handles.add(handle);
            IoRegistration registration = loop.register(handle).sync().getNow();
            registration.submit(AccelIoOps.READ);
            registrations.add(registration);
        }
        AtomicInteger cancels = new AtomicInteger();
        CountDownLatch start = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            int first = t / 2; // two threads after the same registrations
            Thread thread = new Thread(() -> {
                try {
                    start.await();
                } catch (InterruptedException e) {
                    mistakes.add("interrupted: " + e);
                }
                for (int i = first; i < HANDLES; i += 2) {
                    if (registrations.get(i).cancel()) {
                        cancels.incrementAndGet();
                    }
                }
            });
            thread.setUncaughtExceptionHandler((failed, e) -> mistakes.add("cancel failed: " + e));
            threads.add(thread);
            thread.start();
        }
        start.countDown();
        List<Quiet> staying = new ArrayList<>();
        for (int i = 0; i < HANDLES; i++) {
            Quiet handle = new Quiet();
            staying.add(handle);
            loop.register(handle).sync();
        }
        for (Thread thread : threads) {
            thread.join(10_000);
        }
        await().until(() -> handles.stream().allMatch(h -> h.unregistered.get() == 1 && h.released.get() == 1));
        assertThat(cancels).hasValue(HANDLES);
        assertThat(registrations).noneMatch(IoRegistration::isValid);
        assertThat(staying).allMatch(h -> h.unregistered.get() == 0);

        group.shutdownGracefully(100, 5_000, MILLISECONDS).sync(); // with a quiet period, in which Netty closes handles
        assertThat(handles).allMatch(h -> h.unregistered.get() == 1 && h.closed.get() == 0);
        assertThat(staying).allMatch(h -> h.unregistered.get() == 1 && h.closed.get() == 1);
        assertThat(mistakes).isEmpty();
    }

    @RepeatedTest(20)
    void afterTheLoopHasEndedNothingIsLeftToCancel() throws Exception {
        Quiet handle = new Quiet();
        IoRegistration registration = loop.register(handle).sync().getNow();
        group.shutdownGracefully(0, 5, SECONDS).sync();
        assertThat(registration.cancel()).isFalse();
        assertThat(handle.unregistered).hasValue(1);
        assertThat(handle.released).hasValue(1);
        assertThat(mistakes).isEmpty();
    }
}
