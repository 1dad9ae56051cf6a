// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A count that many threads add to, each in one of a few cells. To add is one instruction of the processor and has no
 * branch. For a {@link java.util.concurrent.atomic.LongAdder} a compiler makes ten times as much code in each method
 * that adds, and makes it anew when two threads meet there for the first time. Thread-safe.
 */
final class Tally {
    private static final int CELLS = 16;
    /** How many longs lie between two cells: two cache lines, which processors fetch in pairs. */
    private static final int STRIDE = 16;

    private final AtomicLongArray cells = new AtomicLongArray(CELLS * STRIDE);

    void increment() {
        add(1);
    }

    void add(long n) {
        long unused = cells.getAndAdd(((int) Thread.currentThread().getId() & (CELLS - 1)) * STRIDE, n);
    }

    /** The sum of all additions, perhaps without those under way. */
    long sum() {
        long sum = 0;
        for (int i = 0; i < CELLS; i++) {
            sum += cells.get(i * STRIDE);
        }
        return sum;
    }
}
