package io.accel.core.poll;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * How many threads of a process may look for traffic at a time: one fewer than it has processors, so that somebody can make what
 * they look for. None with a single processor, or with a share of time that is not a whole number of them, where looking
 * spends what is needed for working. Thread-safe, without locks.
 *
 * <p>A place is kept from look to look and given back before a sleep, so that a thread under traffic pays a read for it. One
 * that has not looked for {@value #LEASE_NANOS} ns is another's to take: its owner may compute, or be gone.
 */
public final class SpinBudget {
    private static final long LEASE_NANOS = 100_000_000;
    /** What it costs to find out that a core is crowded is a slice; so often it may be found out anew. */
    private static final long FIRST_BACK_OFF = 200_000_000;

    private static final long LAST_BACK_OFF = 2_000_000_000;

    /** That of this process. */
    public static final SpinBudget OF_PROCESS = new SpinBudget(
            CpuQuota.OF_PROCESS.isFractional() ? 0 : Runtime.getRuntime().availableProcessors() - 1);

    /** Who has which place. Taken by compare-and-set by any thread, given back by its owner. */
    private final AtomicReferenceArray<WaitPolicy> places;

    // Written by whoever finds cores crowded; of two at a time, either is right.

    private volatile long crowdedUntil = Long.MIN_VALUE / 2;
    private volatile long backOff = FIRST_BACK_OFF;

    /**
     * A budget.
     *
     * @param places how many may look at a time
     */
    public SpinBudget(int places) {
        this.places = new AtomicReferenceArray<>(places);
    }

    int places() {
        return places.length();
    }

    /** Whether threads of the process are to be taken for kept from their cores. */
    boolean isCrowded(long now) {
        return crowdedUntil - now > 0;
    }

    /** A thread was kept from its core. Returns until when that counts: the longer, the more often it was so. */
    long crowded(long now) {
        long until = crowdedUntil;
        if (until - now <= 0) {
            long next = now - until > 4 * backOff ? FIRST_BACK_OFF : Math.min(backOff * 2, LAST_BACK_OFF);
            backOff = next;
            until = now + next;
            crowdedUntil = until;
        }
        return until;
    }

    /** Whether a policy has a place or gets one. */
    boolean take(WaitPolicy policy, long now) {
        if (has(policy)) {
            return true;
        }
        for (int i = 0; i < places.length(); i++) {
            WaitPolicy owner = places.get(i);
            if ((owner == null || now - owner.lookedAt() > LEASE_NANOS) && places.compareAndSet(i, owner, policy)) {
                return true;
            }
        }
        return false;
    }

    boolean has(WaitPolicy policy) {
        for (int i = 0; i < places.length(); i++) {
            if (places.get(i) == policy) {
                return true;
            }
        }
        return false;
    }

    void give(WaitPolicy policy) {
        for (int i = 0; i < places.length(); i++) {
            if (places.get(i) == policy && places.compareAndSet(i, policy, null)) {
                return;
            }
        }
    }
}
