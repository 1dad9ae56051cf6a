// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

@SuppressWarnings("LockNotBeforeTry") // threads hand it to each other
class HalfLockTest {
    private static final int WAITERS = 8;

    private final HalfLock lock = new HalfLock();

    @Test
    void withoutAnEarlyOperationItIsALock() throws Exception {
        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        lock.unlock();
        assertThat(lock.isLocked()).isFalse();
        assertThat(Locks.tryLock(lock, 1)).isTrue();
        lock.unlock();
    }

    @Test
    void anEarlyOperationKeepsOthersOut() throws Exception {
        lock.beginEarly();
        assertThat(lock.tryLock()).isFalse();
        assertThat(Locks.tryLock(lock, TimeUnit.MILLISECONDS.toNanos(20))).isFalse();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        lock.adopt();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    /** All that wait come in one after the other, and none before the early operation has left. */
    @Test
    void waitersFollowTheEarlyOperation() throws Exception {
        lock.beginEarly();
        AtomicInteger inside = new AtomicInteger();
        CountDownLatch waiting = new CountDownLatch(WAITERS);
        FutureTask<?>[] waiters = new FutureTask<?>[WAITERS];
        for (int i = 0; i < WAITERS; i++) {
            boolean isTimed = i % 2 == 0;
            waiters[i] = new FutureTask<>(() -> {
                waiting.countDown();
                if (isTimed) {
                    assertThat(Locks.tryLock(lock, TimeUnit.SECONDS.toNanos(30)))
                            .isTrue();
                } else {
                    lock.lock();
                }
                assertThat(inside.incrementAndGet()).isEqualTo(1);
                inside.decrementAndGet();
                lock.unlock();
                return null;
            });
            new Thread(waiters[i]).start();
        }
        assertThat(waiting.await(10, TimeUnit.SECONDS)).isTrue();
        lock.adopt();
        inside.incrementAndGet();
        for (FutureTask<?> each : waiters) {
            assertThat(each.isDone()).isFalse();
        }
        inside.decrementAndGet();
        lock.unlock();
        for (FutureTask<?> each : waiters) {
            each.get(10, TimeUnit.SECONDS);
        }
    }
}
