// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import io.accel.core.daemon.Log;
import io.accel.core.daemon.OutOfLine;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;

/**
 * The registrations of a poller. This class handles their changes: when a registration is refreshed, when the kernel
 * or the clock has news for it, and when it ends. By the owner of the poller's turn.
 */
final class Members {
    private static final Log LOG = Log.of(Members.class);

    private final KernelWatch kernel;
    private final HotLinks hot;
    private final Reports reports;
    private final OutOfLine.Call takingUp = new TakingUp();

    /** The registrations with a deadline. */
    private final List<Registration> timed = new ArrayList<>();
    /** The registrations that have ended in this run of the commands, and are released at its end. */
    private final List<Registration> ended = new ArrayList<>();
    /** How many registrations there are, hot or not, without doorbells. */
    private int count;

    Members(KernelWatch kernel, HotLinks hot, Reports reports) {
        this.kernel = kernel;
        this.hot = hot;
        this.reports = reports;
    }

    /** Whether the kernel can only report the death of peers. */
    boolean areAllHot() {
        return count <= hot.size();
    }

    // ---- changes

    /** A registration's interest, or its watched channel, may have changed, or it may be due for a look. */
    void refresh(Registration registration) {
        if (!registration.counted) {
            begin(registration);
        }
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

    private void begin(Registration registration) {
        if (!registration.pollable.isDoorbell()) {
            registration.counted = true;
            count++;
        }
    }

    private void changeTimed(Registration registration, boolean isTimed) {
        registration.timed = isTimed;
        if (isTimed) {
            timed.add(registration);
        } else {
            timed.remove(registration);
        }
    }

    void end(Registration registration) {
        registration.closed = true;
        hot.chill(registration);
        if (registration.counted) {
            count--;
        }
        if (registration.timed) {
            timed.remove(registration);
        }
        kernel.unwatch(registration);
        ended.add(registration);
    }

    /**
     * Releases ended registrations after a select: the last holder of a link frees it, and its descriptor must have
     * left the selector.
     */
    void releaseEnded() {
        while (!ended.isEmpty()) {
            Registration registration =
                    ended.remove(ended.size() - 1); // removed first: each is told once, even if it throws
            try {
                registration.pollable.released(registration);
            } catch (RuntimeException e) {
                LOG.get().log(Level.WARNING, "the end of a registration met an error", e);
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
                if (key.attachment() instanceof SharedWatch watch) {
                    watch.takeRings(); // whose ringers leave word for the registrations that it was for
                    continue;
                }
                Registration registration = (Registration) key.attachment();
                if (registration.closed) {
                    continue;
                }
                int ops;
                try {
                    ops = key.readyOps();
                } catch (CancelledKeyException e) {
                    continue; // another thread has just closed it; its registration follows
                }
                takeUp(registration, ops);
            }
            return 0;
        }
    }

    private void takeUp(Registration registration, int ops) {
        Pollable pollable = registration.pollable;
        int ready = pollable.kernelReady(registration.interest(), ops);
        if (ready != 0) {
            reports.report(registration, ready);
        } else if (pollable.isDoorbell()) {
            refreshUnlessClosed((Registration) registration.attachment());
        } else if (pollable.isPolled()) {
            hot.heat(registration);
            kernel.rewatch(registration);
        }
    }

    /** A channel that the registration shares with others has rung for it. */
    void rung(Registration registration) {
        takeUp(registration, SelectionKey.OP_READ);
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
        for (Registration registration : List.copyOf(timed)) {
            if (now - registration.pollable.deadline() >= 0) {
                int ready = registration.pollable.kernelReady(registration.interest(), 0);
                if (ready != 0) {
                    reports.report(registration, ready);
                } else if (registration.pollable.isPolled()) {
                    hot.heat(registration);
                }
            }
        }
    }

    /** The earliest of all deadlines, including the deadline of a poll. */
    long earliest(long deadline) {
        return timed.isEmpty() ? deadline : earliestOfTimed(deadline);
    }

    private long earliestOfTimed(long deadline) {
        long earliest = deadline;
        for (Registration registration : timed) {
            long until = registration.pollable.deadline();
            if (until != Long.MAX_VALUE && until - earliest < 0) {
                earliest = until;
            }
        }
        return earliest;
    }
}
