package io.accel.nio.async;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The clock of all groups' operations: one daemon thread, from the first operation with a timeout on. Thread-safe. */
final class Timeouts {
    private static final ScheduledThreadPoolExecutor CLOCK = start();

    private Timeouts() {}

    private static ScheduledThreadPoolExecutor start() {
        ScheduledThreadPoolExecutor clock =
                new ScheduledThreadPoolExecutor(1, new DefaultThreads("accel-async-timeouts-"));
        clock.setRemoveOnCancelPolicy(true);
        return clock;
    }

    /** Has something done after a time, unless what this returns is cancelled before. */
    static Future<?> after(long timeout, TimeUnit unit, Runnable action) {
        return CLOCK.schedule(action, timeout, unit);
    }
}
