// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import io.accel.core.daemon.OutOfLine;
import io.accel.core.observe.PollCounters;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.function.Supplier;

/**
 * The links that a poller looks at: the {@link HotSet}, and a queue of those that have no place in it. This class
 * decides which links are hot, which are cold, and which a turn looks at. By the owner of the poller's turn.
 */
final class HotLinks {
    /**
     * Up to this many resting links are looked at in each turn; of more, one a turn: each look costs some cache lines.
     */
    private static final int FEW_RESTING = 4;
    /** How many links without a place in the hot set a turn looks at. */
    private static final int QUEUED_AT_ONCE = 64;
    /** How many hot links are checked for idleness at each reading of the clock. */
    private static final int ASKED_AT_ONCE = 4;
    /** After how long without traffic a link rests. */
    private static final long REST_NANOS = 20_000;

    private final HotSet hot;
    /**
     * The registrations that must be looked at but have no place in the hot set, and some that have ended or found a
     * place since.
     */
    private final ArrayDeque<Registration> queue = new ArrayDeque<>();

    private final Reports reports;
    private final PollClock clock;
    private final PollCounters counters;
    private final Failures failures;
    private final OutOfLine.Call cooling = new Cooling();

    /** How many times the busy links were looked at. */
    private long turns;
    /** Whether a registration, hot before or not, became due for looks since this was last cleared. */
    private boolean heated;

    /**
     * Makes an empty set.
     *
     * @param configured says how many links may be hot
     * @param reports takes the findings
     * @param clock counts the looks
     * @param counters counts the turns
     * @param failures takes the errors
     */
    HotLinks(
            Supplier<PollConfig> configured,
            Reports reports,
            PollClock clock,
            PollCounters counters,
            Failures failures) {
        this.hot = new HotSet(configured);
        this.reports = reports;
        this.clock = clock;
        this.counters = counters;
        this.failures = failures;
    }

    /** Whether there are links to look at. */
    boolean hasAny() {
        return hot.size() > 0 || !queue.isEmpty();
    }

    /** Whether some of them {@linkplain Pollable#isRemote wait for other hosts}. */
    boolean hasRemote() {
        return hot.remote() > 0;
    }

    /** How many links are in the hot set. */
    int size() {
        return hot.size();
    }

    /** Begins to watch whether a registration is {@linkplain #heat heated}. */
    void watchForHeat() {
        heated = false;
    }

    /** Whether a registration was heated since. */
    boolean isHeated() {
        return heated;
    }

    // ---- looking

    /**
     * Looks at the busy links, and at some or all of the resting and the queued ones. The look is at one place in the
     * code, as its compiled code is long.
     */
    void look(boolean all) {
        int before = reports.count();
        turns++;
        int busy = hot.busy();
        int resting = hot.size() - busy;
        boolean isEach = all || resting <= FEW_RESTING;
        int looks = busy + (isEach ? resting : 1);
        for (int i = 0; i < looks; i++) {
            Registration registration = hot.get(i < busy || isEach ? i : hot.nextResting());
            int ops;
            try {
                ops = registration.pollable.look(registration.interest());
            } catch (RuntimeException | Error e) {
                ops = failures.met(registration, e);
            }
            if (ops != 0) {
                found(registration, ops);
                if (i >= busy) {
                    hot.wake(registration); // a link that was looked at takes its place
                }
            }
        }
        if (!queue.isEmpty()) {
            looks += lookAtQueue(all);
        }
        clock.looked(looks);
        counters.turn(reports.count() != before);
    }

    private int lookAtQueue(boolean all) {
        int most = all ? queue.size() : Math.min(queue.size(), QUEUED_AT_ONCE);
        coolQueued(most);
        return most;
    }

    private void found(Registration registration, int ops) {
        registration.idleSince = 0;
        registration.foundAt = turns;
        reports.report(registration, ops);
    }

    // ---- hot and cold

    /** From now on a registration must be looked at. */
    void heat(Registration registration) {
        if (registration.interest() == 0) {
            return;
        }
        heated = true;
        if (hot.contains(registration)) {
            hot.wake(registration);
        } else if (!registration.queued) {
            if (hot.isFull() && !makeRoom()) {
                queue.add(registration);
                registration.queued = true;
            } else {
                registration.foundAt = turns;
                hot.add(registration);
            }
        }
    }

    /** Cools the quietest of the hot links; false if that link has traffic at this moment. */
    private boolean makeRoom() {
        Registration quietest = hot.quietest();
        if (quietest.idleSince == 0 && quietest.foundAt == turns) {
            return false;
        }
        if (armAndLook(quietest) != 0) {
            hot.wake(quietest); // to be found in the next turn
            quietest.foundAt = turns;
            return false;
        }
        hot.remove(quietest);
        return true;
    }

    /** From now on a registration is not looked at any more. */
    void chill(Registration registration) {
        hot.remove(registration);
        registration.queued = false;
    }

    /**
     * Looks at this many links of the queue: a link with news stays in it, or takes a place in the hot set; others
     * become cold.
     */
    private void coolQueued(int count) {
        for (int i = count; i > 0; i--) {
            Registration registration = queue.poll();
            if (!registration.queued) {
                continue;
            }
            registration.queued = false;
            int ops = lookAtQueued(registration);
            if (ops != 0) {
                found(registration, ops);
                heat(registration);
            }
        }
    }

    private int lookAtQueued(Registration registration) {
        try {
            int ops = registration.pollable.look(registration.interest());
            return ops != 0 ? ops : armAndLook(registration);
        } catch (RuntimeException | Error e) {
            return failures.met(registration, e);
        }
    }

    /** Arms a registration, and looks once more. An error counts as a finding, so that the registration stays among those looked at. */
    private int armAndLook(Registration registration) {
        try {
            int interest = registration.interest();
            registration.pollable.arm(interest);
            return registration.pollable.look(interest);
        } catch (RuntimeException | Error e) {
            return failures.met(registration, e);
        }
    }

    /** Cools all links that are looked at, before a sleep. */
    void coolAll() throws IOException {
        for (int left = hot.size(); left > 0; left--) {
            int unused = OutOfLine.call(cooling, left - 1);
        }
        if (!queue.isEmpty()) {
            coolQueued(queue.size());
        }
    }

    /** Checks how long some hot links have been idle, and cools those idle for too long. */
    void coolIdle(long patience) throws IOException {
        long now = clock.now();
        for (int i = ASKED_AT_ONCE; i > 0 && hot.size() > 0; i--) {
            Registration registration = hot.walk();
            long idle = now - registration.idleSince;
            if (registration.idleSince == 0) {
                registration.idleSince = now | 1;
            } else if (idle >= patience || !isPolled(registration)) {
                int unused = OutOfLine.call(cooling, registration.hotIndex);
            } else if (idle >= REST_NANOS) {
                hot.rest(registration);
            }
        }
    }

    private boolean isPolled(Registration registration) {
        try {
            return registration.pollable.isPolled();
        } catch (RuntimeException | Error e) {
            int ops = failures.met(registration, e);
            if (ops != 0) {
                found(registration, ops);
            }
            return true;
        }
    }

    /**
     * Arms the hot registration at an index and looks once more; the registration leaves the hot set unless it has
     * news.
     */
    private final class Cooling implements OutOfLine.Call {
        @Override
        public int call(long index) {
            Registration registration = hot.get((int) index);
            int ops;
            try {
                int interest = registration.interest();
                registration.pollable.arm(interest);
                ops = registration.pollable.look(interest);
            } catch (RuntimeException | Error e) {
                ops = failures.met(registration, e);
            }
            if (ops != 0) {
                found(registration, ops);
            } else {
                hot.remove(registration);
            }
            return ops;
        }
    }
}
