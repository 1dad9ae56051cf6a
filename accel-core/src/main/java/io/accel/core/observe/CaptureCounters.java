package io.accel.core.observe;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What is counted of captures. Thread-safe. */
public final class CaptureCounters {
    private static final AtomicInteger RUNNING = new AtomicInteger();
    private static final LongAdder KEPT = new LongAdder();
    private static final LongAdder DROPPED = new LongAdder();

    private CaptureCounters() {}

    /** One begins. */
    public static void begun() {
        RUNNING.incrementAndGet();
    }

    /** One has ended. */
    public static void ended() {
        RUNNING.decrementAndGet();
    }

    /** A packet was handed over, or else dropped, because there was no room until it could be. */
    public static void packet(boolean isKept) {
        (isKept ? KEPT : DROPPED).increment();
    }

    /** How many are under way. */
    public static int running() {
        return RUNNING.get();
    }

    /** How many packets were handed over, or else dropped. */
    public static long packets(boolean areKept) {
        return (areKept ? KEPT : DROPPED).sum();
    }
}
