// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Limits how many threads of a process may look for traffic for long at a time: one fewer than it has processors, so
 * that another thread can produce that traffic. No thread may with a single processor, or with a share of time that
 * is not a whole number of processors, where looking uses up time that work needs. Thread-safe, without locks.
 */
public final class SpinBudget {
    /** The budget of this process. */
    static final SpinBudget OF_PROCESS = new SpinBudget(
            CpuQuota.OF_PROCESS.isFractional() ? 0 : Runtime.getRuntime().availableProcessors() - 1);

    private final int places;
    private final AtomicInteger taken = new AtomicInteger();

    /**
     * Makes a budget.
     *
     * @param places how many threads may look at a time
     */
    SpinBudget(int places) {
        this.places = places;
    }

    /** How many threads may look at a time in this process. */
    public static int ofProcess() {
        return OF_PROCESS.places;
    }

    /** Whether no thread may look. */
    boolean isEmpty() {
        return places == 0;
    }

    /** Takes a place if there is one; returns whether the caller has it, until it gives it back. */
    boolean take() {
        int n = taken.get();
        while (n < places) {
            if (taken.compareAndSet(n, n + 1)) {
                return true;
            }
            n = taken.get();
        }
        return false;
    }

    /** Gives a place back that was taken. */
    void give() {
        taken.decrementAndGet();
    }
}
