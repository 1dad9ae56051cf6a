package io.accel.core.poll;

import io.accel.core.observe.WaitCounters;
import io.accel.core.observe.WaitCounters.Why;

/**
 * Decides how a thread waits for memory to change: it looks, gives its core to others, or sleeps until it is woken. One for
 * each poller and each blocking thread, whose waits it learns from; one thread at a time.
 *
 * <p>It has no clock and touches nothing but its {@link Senses} and its {@link SpinBudget}; whoever waits tells it the time
 * and what happened. A wait is {@link #begin}, then {@link #next} again and again with what was asked for done in between
 * ({@link #yielded}), and at its end {@link #found} if looking or giving way brought something, or {@link #came} if that came
 * while asleep.
 *
 * <p><b>Alone</b> it looks for as long as {@code poll.spin} says, and offers its core to others now and then. What an offer
 * took tells who else is there. Under 4 us: nobody. Up to 200 us: somebody who soon gave the core back, as the peer does if it
 * is on the same core; the core is then <em>shared</em>, and offered at once in each wait, which is the fastest way to an answer
 * there. Longer: somebody who computes, to whom an offer means a slice of milliseconds; the core is then <em>crowded</em>, and for a
 * while each wait sleeps at once: who is woken goes before who computes. So it is when the clock, or the scheduler's own
 * account, shows that the thread was kept waiting for its core while it looked, or that more threads want to run than there are
 * processors, one of which the looking then takes from another, perhaps from the very peer. All threads of a process know of it
 * at once, through the budget, lest each has to find out for itself.
 *
 * <p><b>Looks in vain</b> are followed by waits that sleep at once: 1, then 3, 7 and so on, the fewer the more answers come shortly
 * after falling asleep; one that looking finds ends that. Then a look may last longer than {@code poll.spin}, by what it takes two to
 * wake each other: else two ends that once fell asleep would wait for each other's wake-ups for ever.
 */
public final class WaitPolicy {
    /** What to do next. */
    public enum Step {
        /** Look for some microseconds. */
        LOOK,
        /** Give the core to whoever wants it, once. */
        YIELD,
        /** Look no more: arm, look once, sleep. */
        SLEEP
    }

    /** What can be known about others who want the core. */
    public interface Senses {
        /** How long the current thread was runnable and not running, of all time, in nanoseconds; -1 if unknown. */
        long runDelay();

        /** How many more threads of the machine want to run than it has processors; 0 or less if none, or if unknown. */
        int surplus();

        /** How often the process was stopped for having used up its share of time; 0 if it has no limit. */
        long throttled();
    }

    private enum State {
        ALONE,
        SHARED,
        CROWDED,
        THROTTLED
    }

    /** A yield that nobody used takes less. */
    private static final long USED_NANOS = 4_000;
    /** A yield that another waiting thread used takes no more. */
    private static final long SLICE_NANOS = 200_000;
    /** How often a core is offered to others while alone, and the longest look that need not be followed by an offer. */
    private static final long OFFER_NANOS = 20_000;
    /** How much longer than {@code poll.spin} an answer takes if both ends have to be woken. */
    private static final long WAKING_NANOS = 80_000;
    /** Looks of which length have to pay; longer ones were asked for by the profile, whatever they cost. */
    private static final long FRUGAL_NANOS = 200_000;

    private static final long SHARED_NANOS = 100_000_000;
    private static final long THROTTLED_NANOS = 10_000_000_000L;

    /** How many offers in one wait may bring no answer. */
    private static final int MOST_OFFERS = 3;
    /** How many offers that nobody took end a shared state. */
    private static final int MOST_REFUSALS = 3;

    private static final int MOST_FAILURES = 11;
    /** How often to ask how many threads want to run. */
    private static final long SURPLUS_NANOS = 1_000_000;
    /** How many threads more than there are processors may share them by offers. */
    private static final int MOST_SHARING = 0;
    /** How many answers in a row make it so. */
    private static final int SURPLUS_SEEN = 2;
    /** How many looks in a row may bring something only after longer than the profile's time. */
    private static final int MOST_LATE = 8;

    private final long most;
    private final PollConfig.Yielding yielding;
    private final Senses senses;
    private final SpinBudget budget;

    // What was learnt.

    private State state = State.ALONE;
    /** When the state is to be put to the test. */
    private long until;

    /** How long to look. */
    private long limit;
    /** How many waits in a row have looked in vain. */
    private int failures;
    /** How many waits are still to sleep at once because of that. */
    private int skipped;
    /** How many offers in a row nobody took while sharing. */
    private int refusals;
    /** How many looks in a row were longer than {@code poll.spin}, though not in vain. */
    private int late;
    /** When it was last asked how many threads want to run, and how often in a row there were too many. */
    private long surplusAt;

    private int surplus;
    /** The last known run delay, -1 after a sleep: that a woken thread waits a moment means nothing. */
    private long runDelay = -1;

    private long throttled;

    // This wait.

    private long start;
    /** The time as it was last told. */
    private long last;

    private long lastOffer;
    private boolean looking;
    private boolean looked;
    private boolean skips;
    private boolean refused;
    private int offers;

    /** When this last looked, for {@link SpinBudget}, which reads it from other threads. */
    private volatile long lookedAt;

    /**
     * A policy that knows nothing yet.
     *
     * @param config how long to look, and whether to give way
     * @param senses what can be known about others
     * @param budget how many threads of the process may look at a time
     */
    public WaitPolicy(PollConfig config, Senses senses, SpinBudget budget) {
        this.most = config.spinNanos();
        this.yielding = config.yielding();
        this.senses = senses;
        this.budget = budget;
        this.limit = most;
    }

    /** A policy for a platform thread, or whoever has a poller's turn. */
    public static WaitPolicy of(PollConfig config) {
        return new WaitPolicy(config, RunDelay.SENSES, SpinBudget.OF_PROCESS);
    }

    /** Whether any thread of this process may look. */
    public static boolean hasBudget() {
        return SpinBudget.OF_PROCESS.places() > 0;
    }

    /** Whether a few looks pay before anything else is done, the clock included. */
    public boolean mayGlance() {
        if (yielding == PollConfig.Yielding.NEVER) {
            return most > 0;
        }
        return most > 0 && skipped == 0 && budget.places() > 0 && state == State.ALONE;
    }

    /**
     * A wait begins, or goes on.
     *
     * @param now the time, {@link System#nanoTime()}
     * @param since when the last traffic was; the same as before if none was since the last wait
     */
    public void begin(long now, long since) {
        last = now;
        if (since == start) {
            return;
        }
        start = since;
        lastOffer = now;
        looked = false;
        refused = false;
        offers = 0;
        if (state == State.CROWDED && now - until >= 0 && senses.surplus() > 0) {
            crowded(now);
        } else if (state != State.ALONE && now - until >= 0) {
            state = State.ALONE;
            refusals = 0;
        }
        if (state == State.ALONE && budget.isCrowded(now)) {
            state = State.CROWDED;
            until = now; // put to the test with the next wait, if nobody else has found it crowded by then
        }
        skips = skipped > 0;
        if (skips) {
            skipped--;
        }
    }

    /**
     * What to do now, nothing having been found.
     *
     * @param now the time
     */
    public Step next(long now) {
        if (most == 0) {
            return Step.SLEEP;
        }
        if (yielding == PollConfig.Yielding.NEVER) {
            return now - start < most ? Step.LOOK : sleep(Why.IN_VAIN);
        }
        if (looking && now - last > SLICE_NANOS) {
            keptWaiting(now);
        }
        looking = false;
        last = now;
        if (state == State.THROTTLED || state == State.CROWDED) {
            return sleep(Why.CROWDED);
        }
        if (skips) {
            return sleep(Why.UNPROMISING);
        }
        if (state == State.SHARED) {
            return shared();
        }
        if (!budget.take(this, now)) {
            return sleep(Why.NO_CORE);
        }
        lookedAt = now;
        return look(now);
    }

    private Step shared() {
        if (offers < MOST_OFFERS && !refused) {
            return Step.YIELD;
        }
        inVain();
        return sleep(Why.CROWDED);
    }

    private Step look(long now) {
        boolean over = now - start >= limit;
        boolean due = yielding == PollConfig.Yielding.ALWAYS || now - lastOffer >= OFFER_NANOS;
        if (over ? looked && offers == 0 : looked && due) {
            if (isDelayed() || isSurplus(now)) {
                crowded(now);
                return sleep(Why.CROWDED);
            }
            return Step.YIELD;
        }
        if (over) {
            if (limit <= FRUGAL_NANOS) {
                inVain();
            }
            return sleep(Why.IN_VAIN);
        }
        looking = true;
        looked = true;
        return Step.LOOK;
    }

    /**
     * The core was offered to others.
     *
     * @param from when
     * @param to when the thread had it again
     */
    public void yielded(long from, long to) {
        long took = to - from;
        last = to;
        lastOffer = to;
        offers++;
        WaitCounters.yielded(took);
        if (took < USED_NANOS) {
            refused = true;
            if (state == State.SHARED && ++refusals >= MOST_REFUSALS) {
                state = State.ALONE;
            }
            return;
        }
        refusals = 0;
        if (took > SLICE_NANOS) {
            WaitCounters.keptWaiting(took);
            crowded(to);
        } else if (state == State.ALONE && senses.surplus() > MOST_SHARING) {
            crowded(to); // who was waited for would be one of many
        } else if (state == State.ALONE) {
            state = State.SHARED;
            until = to + SHARED_NANOS;
            budget.give(this);
        }
    }

    /** The wait is over: something was found without a sleep. */
    public void found() {
        looking = false;
        if (offers > 0 && state == State.SHARED) {
            WaitCounters.handedOver();
        }
        if (last - start <= most) {
            limit = most;
            late = 0;
        } else if (++late > MOST_LATE) {
            // Not the wake-ups took so long, but the answers do.
            limit = most;
            return;
        }
        failures = 0;
        skipped = 0;
    }

    /**
     * The wait is over: something came while the thread was asleep.
     *
     * @param afterNanos how long after the wait had begun
     */
    public void came(long afterNanos) {
        runDelay = -1;
        if (afterNanos - WAKING_NANOS <= most) {
            skipped -= skipped >> 6;
            limit = late > MOST_LATE
                    ? most
                    : Math.max(most, Math.min(afterNanos + (afterNanos >> 1), most + WAKING_NANOS));
        } else {
            limit = most;
        }
    }

    /** Gives up what this holds of the process's budget; the policy can be used again. */
    public void release() {
        budget.give(this);
    }

    long lookedAt() {
        return lookedAt;
    }

    private Step sleep(Why why) {
        looking = false;
        budget.give(this);
        runDelay = -1;
        WaitCounters.slept(why);
        return Step.SLEEP;
    }

    private void inVain() {
        failures = Math.min(failures + 1, MOST_FAILURES);
        skipped = (1 << failures) - 1;
    }

    /** The clock has jumped while this looked: another thread had the core, or the whole process was stopped. */
    private void keptWaiting(long now) {
        long gap = now - last;
        long stopped = senses.throttled();
        if (stopped > throttled) {
            throttled = stopped;
            WaitCounters.keptWaiting(gap);
            state = State.THROTTLED;
            until = now + THROTTLED_NANOS;
            return;
        }
        long before = runDelay;
        long after = senses.runDelay();
        runDelay = after;
        // A collector that stops all threads is nobody who wants the core.
        if (after < 0 || before < 0 || after - before >= gap / 2) {
            WaitCounters.keptWaiting(gap);
            if (state != State.CROWDED) {
                crowded(now);
            }
        }
    }

    /** Whether somebody else had the core since this was last asked. */
    private boolean isDelayed() {
        long before = runDelay;
        long after = senses.runDelay();
        runDelay = after;
        boolean delayed = before >= 0 && after - before > SLICE_NANOS;
        if (delayed) {
            WaitCounters.keptWaiting(after - before);
        }
        return delayed;
    }

    /** Whether more threads want to run than can: one that looks keeps another from its core, wherever that is. */
    private boolean isSurplus(long now) {
        if (now - surplusAt < SURPLUS_NANOS) {
            return false;
        }
        surplusAt = now;
        surplus = senses.surplus() > 0 ? surplus + 1 : 0;
        return surplus >= SURPLUS_SEEN;
    }

    private void crowded(long now) {
        surplus = 0;
        state = State.CROWDED;
        until = budget.crowded(now);
        WaitCounters.crowded();
    }
}
