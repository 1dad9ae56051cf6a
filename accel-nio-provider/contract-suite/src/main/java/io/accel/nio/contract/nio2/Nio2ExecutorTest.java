// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.nio2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import java.nio.channels.AsynchronousChannelGroup;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A group of channels is an executor of its threads. No documentation says so, but programs cast it. */
@Tag("nio2")
class Nio2ExecutorTest extends Nio2Support {
    @Test
    void tasksRunOnTheGroupsThreads() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor(daemons("pool"));
        assertRunsOn("pool", pooledGroup(pool));
        assertRunsOn("fixed", fixedGroup(1));
        assertRunsOn("fixed", fixedGroup(3));
        assertRunsOn("cached", cachedGroup());
    }

    private static void assertRunsOn(String name, AsynchronousChannelGroup group) throws Exception {
        for (int i = 0; i < 5; i++) {
            CompletableFuture<String> thread = new CompletableFuture<>();
            ((Executor) group)
                    .execute(() -> thread.complete(Thread.currentThread().getName()));
            assertThat(value(thread)).isEqualTo(name);
        }
    }

    /** A task that begins an operation has its handler called, too. */
    @Test
    void tasksUseTheGroupsChannels() throws Exception {
        for (AsynchronousChannelGroup group : new AsynchronousChannelGroup[] {fixedGroup(1), cachedGroup()}) {
            AsyncPair pair = asyncPair(group);
            Outcome<Integer> write = new Outcome<>();
            ((Executor) group).execute(() -> pair.client().write(Bytes.ascii("x"), null, write));
            assertThat(write.get()).isEqualTo(1);
            assertThat(receive(pair.server(), 1)).containsExactly('x');
        }
    }

    /** A task may take long, as long as there is another thread. */
    @Test
    void aTaskMayBlock() throws Exception {
        for (AsynchronousChannelGroup group : new AsynchronousChannelGroup[] {fixedGroup(2), cachedGroup()}) {
            AsyncPair pair = asyncPair(group);
            CountDownLatch release = new CountDownLatch(1);
            CountDownLatch entered = new CountDownLatch(1);
            closing(release::countDown);
            ((Executor) group).execute(() -> {
                entered.countDown();
                try {
                    release.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            assertThat(entered.await(LIMIT_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
            assertWorks(pair);
            release.countDown();
        }
    }

    @Test
    void aGroupThatHasEndedRefusesTasks() throws Exception {
        for (AsynchronousChannelGroup group : new AsynchronousChannelGroup[] {fixedGroup(2), cachedGroup()}) {
            group.shutdownNow();
            assertThat(group.awaitTermination(LIMIT_MILLIS, TimeUnit.MILLISECONDS))
                    .isTrue();
            assertThatThrownBy(() -> ((Executor) group).execute(() -> {}))
                    .isInstanceOf(RejectedExecutionException.class);
        }
    }
}
