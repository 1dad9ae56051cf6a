// SPDX-License-Identifier: Apache-2.0
package io.accel.core.runtime;

import io.accel.core.poll.ProcessLoad;
import java.util.function.BooleanSupplier;

/**
 * Whether this process has too little time for what can wait: the machine's processors have hardly rested since the last question, or are
 * crowded, and the process has not used so much of them that what waits would be a small part of it. One thread asks, now and then. The
 * machine is not looked at before.
 */
final class NoTimeToSpare implements BooleanSupplier {
    /** What waits takes three tenths of a second, a twentieth of this. */
    private static final long ENOUGH_NANOS = 6_000_000_000L;
    /** Processors that have rested for one part of this many of their time have some to spare. */
    private static final int PARTS = 8;

    private ProcessLoad load;
    /** At the last question. */
    private long restedBefore;

    private long before;

    @Override
    public boolean getAsBoolean() {
        boolean isFirst = load == null;
        if (isFirst) {
            load = new ProcessLoad();
        }
        long now = System.nanoTime();
        long rested = load.restedNanos();
        boolean hasRested = rested == 0 || (!isFirst && isEnough(rested - restedBefore, now - before));
        restedBefore = rested;
        before = now;
        return (!hasRested || load.isCrowded()) && load.processNanos() < ENOUGH_NANOS;
    }

    /** Whether so much rest of all processors in so much time leaves some. */
    static boolean isEnough(long rested, long passed) {
        return rested * PARTS >= passed * Runtime.getRuntime().availableProcessors();
    }
}
