// SPDX-License-Identifier: Apache-2.0
package io.accel.core.daemon;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Warnings about events that a peer can cause as often as it likes, or that a broken machine repeats without end: a
 * few at once, then one in ten seconds, which says how many were left out. Safe for use by several threads.
 */
public final class Warnings {
    /** The warnings, of all kinds, for which there was neither memory nor stack. The next warning of any kind counts them. */
    private static final AtomicLong UNSAID = new AtomicLong();

    private static final int AT_ONCE = 5;
    private static final long INTERVAL_NANOS = 10_000_000_000L;

    private final Supplier<Logger> log;
    private final long intervalNanos;

    // Guarded by this.
    private int allowed = AT_ONCE;
    private long nextAt;
    private long leftOut;

    /**
     * Makes a source of warnings of one kind.
     *
     * @param log the log that they go to
     */
    public Warnings(Log log) {
        this(log, INTERVAL_NANOS);
    }

    Warnings(Supplier<Logger> log, long intervalNanos) {
        this.log = log;
        this.intervalNanos = intervalNanos;
    }

    /**
     * Logs a warning, unless there were too many. It throws nothing: a logger may need a resource that has just run
     * out, such as descriptors or memory.
     *
     * @param message the event, and what happens now
     * @param cause its cause
     */
    public void warn(String message, Throwable cause) {
        String text = message;
        try {
            text = admit(message);
            if (text != null) {
                log.get().log(Level.WARNING, text, cause);
            }
        } catch (Throwable e) {
            printed(text, cause, e);
        }
    }

    private static void printed(String text, Throwable cause, Throwable why) {
        try {
            System.err.println("accel: " + text + ": " + cause + ", and logging it failed: " + why);
        } catch (Throwable e) {
            UNSAID.incrementAndGet(); // there is no memory, or no stack, for a word
        }
    }

    private synchronized String admit(String message) {
        long now = System.nanoTime();
        if (allowed == 0 && now - nextAt >= 0) {
            allowed = 1;
        }
        if (allowed == 0) {
            leftOut++;
            return null;
        }
        allowed--;
        nextAt = now + intervalNanos;
        leftOut += UNSAID.getAndSet(0);
        String text = leftOut == 0 ? message : message + " (" + leftOut + " warnings like this were left out)";
        leftOut = 0;
        return text;
    }
}
