// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

/** How long to wait before something is tried again: a second at first, twice as long each time, a minute at most. One thread at a time. */
final class GrowingPause {
    static final long FIRST_NANOS = 1_000_000_000L;
    static final long LONGEST_NANOS = 60_000_000_000L;

    private long next = FIRST_NANOS;

    /** The pause before the next attempt, in nanoseconds. */
    long next() {
        long pause = next;
        next = Math.min(2 * next, LONGEST_NANOS);
        return pause;
    }

    /** Takes note that an attempt has succeeded. */
    void reset() {
        next = FIRST_NANOS;
    }
}
