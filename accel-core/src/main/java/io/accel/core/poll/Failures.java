// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.Warnings;
import io.accel.core.jdk.MemoryFaults;

/**
 * Keeps an error of one pollable from all others of its poller. The poller hands each error of a pollable's method to this class, and
 * goes on with the next one. The pollable {@linkplain Pollable#failed ends what it stands for}, and is reported as ready for everything, so
 * that its user meets the reason.
 *
 * <p>Memory or stack that has run out says nothing about the pollable. It is reported as ready all the same, and the poller tries again
 * what has failed; only when that goes on for a second does it count. An error that no pollable takes is thrown to the caller of the poll,
 * as the JDK's selector throws its own. By the owner of the poller's turn; makes no object.
 */
final class Failures {
    /** How long memory or stack may run out for one pollable. */
    private static final long PASSING_NANOS = 1_000_000_000L;
    /** After how long without such an error the time begins anew: errors of which each passes are no error that stays. */
    private static final long OVER_NANOS = PASSING_NANOS / 4;
    /** How long a poller with something to try again sleeps at most. */
    private static final long PAUSE_NANOS = 1_000_000L;

    /** Apart, so that nothing is made before there is an error. */
    private static final class Errors {
        static final Warnings SEEN = new Warnings(Log.of(Failures.class));

        private Errors() {}
    }

    private final KernelWatch kernel;
    private final Turn turn;
    /** The registrations with something to try again, by {@link Registration#nextToRetry}; null for none. */
    private Registration toRetry;
    /** The error to throw to the caller of the poll; null for none. */
    private Throwable unmet;

    Failures(KernelWatch kernel, Turn turn) {
        this.kernel = kernel;
        this.turn = turn;
    }

    /**
     * Takes note that a method of a registration's pollable has met an error.
     *
     * @return the operations to report the registration as ready for
     */
    int met(Registration registration, Throwable e) {
        int ops = registration.interest();
        rethrowDeath(e);
        if (MemoryFaults.isFault(e)) {
            // The JVM may report the fault late, and in the place of another pollable.
            boolean isOwn = !registration.pollable.isIntact();
            if (isOwn) {
                fail(registration, e);
            } else if (!failOthers(e) && !MemoryFaults.isExplained()) {
                throwToCaller(e); // the memory is none of Accel's
            }
            return isOwn ? ops : 0;
        }
        if ((e instanceof OutOfMemoryError || e instanceof StackOverflowError)
                && isPassing(registration, System.nanoTime())) {
            retry(registration);
        } else {
            fail(registration, e);
        }
        return ops;
    }

    /**
     * Takes note of a fault of memory that was reported where no pollable was at work.
     *
     * @return whether it was the memory of a pollable of this poller, which has been ended
     */
    boolean metStray(InternalError e) {
        return MemoryFaults.isFault(e) && (failOthers(e) || MemoryFaults.isExplained());
    }

    @SuppressWarnings("removal") // a thread that the program stops ends as it would without Accel
    private static void rethrowDeath(Throwable e) {
        if (e instanceof ThreadDeath death) {
            throw death;
        }
    }

    /** Takes note that memory or stack has run out once more. Returns whether that may pass. */
    static boolean isPassing(Registration registration, long now) {
        if (registration.failingSince == 0 || now - registration.failedAt > OVER_NANOS) {
            registration.failingSince = now | 1;
        }
        registration.failedAt = now;
        return now - registration.failingSince < PASSING_NANOS;
    }

    private void fail(Registration registration, Throwable e) {
        try {
            if (registration.pollable.failed(e)) {
                return;
            }
        } catch (RuntimeException | Error again) {
            Errors.SEEN.warn("ending what has met an error met another", again);
        }
        throwToCaller(e);
    }

    private void throwToCaller(Throwable e) {
        unmet = e;
        turn.askToEnd(); // the poll under way
    }

    /** Ends the pollables whose memory has failed. Returns whether there were any. */
    private boolean failOthers(Throwable e) {
        boolean found = false;
        for (Registration each : kernel.registrations()) {
            if (!each.closed && !each.pollable.isIntact()) {
                fail(each, e);
                each.refresh(); // it is looked at soon, and found to have failed
                found = true;
            }
        }
        return found;
    }

    // ---- what is tried again

    private void retry(Registration registration) {
        if (!registration.retried) {
            registration.retried = true;
            registration.nextToRetry = toRetry;
            toRetry = registration;
        }
    }

    /** Has everything done again that has failed for want of memory or stack: the registrations are refreshed. */
    void retryAll() {
        while (toRetry != null) {
            Registration each = toRetry;
            toRetry = each.nextToRetry;
            each.nextToRetry = null;
            each.retried = false;
            each.refresh();
        }
    }

    boolean hasRetries() {
        return toRetry != null;
    }

    /** The end of a sleep, which is short if there is something to try again. */
    long earliest(long deadline) {
        if (toRetry == null) {
            return deadline;
        }
        long soon = System.nanoTime() + PAUSE_NANOS;
        return deadline - soon < 0 ? deadline : soon;
    }

    // ---- what no pollable takes

    boolean hasUnmet() {
        return unmet != null;
    }

    /** Throws the error that no pollable has taken. */
    void throwUnmet() {
        Throwable e = unmet;
        unmet = null;
        if (e instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) e;
    }
}
