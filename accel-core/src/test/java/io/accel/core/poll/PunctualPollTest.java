// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.channels.SelectionKey;
import java.util.Arrays;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A wait that ends when it should, and its cost. */
class PunctualPollTest {
    private static final int WAITS = 60;
    private static final long MICRO = 1_000;
    private static final long MILLI = 1_000 * MICRO;
    private static final Poller.Sink NOTHING = (registration, ops) -> {};

    private static Poller poller() throws IOException {
        return new Poller(new PollConfig(0, 200, 64, 0, PollConfig.Yielding.ADAPTIVE));
    }

    /** A tenth of the waits is enough, since others may have the processor when a wait ends. */
    @ParameterizedTest
    @ValueSource(longs = {20 * MICRO, 200 * MICRO, 700 * MICRO, 1_100 * MICRO, 2_600 * MICRO})
    void endsMicrosecondsAfterItsTimeAndNeverBefore(long timeout) throws Exception {
        try (Poller poller = poller()) {
            long[] late = new long[WAITS];
            for (int i = 0; i < WAITS; i++) {
                long start = System.nanoTime();
                assertThat(poller.pollPunctually(timeout, NOTHING)).isZero();
                late[i] = System.nanoTime() - start - timeout;
            }
            Arrays.sort(late);
            assertThat(late[0]).as("the least delay").isGreaterThanOrEqualTo(0);
            assertThat(late[WAITS / 10]).as("a tenth's delay").isLessThan(150 * MICRO);
        }
    }

    @Test
    void sleepsForMostOfTheTime() throws Exception {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long timeout = 950 * MICRO;
        try (Poller poller = poller()) {
            long before = threads.getCurrentThreadCpuTime();
            for (int i = 0; i < 10 * WAITS; i++) {
                poller.pollPunctually(timeout, NOTHING);
            }
            long used = threads.getCurrentThreadCpuTime() - before;
            assertThat(used / (10 * WAITS)).as("processor time of a wait").isLessThan(timeout / 2);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {800 * MICRO, 5_000 * MILLI})
    void findsWhatComesMeanwhile(long timeout) throws Exception {
        try (Poller poller = poller();
                FakeKernel kernel = new FakeKernel()) {
            Registration registration = poller.register(kernel, SelectionKey.OP_READ, kernel);
            kernel.makeReadable();
            long start = System.nanoTime();
            assertThat(poller.pollPunctually(timeout, NOTHING)).isPositive();
            kernel.drain();

            FutureTask<Integer> waiting = new FutureTask<>(() -> {
                int found;
                do { // the short one is over before anything can come
                    found = poller.pollPunctually(timeout, NOTHING);
                } while (found == 0);
                return found;
            });
            Thread thread = new Thread(waiting);
            thread.setDaemon(true);
            thread.start();
            kernel.makeReadable();
            assertThat(waiting.get(4, TimeUnit.SECONDS)).isPositive();
            assertThat(System.nanoTime() - start).isLessThan(5_000 * MILLI);
            registration.close();
        }
    }

    @Test
    void aWakeUpEndsItBeforeItsTime() throws Exception {
        try (Poller poller = poller()) {
            long start = System.nanoTime();
            poller.wakeup();
            assertThat(poller.pollPunctually(5_000 * MILLI, NOTHING)).isZero();
            FutureTask<Integer> waiting = new FutureTask<>(() -> poller.pollPunctually(5_000 * MILLI, NOTHING));
            Thread thread = new Thread(waiting);
            thread.setDaemon(true);
            thread.start();
            poller.wakeup();
            assertThat(waiting.get(4, TimeUnit.SECONDS)).isZero();
            assertThat(System.nanoTime() - start).isLessThan(5_000 * MILLI);
        }
    }
}
