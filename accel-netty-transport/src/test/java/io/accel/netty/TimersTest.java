// SPDX-License-Identifier: Apache-2.0
package io.accel.netty;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.Future;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scheduled tasks run when they should. */
class TimersTest {
    private static final int TIMERS = 60;
    private static final long MICRO = 1_000;
    private static final long FEW = 150 * MICRO;
    /** The time limit of the attempts: on a busy machine others may have the processors most of the time. */
    private static final long PATIENCE_NANOS = SECONDS.toNanos(20);

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, AccelIoHandler.newFactory());

    @AfterEach
    void shutDown() {
        group.shutdownGracefully(0, 5, SECONDS).syncUninterruptibly();
    }

    /** A tenth of the timers is enough, since others may have the processor when a timer is due. */
    @ParameterizedTest
    @ValueSource(longs = {50 * MICRO, 200 * MICRO, 1_300 * MICRO, 2_600 * MICRO})
    void areMicrosecondsLate(long delay) throws Exception {
        long start = System.nanoTime();
        long late;
        do {
            late = latenessOfATenth(delay);
        } while (late >= FEW && System.nanoTime() - start < PATIENCE_NANOS);
        assertThat(late).as("a tenth's delay").isLessThan(FEW);
    }

    private long latenessOfATenth(long delay) throws Exception {
        long[] late = new long[TIMERS];
        for (int i = 0; i < TIMERS; i++) {
            CompletableFuture<Long> run = new CompletableFuture<>();
            group.execute(() -> schedule(delay, run));
            late[i] = run.get(10, SECONDS);
        }
        Arrays.sort(late);
        return late[TIMERS / 10];
    }

    private void schedule(long delay, CompletableFuture<Long> run) {
        long due = System.nanoTime() + delay;
        Future<?> unused = group.schedule(() -> run.complete(System.nanoTime() - due), delay, NANOSECONDS);
    }
}
