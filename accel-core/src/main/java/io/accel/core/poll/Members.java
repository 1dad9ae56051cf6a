// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.OutOfLine;
import io.accel.core.daemon.Warnings;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The registrations of a poller. This class handles their changes: when a registration is refreshed, when the kernel
 * or the clock has news for it, and when it ends. By the owner of the poller's turn.
 */
final class Members {
    /** Apart, so that nothing is made before there is an error. */
    private static final class Errors {
        static final Warnings SEEN = new Warnings(Log.of(Members.class));

        private Errors() {}
    }

    private final KernelWatch kernel;
    private final HotLinks hot;
    private final Reports reports;
    private final Failures failures;
    private final OutOfLine.Call takingUp = new TakingUp();

    /** The registrations with a deadline. */
    private final List<Registration> timed = new ArrayList<>();
    /**
     * The registrations that have ended in this run of the commands, and are released at its end, by {@link Registration#nextEnded}; null
     * for none. Adding to it makes no object, so that none is lost.
     */
    private Registration ended;
    /** How many registrations there are, hot or not, without doorbells. Registering threads and the turn's owner write it. */
    private final AtomicInteger count = new AtomicInteger();

    Members(KernelWatch kernel, HotLinks hot, Reports reports, Failures failures) {
        this.failures = failures;
        this.kernel = kernel;
        this.hot = hot;
        this.reports = reports;
    }

    /** Whether there are registrations with a deadline. */
    boolean hasTimed() {
        return !timed.isEmpty();
    }

    /** Whether the kernel can only report the death of peers. */
    boolean areAllHot() {
        return count.get() <= hot.size();
    }

    // ---- changes

    /** A registration's interest, or its watched channel, may have changed, or it may be due for a look. */
    void refresh(Registration registration) {
        registration.pollable.refreshed(registration);
        kernel.rewatch(registration);
        boolean isTimed = registration.pollable.deadline() != Long.MAX_VALUE;
        if (isTimed != registration.timed) {
            changeTimed(registration, isTimed);
        }
        if (registration.pollable.isPolled() && registration.interest() != 0) {
            hot.heat(registration);
        } else {
            hot.chill(registration);
        }
    }

    /** Counts a new registration. The registering thread. */
    void begin(Registration registration) {
        if (!registration.pollable.isDoorbell()) {
            registration.counted = true;
            count.incrementAndGet();
        }
    }

    private void changeTimed(Registration registration, boolean isTimed) {
        if (isTimed) {
            timed.add(registration);
        } else {
            timed.remove(registration);
        }
        registration.timed = isTimed;
    }

    /** A registration's commands have met an error, and those of the others are carried out. */
    void failed(Registration registration, Throwable e) {
        int ops = failures.met(registration, e);
        if (registration.attachment() instanceof Registration beside) {
            beside.refresh(); // whose doorbell this is: nobody waits for the doorbell itself
        } else if (ops != 0 && !registration.closed) {
            lookAtFailed(registration);
            reports.report(registration, ops);
        }
    }

    /** From now on looks tell, each time, that the registration has failed. */
    private void lookAtFailed(Registration registration) {
        try {
            if (registration.pollable.isPolled()) {
                hot.heat(registration);
            }
        } catch (RuntimeException | Error e) {
            int unused = failures.met(registration, e);
        }
    }

    private void report(Registration registration, int ops) {
        if (ops != 0) {
            reports.report(registration, ops);
        }
    }

    void end(Registration registration) {
        registration.closed = true;
        registration.nextEnded = ended;
        ended = registration;
        hot.chill(registration);
        if (registration.counted) {
            count.decrementAndGet();
        }
        if (registration.timed) {
            timed.remove(registration);
        }
        unwatch(registration);
    }

    private void unwatch(Registration registration) {
        try {
            kernel.unwatch(registration);
        } catch (RuntimeException | Error e) {
            Errors.SEEN.warn("ending the watch of a channel met an error, and is tried once more", e);
        }
    }

    /**
     * Releases ended registrations after a select: the last holder of a link frees it, and its descriptor must have
     * left the selector.
     */
    void releaseEnded() {
        while (ended != null) {
            Registration registration = ended;
            ended = registration.nextEnded; // removed first: each is told once, even if it throws
            registration.nextEnded = null;
            if (!registration.unwatched) {
                unwatch(registration);
                registration.unwatched = true; // nothing more can be done, and the next poll begins with a select
            }
            try {
                registration.pollable.released(registration);
            } catch (RuntimeException | Error e) {
                Errors.SEEN.warn("the end of a registration met an error", e);
            }
        }
    }

    // ---- news from the kernel

    /** Takes up the findings of selects, before anything is released: nothing of an ended registration is touched. */
    void takeUp() throws IOException {
        if (kernel.events().hasAny()) {
            int unused = OutOfLine.call(takingUp, 0);
        }
    }

    /** A method that the compiler compiles on its own, with all work for a key: {@link OutOfLine}. */
    private final class TakingUp implements OutOfLine.Call {
        @Override
        public int call(long unused) {
            KernelEvents events = kernel.events();
            for (SelectionKey key = events.next(); key != null; key = events.next()) {
                if (!(key.attachment() instanceof Registration registration)) {
                    takeRings((SharedWatch) key.attachment());
                    continue;
                }
                if (registration.closed) {
                    continue;
                }
                int ready;
                try {
                    ready = takeUp(registration, key.readyOps());
                } catch (CancelledKeyException e) {
                    continue; // another thread has just closed it; its registration follows
                } catch (RuntimeException | Error e) {
                    ready = metTakingUp(registration, e);
                }
                report(registration, ready);
            }
            return 0;
        }
    }

    /** Whose ringers leave word for the registrations that it was for. */
    private static void takeRings(SharedWatch watch) {
        try {
            watch.takeRings();
        } catch (RuntimeException | Error e) {
            Errors.SEEN.warn("taking the rings of several links met an error, and all of them are looked at", e);
        }
    }

    /** Returns the operations to report. */
    private int takeUp(Registration registration, int ops) {
        Pollable pollable = registration.pollable;
        int ready = pollable.kernelReady(registration.interest(), ops);
        if (ready != 0) {
            return ready;
        }
        if (pollable.isDoorbell()) {
            refreshUnlessClosed((Registration) registration.attachment());
        } else if (pollable.isPolled()) {
            hot.heat(registration);
            kernel.rewatch(registration);
        }
        return 0;
    }

    /** Looks once more at what the kernel has reported of a registration, and beside which its doorbell may hang. */
    private int metTakingUp(Registration registration, Throwable e) {
        int ops = failures.met(registration, e);
        registration.refresh();
        if (registration.attachment() instanceof Registration beside) {
            beside.refresh(); // whose doorbell has rung
            return 0;
        }
        return ops;
    }

    /** A channel that the registration shares with others has rung for it. */
    void rung(Registration registration) {
        report(registration, takeUp(registration, SelectionKey.OP_READ));
        kernel.rewatch(registration); // it may have been the last ring
    }

    private void refreshUnlessClosed(Registration registration) {
        if (!registration.closed) {
            refresh(registration);
        }
    }

    // ---- news from the clock

    /** Runs the registrations whose deadline has passed. */
    void runTimed() {
        if (!timed.isEmpty()) {
            runSomeTimed();
        }
    }

    private void runSomeTimed() {
        long now = System.nanoTime();
        for (int i = timed.size() - 1; i >= 0; i--) { // none comes or goes meanwhile: that is a command
            Registration registration = timed.get(i);
            int ready;
            try {
                ready = runTimed(registration, now);
            } catch (RuntimeException | Error e) {
                ready = failures.met(registration, e);
            }
            report(registration, ready);
        }
    }

    private int runTimed(Registration registration, long now) {
        if (now - registration.pollable.deadline() < 0) {
            return 0;
        }
        int ready = registration.pollable.kernelReady(registration.interest(), 0);
        if (ready == 0 && registration.pollable.isPolled()) {
            hot.heat(registration);
        }
        return ready;
    }

    private long deadline(Registration registration) {
        try {
            return registration.pollable.deadline();
        } catch (RuntimeException | Error e) {
            report(registration, failures.met(registration, e));
            return System.nanoTime();
        }
    }

    /** The earliest of all deadlines, including the deadline of a poll. */
    long earliest(long deadline) {
        return timed.isEmpty() ? failures.earliest(deadline) : earliestOfTimed(failures.earliest(deadline));
    }

    private long earliestOfTimed(long deadline) {
        long earliest = deadline;
        for (Registration registration : timed) {
            long until = deadline(registration);
            if (until != Long.MAX_VALUE && until - earliest < 0) {
                earliest = until;
            }
        }
        return earliest;
    }
}
