// SPDX-License-Identifier: Apache-2.0
package io.accel.core.daemon;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * The part of Accel's start that can wait. A process is young for a second after Accel has begun in it, for some more as long as it has no time
 * to spare, and then until somebody {@linkplain #want wants} what waits, ten seconds in all at most; what is deferred meanwhile is done then, in
 * the order of asking, by one daemon. So it does not compete with the program's own start, and a program that is over by then, or that Accel
 * cannot help in these seconds, never pays for it. Where Accel does not begin for a whole process, as in a program that makes its provider by
 * itself, nothing is deferred. Thread-safe.
 */
public final class DeferredStart {
    private static final long YOUTH_MILLIS = 1_000;
    /** How much longer a busy process is young at most. What waits takes three tenths of a second, a small part of what is used by then. */
    private static final long MOST_BUSY_MILLIS = 4_000;

    private static final long LOOK_MILLIS = 250;
    /** How long what nobody wants waits, from the beginning on. */
    private static final long UNWANTED_MILLIS = 10_000;
    /** The most pieces of work that are kept; the next ones are done at once, by whoever has them. */
    private static final int MOST = 1_000;

    private static final Queue<Runnable> WORK = new ArrayDeque<>(); // guarded by the class
    private static boolean begun; // guarded by the class
    /** Whether work is deferred now. Written under the class's monitor. */
    private static volatile boolean young;
    /** Whether the process has no time to spare; null if nobody can tell. Any thread writes it, once. */
    private static volatile BooleanSupplier busy;
    /** Whether somebody wants what waits. Any thread sets it. */
    private static volatile boolean wanted;
    /** Waits. Written by itself, before it looks at {@link #wanted}, which is set before this is read. */
    private static volatile Thread waiting;

    private DeferredStart() {}

    /**
     * Takes note that Accel begins in this process. A second call does nothing.
     *
     * @param first what the daemon does at once
     * @return whether the daemon does that
     */
    static synchronized boolean begin(Runnable first) {
        if (begun) {
            return false;
        }
        begun = true;
        try {
            Daemons.start("accel-start", new Youth(first));
            young = true;
        } catch (SecurityException | OutOfMemoryError e) {
            return false; // then nothing waits
        }
        return true;
    }

    /** Whether Accel has only just begun in this process, so that work is deferred. */
    public static boolean isYoung() {
        return young;
    }

    /**
     * Defers work, while the process is young.
     *
     * @param work the work; it is not done if the process ends before that
     * @return false if it is not deferred, and the caller is to do it now
     */
    public static boolean defer(Runnable work) {
        return young && keep(work);
    }

    /**
     * Keeps the process young as long as it has no time to spare, some seconds at most.
     *
     * @param isBusy whether that is so; called by one thread, now and then
     */
    public static void stayYoungWhile(BooleanSupplier isBusy) {
        busy = isBusy;
    }

    /** Has what waits done as soon as the process has time to spare, since there is a use for it. */
    public static void want() {
        if (!wanted) {
            wanted = true;
            LockSupport.unpark(waiting);
        }
    }

    private static boolean isBusy() {
        BooleanSupplier asked = busy;
        return asked != null && asked.getAsBoolean();
    }

    /** Waits as long as a process is young. */
    static void passYouth() {
        pass(YOUTH_MILLIS);
        for (long left = MOST_BUSY_MILLIS; left > 0 && !Daemons.isEnding() && isBusy(); left -= LOOK_MILLIS) {
            pass(LOOK_MILLIS);
        }
    }

    /** Waits until somebody wants what waits, or it has waited for long enough. */
    private static void awaitWanted(long since) {
        waiting = Thread.currentThread();
        long end = since + TimeUnit.MILLISECONDS.toNanos(UNWANTED_MILLIS);
        long most = TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS);
        for (long left = end - System.nanoTime();
                left > 0 && !wanted && !Daemons.isEnding();
                left = end - System.nanoTime()) {
            boolean unused = Thread.interrupted(); // which would keep it from waiting, and nobody has a reason for
            LockSupport.parkNanos(Math.min(left, most));
        }
    }

    /** Not {@code Thread.sleep}, for which newer JDKs load classes. An interrupt, which nobody has a reason for, ends it. */
    private static void pass(long millis) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long left = end - System.nanoTime(); left > 0 && !Thread.interrupted(); left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static synchronized boolean keep(Runnable work) {
        return young && WORK.size() < MOST && WORK.add(work);
    }

    private static synchronized Runnable next() {
        Runnable work = WORK.poll();
        if (work == null) {
            young = false;
        }
        return work;
    }

    /** Apart, so that nothing is made before there is an error. */
    private static final class Errors {
        static final Warnings SEEN = new Warnings(Log.of("io.accel"));

        private Errors() {}
    }

    /** Passes the time, and then does the work. */
    private record Youth(Runnable first) implements Runnable {
        @Override
        public void run() {
            long since = System.nanoTime();
            perform(first);
            passYouth();
            awaitWanted(since);
            if (Daemons.isEnding()) {
                return; // it is too late for a beginning
            }
            for (Runnable work = next(); work != null; work = next()) {
                perform(work);
            }
        }

        private static void perform(Runnable work) {
            try {
                work.run();
            } catch (Throwable e) {
                Errors.SEEN.warn("accel: a part of the start failed", e);
            }
        }
    }
}
