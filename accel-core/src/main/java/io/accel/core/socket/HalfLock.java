// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The lock of one direction of a stream. An operation that has begun before there was a lock counts as its holder until its thread {@linkplain
 * #adopt takes} it: {@link PlainStream} begins operations without a lock, and one may wait in the kernel when the lock is made.
 */
final class HalfLock extends ReentrantLock {
    private static final long serialVersionUID = 1;

    /** Whether such an operation is under way. Set by the thread that makes this, before others see it; cleared under the lock, once. */
    private volatile boolean early;
    /** Signalled when that ends; null if there was none. Written as {@link #early}. */
    private transient Condition adopted;

    /** Takes note, before others see this, that an operation without it is under way. */
    void beginEarly() {
        adopted = newCondition();
        early = true;
    }

    /** Makes the calling thread, whose operation has begun before this was made, the holder. */
    void adopt() {
        super.lock(); // others that come here wait for the signal, and do not hold it
        early = false;
        adopted.signalAll();
    }

    @Override
    public void lock() {
        super.lock();
        while (early) {
            adopted.awaitUninterruptibly();
        }
    }

    @Override
    public boolean tryLock() {
        return !early && super.tryLock();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        long end = System.nanoTime() + unit.toNanos(time);
        if (!super.tryLock(time, unit)) {
            return false;
        }
        boolean isHeld = false;
        try {
            while (early) {
                if (adopted.awaitNanos(end - System.nanoTime()) <= 0) {
                    return false;
                }
            }
            isHeld = true;
        } finally {
            if (!isHeld) {
                unlock();
            }
        }
        return true;
    }
}
