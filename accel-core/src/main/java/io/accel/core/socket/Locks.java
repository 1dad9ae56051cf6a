// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** Waits for locks as the JDK's sockets do. Stateless. */
final class Locks {
    private Locks() {}

    /** Takes a lock within a time limit, whether the thread is interrupted or not. The interrupt status stays. */
    static boolean tryLock(ReentrantLock lock, long nanos) {
        boolean interrupted = false;
        long end = System.nanoTime() + nanos;
        try {
            while (true) {
                try {
                    return lock.tryLock(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
