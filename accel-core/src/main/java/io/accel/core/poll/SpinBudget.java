package io.accel.core.poll;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many threads of a process may look for traffic for long at a time: one fewer than it has processors, so that somebody can
 * make what they look for. None with a single processor, or with a share of time that is not a whole number of them, where
 * looking spends what is needed for working. Thread-safe, without locks.
 */
public final class SpinBudget {
    /** That of this process. */
    static final SpinBudget OF_PROCESS = new SpinBudget(
            CpuQuota.OF_PROCESS.isFractional() ? 0 : Runtime.getRuntime().availableProcessors() - 1);

    private final int places;
    private final AtomicInteger taken = new AtomicInteger();

    /**
     * A budget.
     *
     * @param places how many may look at a time
     */
    SpinBudget(int places) {
        this.places = places;
    }

    /** How many may look at a time in this process. */
    public static int ofProcess() {
        return OF_PROCESS.places;
    }

    /** Whether anybody may. */
    boolean isEmpty() {
        return places == 0;
    }

    /** Whether there was a place, which is the caller's until it gives it back. */
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
