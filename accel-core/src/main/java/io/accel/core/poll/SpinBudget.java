// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Limits how many threads of a process may look for traffic for long at a time: one fewer than it has processors, so
 * that another thread can produce that traffic. With a single processor one thread may look for traffic that a device brings from another
 * host, and no thread for other traffic. No thread may look with a share of time that is not a whole number of processors, where looking
 * uses up time that work needs. Thread-safe, without locks.
 */
public final class SpinBudget {
    /** The budget of this process. */
    static final SpinBudget OF_PROCESS = CpuQuota.OF_PROCESS.isFractional()
            ? new SpinBudget(0, 0)
            : of(Runtime.getRuntime().availableProcessors());

    private final int places;
    /** As {@link #places}, for threads that wait for another host. */
    private final int remotePlaces;

    private final AtomicInteger taken = new AtomicInteger();

    /**
     * Makes a budget.
     *
     * @param places how many threads may look at a time
     * @param remotePlaces how many, if they wait for another host; the others count towards these
     */
    SpinBudget(int places, int remotePlaces) {
        this.places = places;
        this.remotePlaces = remotePlaces;
    }

    /** The budget of a process that has so many processors to itself. */
    static SpinBudget of(int processors) {
        return new SpinBudget(processors - 1, Math.max(1, processors - 1));
    }

    /** How many threads may look at a time in this process for what others of this host send. */
    public static int ofProcess() {
        return OF_PROCESS.places;
    }

    /**
     * Whether no thread may look.
     *
     * @param remote whether for what another host sends
     */
    boolean isEmpty(boolean remote) {
        return most(remote) == 0;
    }

    private int most(boolean remote) {
        return remote ? remotePlaces : places;
    }

    /**
     * Takes a place if there is one; returns whether the caller has it, until it gives it back.
     *
     * @param remote whether to look for what another host sends
     */
    boolean take(boolean remote) {
        int most = most(remote);
        int n = taken.get();
        while (n < most) {
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
