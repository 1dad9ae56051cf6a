// SPDX-License-Identifier: Apache-2.0
package io.accel.core.daemon;

import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Delays the end of the process until daemons have done what the program, or its user, relies on. An end by {@code kill -9}, or by {@link
 * Runtime#halt}, is not delayed. Any thread.
 */
public final class ExitDelay {
    private static final Log LOG = Log.of(ExitDelay.class);
    private static final Warnings ERRORS = new Warnings(LOG);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final String name;
    private final BooleanSupplier isDone;
    private final long mostNanos;
    private final AtomicBoolean isBegun = new AtomicBoolean();

    /**
     * Makes a delay, which has no effect before it {@linkplain #begin begins}.
     *
     * @param name the name of the thread that waits
     * @param isDone whether the process may end; asked each millisecond by that thread
     * @param mostNanos how long to wait at most
     */
    public ExitDelay(String name, BooleanSupplier isDone, long mostNanos) {
        this.name = name;
        this.isDone = isDone;
        this.mostNanos = mostNanos;
    }

    /** Delays the process's end from now on. Throws nothing. */
    public void begin() {
        if (!isBegun.compareAndSet(false, true)) {
            return;
        }
        try {
            Daemons.atExit(name, this::await);
        } catch (IllegalStateException e) {
            LOG.get().log(Level.DEBUG, "the process is ending, and does not wait for what has begun since", e);
        } catch (RuntimeException | Error e) {
            ERRORS.warn("the process's end will not wait for what Accel's threads have to do (" + name + ")", e);
        }
    }

    private void await() {
        long start = System.nanoTime();
        while (!isDone.getAsBoolean() && System.nanoTime() - start < mostNanos) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
