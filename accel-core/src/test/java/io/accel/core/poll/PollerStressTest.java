// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.channels.SelectionKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Registering, changing, ringing, closing and waking from several threads while one polls. */
class PollerStressTest {
    private static final int OTHERS = 3;
    private static final long DURATION = TimeUnit.MILLISECONDS.toNanos(1_500);
    private static final int ENOUGH = 50;

    @ParameterizedTest
    @ValueSource(longs = {0, 5_000, Long.MAX_VALUE})
    void everyRegistrationEndsOnceAndEveryRingIsHeard(long spin) throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        AtomicLong heard = new AtomicLong();
        try (Poller poller = new Poller(new PollConfig(spin, 100, 8, 0, PollConfig.Yielding.ADAPTIVE))) {
            FutureTask<Void> polling = new FutureTask<>(() -> {
                while (!stop.get()) {
                    poller.poll(-1, (registration, ops) -> {
                        FakeLink link = (FakeLink) registration.attachment();
                        link.make(0);
                        heard.incrementAndGet();
                    });
                }
                return null;
            });
            start(polling);
            List<FutureTask<Long>> others = new ArrayList<>();
            for (int i = 0; i < OTHERS; i++) {
                long seed = i;
                FutureTask<Long> other = new FutureTask<>(() -> churn(poller, new SplittableRandom(seed)));
                others.add(other);
                start(other);
            }
            long lives = 0;
            for (FutureTask<Long> other : others) {
                lives += other.get(40, TimeUnit.SECONDS);
            }
            stop.set(true);
            poller.wakeup();
            polling.get(10, TimeUnit.SECONDS);
            assertThat(lives).as("registrations lived through").isGreaterThan(ENOUGH);
            assertThat(heard.get()).isGreaterThan(ENOUGH);
        }
    }

    /** Lives of a link, one after the other: registered, rung, changed, closed, in the middle of whatever goes on. */
    private static long churn(Poller poller, SplittableRandom random) throws Exception {
        long start = System.nanoTime();
        long lives = 0;
        while (goesOn(start, lives)) {
            try (FakeLink link = new FakeLink()) {
                Registration registration = poller.register(link, SelectionKey.OP_READ, link);
                int rings = random.nextInt(20);
                for (int i = 0; i < rings; i++) {
                    link.make(SelectionKey.OP_READ);
                    if (random.nextInt(3) == 0) {
                        pause(random);
                    }
                    awaitHeard(link);
                    switch (random.nextInt(6)) {
                        case 0 -> poller.wakeup();
                        case 1 -> registration.refresh();
                        case 2 -> {
                            registration.interest(0);
                            registration.interest(SelectionKey.OP_READ);
                            registration.refresh();
                        }
                        default -> pause(random);
                    }
                }
                registration.close();
                if (random.nextBoolean()) {
                    registration.close();
                }
                await().pollInterval(Duration.ofNanos(100_000))
                        .atMost(Duration.ofSeconds(10))
                        .until(() -> !link.isRegistered());
                assertThat(link.releases).hasValue(1);
                assertThat(link.violation).isNull();
                lives++;
            }
        }
        return lives;
    }

    /** Until the time is over, and much longer where the machine has others to serve. */
    private static boolean goesOn(long start, long lives) {
        long passed = System.nanoTime() - start;
        return passed < DURATION || (lives <= ENOUGH / OTHERS && passed < 10 * DURATION);
    }

    /** The poller must find it, or a ring is lost. */
    private static void awaitHeard(FakeLink link) {
        long start = System.nanoTime();
        while (link.look(SelectionKey.OP_READ) != 0) {
            if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(10)) {
                throw new AssertionError("the poller has not found a ready link for 10 s");
            }
            Thread.yield();
        }
    }

    private static void pause(SplittableRandom random) {
        long until = System.nanoTime() + random.nextInt(30_000);
        while (System.nanoTime() - until < 0) {
            Thread.onSpinWait();
        }
    }

    private static void start(FutureTask<?> task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
    }
}
