// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.async;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The clock for the operations of all groups: one daemon thread, which the first operation with a timeout starts. Thread-safe. */
final class Timeouts {
    private static final ScheduledThreadPoolExecutor CLOCK = start();

    private Timeouts() {}

    private static ScheduledThreadPoolExecutor start() {
        ScheduledThreadPoolExecutor clock =
                new ScheduledThreadPoolExecutor(1, new DefaultThreads("accel-async-timeouts-"));
        clock.setRemoveOnCancelPolicy(true);
        return clock;
    }

    /** Runs an action after a time, unless the returned future is cancelled before. */
    static Future<?> after(long timeout, TimeUnit unit, Runnable action) {
        return CLOCK.schedule(action, timeout, unit);
    }
}
