// SPDX-License-Identifier: Apache-2.0
package io.accel.core.daemon;

import java.util.ArrayDeque;
import java.util.Queue;

/**
 * The part of Accel's start that can wait: it is done a second after it was asked for, in the order of asking, by one daemon. So it does not
 * compete with the program's own start, and a program that is over by then never pays for it. Thread-safe.
 */
public final class DeferredStart {
    private static final long MOMENT_MILLIS = 1_000;

    // Guarded by the class.
    private static final Queue<Runnable> WORK = new ArrayDeque<>();
    private static boolean awaited;

    private DeferredStart() {}

    /**
     * Defers work. If there can be no daemon for it now, it is done along with the next work that is deferred.
     *
     * @param work the work; the log records its exceptions
     */
    public static synchronized void defer(Runnable work) {
        WORK.add(work);
        if (!awaited) {
            try {
                Daemons.start("accel-start", new Moment());
                awaited = true;
            } catch (SecurityException | OutOfMemoryError e) {
                awaited = false; // said above
            }
        }
    }

    private static synchronized Runnable next() {
        Runnable work = WORK.poll();
        awaited = work != null;
        return work;
    }

    /** Passes the moment, and then does the work. */
    private static final class Moment implements Runnable {
        @Override
        public void run() {
            try {
                Thread.sleep(MOMENT_MILLIS);
            } catch (InterruptedException e) {
                Thread.interrupted(); // nobody has a reason to interrupt it; then the moment is over sooner
            }
            for (Runnable work = next(); work != null; work = next()) {
                try {
                    work.run();
                } catch (RuntimeException | Error e) {
                    Log.of("io.accel").get().log(System.Logger.Level.WARNING, "accel: a part of the start failed", e);
                }
            }
        }
    }
}
