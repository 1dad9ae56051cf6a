// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** The counters of captures. Thread-safe. */
public final class CaptureCounters {
    private static final AtomicInteger RUNNING = new AtomicInteger();
    private static final LongAdder KEPT = new LongAdder();
    private static final LongAdder DROPPED = new LongAdder();

    private CaptureCounters() {}

    /** A capture begins. */
    public static void begun() {
        RUNNING.incrementAndGet();
    }

    /** A capture has ended. */
    public static void ended() {
        RUNNING.decrementAndGet();
    }

    /** Counts a packet that was handed over, or dropped because there was no room until it could be. */
    public static void packet(boolean isKept) {
        (isKept ? KEPT : DROPPED).increment();
    }

    /** How many captures are under way. */
    public static int running() {
        return RUNNING.get();
    }

    /** How many packets were handed over, or dropped. */
    public static long packets(boolean areKept) {
        return (areKept ? KEPT : DROPPED).sum();
    }
}
