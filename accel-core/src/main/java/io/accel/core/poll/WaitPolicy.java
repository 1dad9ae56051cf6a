package io.accel.core.poll;

import io.accel.core.observe.WaitCounters;
import io.accel.core.observe.WaitCounters.Why;

/**
 * Decides how a thread waits for memory to change: it looks, gives its core to others, or sleeps until it is woken. One for
 * each poller and each blocking thread, whose waits it learns from; one thread at a time.
 *
 * <p>It has no clock and touches nothing but its {@link Senses} and its {@link SpinBudget}; whoever waits tells it the time
 * and what happened. A wait is {@link #begin}, then {@link #next} again and again with what was asked for done in between
 * ({@link #yielded}), {@link #found} if looking or giving way brought something, and {@link #end} in any case before something else
 * is done; and {@link #woken} if that something came while asleep.
 *
 * <p>A thread looks as long as {@code poll.spin} says, and offers its core to others from time to time. What became of an offer
 * tells who else is there.
 *
 * <ul>
 *   <li>Nobody took it: the thread is alone on its core, and goes on looking.
 *   <li>What was waited for came meanwhile: the peer <em>shares</em> the core, which is then offered at once in each wait, because
 *       that is the fastest way to an answer there.
 *   <li>Anything else: others want the core, and what they had of it is put down.
 * </ul>
 *
 * <p>The same is put down if a thread finds, by a jump of the clock and by the kernel's account of its run delay, that it was kept
 * from its core while it looked; and if it sees more threads want to run than there are processors, since it then keeps another
 * from a core, perhaps the very peer. On the other side is what waits saved that did not sleep. When others lose more by it than
 * that and than some hundredths of the time, or have more than half of it, the core is <em>crowded</em>. Each wait sleeps at
 * once, since who is woken goes before who computes, and so it stays for a time in proportion to what finding it out has cost,
 * and longer each time that it is found again. Some times it only asks then whether more threads want to run than can, and
 * sleeps on if so. Where only one thread can run, nobody looks, and cores are offered only, as long as the offers save more than
 * they cost.
 *
 * <p>Looks that are in vain more often than not are given up for a time, longer each time. A trial ends it, of some waits: two ends
 * that both sleep answer each other later than {@code poll.spin}, so in a trial looks last as long as answers take that wake both.
 * The other end then finds its own answers come sooner, since only it has to be woken, and tries as well.
 */
public final class WaitPolicy {
    /** What to do next. */
    public enum Step {
        /** Look for some microseconds. */
        LOOK,
        /** Offer the core to other threads once, and look once. */
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

        /** What a yield takes that nobody uses, in nanoseconds; 0 if unknown. Never changes. */
        long unusedYield();
    }

    /** A yield that nobody used takes less. */
    private static final long USED_NANOS = 4_000;
    /** A yield in which the peer did no more than answer takes more; and more than half as long again as one that nobody used. */
    private static final long LEAST_ANSWER_NANOS = 1_200;
    /** How many answers may come sooner than from the same core before the peer is no longer taken to be there. */
    private static final int SHARED = 2;
    /** A yield that others used who only waited as well takes no more. */
    private static final long SLICE_NANOS = 200_000;
    /** After how long a core is first offered in a wait: most answers come earlier where each end has a core. */
    private static final long FIRST_OFFER_NANOS = 5_000;

    private static final long OFFER_NANOS = 20_000;
    /** How many used offers in one wait may bring no answer. */
    private static final int MOST_OFFERS = 3;

    /** About what it takes to wake a thread. */
    private static final long WAKING_NANOS = 25_000;
    /** How much longer than {@code poll.spin} a look lasts at most in a trial. */
    private static final long TRIAL_NANOS = 4 * WAKING_NANOS;
    /** How many waits may look longer, or in vain, in a trial. */
    private static final int TRIAL = 8;
    /** Looks of which length have to pay; longer ones were asked for by the profile, whatever they cost. */
    private static final long FRUGAL_NANOS = 200_000;
    /** How many more looks in vain than others there may be. */
    private static final int MOST_CREDIT = 8;

    /**
     * How many times as long as others had the core it is then left to them, at first; twice as long each time, if they are found
     * to be still there, so that finding out costs some hundredths of the time in the end.
     */
    private static final int CROWD_FACTOR = 8;

    /** How often to ask how many threads want to run: it costs 2 us, and more with many processors. */
    private static final long SURPLUS_NANOS = 1_000_000;

    /** What it saves to find something by a look, and not to fall asleep and be woken. */
    private static final long LOOK_SAVES = 10_000;
    /** The same by an offer, which leaves the core to another as a sleep does. */
    private static final long OFFER_SAVES = 4_000;
    /** What an offer costs that others take: to leave the core, and to come back to it. */
    private static final long OFFER_COSTS = 1_700;
    /** How much more offers may cost than they save before they are given up for a time. */
    private static final long MOST_OVERSPENT = 40_000;

    /** Which part of the time others may have at most before it is a crowd, whatever is saved, as a power of a half. */
    private static final int BORNE_SHIFT = 1;
    /** Which part of the time others may have in any case: no machine is without that, and nobody's work is late by it. */
    private static final int TRIFLE_SHIFT = 6;
    /** How much more than what is borne they have had when it is one: some slices of a scheduler. */
    private static final long MOST_LOST = 12_000_000;
    /** How much of what waits have saved is kept for losses to come: a compiler, say, that works for a moment and is done. */
    private static final long MOST_EARNED = 24_000_000;
    /** What one of them counts at most, lest one long task makes a crowd. */
    private static final long MOST_AT_ONCE = 4_000_000;

    /** A crowd that is found within that time after it was left alone, or within half of how long it was, is still the same. */
    private static final long SOON_NANOS = 64_000_000;

    /**
     * How often the end of a rest only asks whether more threads want to run than can. To look tells for certain, but disturbs
     * who runs where.
     */
    private static final int MOST_ASKED = 8;

    private static final long FIRST_BACK_OFF = 1_000_000;
    private static final long LONGEST_FIRST = 400_000_000;
    private static final long LONGEST_UNPROMISING = 250_000_000;
    private static final long LONGEST_CROWDED = 400_000_000;
    private static final long THROTTLED_NANOS = 10_000_000_000L;

    /** When the process had its first policy, or just before. */
    private static final long FIRST = System.nanoTime();
    /**
     * How long a process begins. Its compilers work then: who takes them for a crowd and sleeps has them compile sleeping, and what
     * is to be fast later.
     */
    private static final long STARTING_NANOS = 2_000_000_000L;
    /** What a policy from that time forgives others. */
    private static final long STARTING = 250_000_000;

    private final long most;
    private final PollConfig.Yielding yielding;
    private final Senses senses;
    private final SpinBudget budget;
    /** A yield in which the peer did no more than answer takes more. */
    private final long answerNanos;

    // What was learnt.

    /** Why waits sleep at once, null if they do not. */
    private Why resting;
    /** Until when they do, or did. */
    private long until;
    /** How long they do, or did, and why. */
    private long backOff;
    /** How often in a row they go on because more threads want to run than can. */
    private int asked;

    private Why lastRest;
    /** Whether a look has paid since. */
    private boolean proved;
    /** For how many more answers the peer, which was found on the same core, is taken to be there; 0 if it is not. */
    private int shared;
    /** How many looks may still be in vain before that is taken for a rule. */
    private int credit = MOST_CREDIT;
    /** How many waits of a trial are left, 0 if there is none. */
    private int trial;
    /** What the last wait took that ended asleep. */
    private long lastWaking;
    /** The last known run delay, -1 after a sleep: that a woken thread waits a moment means nothing. */
    private long runDelay = -1;

    /** How often the process was stopped, as it was last known. */
    private long throttled;
    /** When it was last asked how many threads want to run. */
    private long surplusAt;
    /** What others had, or wanted, beyond what is borne, as of when it was last put down; negative if they may have more. */
    private long lost;

    private long lostAt;
    /** What waits that did not sleep have saved since. */
    private long saved;
    /** What offers have saved, less what they cost, within limits. */
    private long offersSaved;

    // This wait.

    private boolean begun;
    private long start;
    private long limit;
    /** The time as it was last told. */
    private long last;

    private long nextOffer;
    private boolean looking;
    /** Whether the last that is known is that it was about to glance. */
    private boolean glancing;
    /** What the last offer took, if that was the last step; 0 if another was. */
    private long offered;

    private boolean refused;
    /** Whether it is known to have looked in vain. */
    private boolean vain;
    /** How many offers others took. */
    private int offers;

    private boolean placed;
    /** Why it goes on asleep. */
    private Why reason;

    /**
     * A policy that knows nothing yet.
     *
     * @param config how long to look, and whether to give way
     * @param senses what can be known about others
     * @param budget how many threads of the process may look at a time
     */
    WaitPolicy(PollConfig config, Senses senses, SpinBudget budget) {
        this.most = config.spinNanos();
        this.yielding = config.yielding();
        this.senses = senses;
        this.budget = budget;
        long unused = senses.unusedYield();
        this.answerNanos = Math.max(LEAST_ANSWER_NANOS, unused + (unused >> 1));
        this.limit = most;
        this.throttled = senses.throttled(); // what was before is nothing that this thread was kept waiting by
    }

    /** A policy for a thread, or whoever has a poller's turn. */
    public static WaitPolicy of(PollConfig config) {
        WaitPolicy policy = new WaitPolicy(config, RunDelay.SENSES, SpinBudget.OF_PROCESS);
        if (System.nanoTime() - FIRST < STARTING_NANOS) {
            policy.forgive(STARTING);
        }
        return policy;
    }

    /** Others may have that much more, in nanoseconds, before they are a crowd for the first time. Before the first wait. */
    void forgive(long nanos) {
        lost = -nanos;
    }

    /** Whether a few looks pay before anything else is done, the clock included. Asked for those looks, which follow if so. */
    public boolean mayGlance() {
        if (yielding == PollConfig.Yielding.NEVER) {
            return most > 0;
        }
        if (glancing) {
            saved += LOOK_SAVES; // no wait has begun since: it found something
        }
        glancing = most > 0 && resting == null && shared == 0 && !budget.isEmpty();
        return glancing;
    }

    /** How long the wait that has begun looks, unless there is a reason to end it earlier; in nanoseconds. */
    public long patience() {
        return limit;
    }

    /**
     * A wait begins, or goes on.
     *
     * @param now the time, {@link System#nanoTime()}
     * @param since when the last traffic was; the same as before if none was since the last wait
     */
    public void begin(long now, long since) {
        last = now;
        looking = false;
        glancing = false;
        offered = 0;
        if (begun && since == start) {
            return;
        }
        begun = true;
        start = since;
        nextOffer = now + FIRST_OFFER_NANOS;
        refused = false;
        vain = false;
        offers = 0;
        if (resting != null && now - until >= 0) {
            if (resting == Why.CROWDED && asked < MOST_ASKED && senses.surplus() > 0) {
                asked++;
                until = now + backOff;
            } else {
                asked = 0;
                resting = null;
                trial = TRIAL;
            }
        }
        limit = most;
        if (trial > 0 && lastRest == Why.UNPROMISING && isFrugal()) {
            limit = Math.max(most, Math.min(lastWaking + (lastWaking >> 1), most + TRIAL_NANOS));
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
        Step step = decide(now);
        if (step == Step.SLEEP) { // here alone: the compiler makes it once
            end();
            runDelay = -1;
            WaitCounters.slept(reason);
        }
        return step;
    }

    private Step decide(long now) {
        boolean over = now - start >= limit;
        if (yielding != PollConfig.Yielding.ADAPTIVE) {
            return asTold(over);
        }
        if (looking && now - last > SLICE_NANOS) {
            keptWaiting(now);
        }
        looking = false;
        offered = 0;
        last = now;
        if (resting != null) {
            return sleep(resting);
        }
        if (offers >= MOST_OFFERS) {
            spendOffers(now);
            return sleep(Why.CROWDED);
        }
        if (offers > 0 && !refused) {
            return Step.YIELD; // others want the core, and perhaps the peer is behind them
        }
        if (!refused && (shared > 0 || budget.isEmpty())) {
            return Step.YIELD;
        }
        shared = 0;
        if (over || budget.isEmpty()) {
            spendOffers(now);
            if (resting == null) {
                inVain(now);
            }
            return sleep(Why.IN_VAIN);
        }
        return look(now);
    }

    private Step look(long now) {
        if (now - nextOffer >= 0) {
            if (!placed && !budget.take()) {
                disappointed(Why.NO_CORE, now);
                return sleep(Why.NO_CORE);
            }
            placed = true;
            if (isSurplus(now)) {
                return sleep(Why.CROWDED);
            }
            return Step.YIELD;
        }
        looking = true;
        return Step.LOOK;
    }

    /** With {@code always} and {@code never} the program has decided. */
    private Step asTold(boolean over) {
        if (over) {
            return sleep(Why.IN_VAIN);
        }
        looking = !looking;
        return looking || yielding == PollConfig.Yielding.NEVER ? Step.LOOK : Step.YIELD;
    }

    /**
     * The core was offered to others.
     *
     * @param from when
     * @param to when the thread had it again
     */
    public void yielded(long from, long to) {
        long took = to - from;
        WaitCounters.offered(took);
        last = to;
        nextOffer = to + OFFER_NANOS;
        if (yielding != PollConfig.Yielding.ADAPTIVE) {
            return;
        }
        offered = took;
        if (took < USED_NANOS) {
            refused = true;
            return;
        }
        refused = false;
        offers++;
        if (took > SLICE_NANOS) {
            WaitCounters.keptWaiting(took);
            boolean unused = lose(to, took);
        }
    }

    /** Something was found without a sleep. */
    public void found() {
        looking = false;
        boolean isHandover = offered >= answerNanos && offered <= SLICE_NANOS;
        if (isHandover) {
            WaitCounters.handedOver();
            shared = SHARED;
        } else if (offered > 0 && shared > 0) {
            shared--; // it came while the core was offered, but sooner than from there
        }
        if (offers > 0) {
            long gain = (isHandover ? OFFER_SAVES : 0) - (offers - 1) * OFFER_COSTS;
            offersSaved = Math.min(offersSaved + gain, MOST_OVERSPENT);
            saved += Math.max(gain, 0);
        } else {
            saved += LOOK_SAVES;
        }
        if (last - start <= most) {
            credit = Math.min(credit + 1, MOST_CREDIT);
            trial = 0;
            proved = true;
        } else if (trial > 0) {
            lateInTrial(Why.UNPROMISING, last);
        }
    }

    /**
     * Something came while the thread was asleep.
     *
     * @param now the time
     * @param afterNanos how long after the wait had begun
     */
    public void woken(long now, long afterNanos) {
        runDelay = -1;
        lastWaking = afterNanos;
        boolean rested = now - until + backOff >= backOff >> 3;
        // Where nobody may look there is nothing to find sooner, however long the profile would look.
        long reach = budget.isEmpty() ? Math.min(most, WAKING_NANOS) : most;
        if (resting == Why.UNPROMISING && afterNanos - WAKING_NANOS <= reach && rested) {
            resting = null;
            trial = TRIAL;
        }
    }

    /** No more looking for now, whatever came of it; the wait may go on with {@link #begin}. */
    public void end() {
        looking = false;
        if (placed) {
            placed = false;
            budget.give();
        }
    }

    private boolean isFrugal() {
        return most <= FRUGAL_NANOS;
    }

    private Step sleep(Why why) {
        reason = why;
        return Step.SLEEP;
    }

    /** This wait's offers brought nothing. */
    private void spendOffers(long now) {
        offersSaved -= offers * OFFER_COSTS;
        if (offersSaved < -MOST_OVERSPENT) {
            offersSaved += MOST_OVERSPENT / 2;
            rest(Why.UNPROMISING, now, FIRST_BACK_OFF, LONGEST_UNPROMISING);
        }
    }

    private void inVain(long now) {
        if (isFrugal() || budget.isEmpty()) {
            disappointed(Why.UNPROMISING, now);
        }
    }

    /** This wait has looked for nothing. */
    private void disappointed(Why why, long now) {
        if (vain) {
            return;
        }
        vain = true;
        if (trial > 0) {
            lateInTrial(why, now);
        } else if (--credit < 0) {
            rest(why, now, FIRST_BACK_OFF, LONGEST_UNPROMISING);
        }
    }

    private void lateInTrial(Why why, long now) {
        if (--trial == 0) {
            rest(why, now, FIRST_BACK_OFF, LONGEST_UNPROMISING);
        }
    }

    /** Whether more threads want to run than can, for long: one that looks keeps another from its core, wherever that is. */
    private boolean isSurplus(long now) {
        if (now - surplusAt < SURPLUS_NANOS) {
            return false;
        }
        surplusAt = now;
        int surplus = senses.surplus();
        // One too many may be another that looks as well, and that is enough if one of them stops.
        return surplus > 0 && lose(now, surplus == 1 ? SURPLUS_NANOS * 3 / 4 : SURPLUS_NANOS);
    }

    /**
     * Others had that much of the core, or would have. It is borne as far as waits that did not sleep have saved as much, now or
     * shortly before, or it is a trifle. Returns whether it makes a crowd.
     */
    private boolean lose(long now, long took) {
        long since = now - lostAt;
        long earned = Math.min(saved, since >> BORNE_SHIFT);
        long trifle = since >> TRIFLE_SHIFT;
        long before = Math.min(lost, Math.max(lost - earned, -MOST_EARNED));
        lost = Math.min(before, Math.max(lost - trifle, 0)) + Math.min(took, MOST_AT_ONCE);
        lostAt = now;
        saved = 0;
        if (lost <= (isSoon(now) ? MOST_LOST / 4 : MOST_LOST)) {
            return false;
        }
        crowded(now, Math.max(lost, MOST_LOST));
        lost = 0;
        return true;
    }

    private void crowded(long now, long took) {
        WaitCounters.crowded();
        long first = Math.max(FIRST_BACK_OFF, Math.min(took * CROWD_FACTOR, LONGEST_FIRST));
        rest(Why.CROWDED, now, first, LONGEST_CROWDED);
    }

    /** Whether others that were found were left alone until just now. */
    private boolean isSoon(long now) {
        return lastRest == Why.CROWDED && now - until <= Math.max(SOON_NANOS, backOff >> 1);
    }

    private void rest(Why why, long now, long first, long longest) {
        boolean again = why == lastRest && (isSoon(now) || !proved);
        backOff = again ? Math.max(first, Math.min(2 * backOff, longest)) : first;
        until = now + backOff;
        resting = why;
        lastRest = why;
        shared = 0;
        credit = 0;
        trial = 0;
        proved = false;
    }

    /** The clock has jumped while this looked: another thread had the core, or the whole process was stopped. */
    private void keptWaiting(long now) {
        long gap = now - last;
        long stopped = senses.throttled();
        if (stopped > throttled) {
            throttled = stopped;
            WaitCounters.keptWaiting(gap);
            crowded(now, gap);
            until = now + THROTTLED_NANOS;
            return;
        }
        long before = runDelay;
        long after = senses.runDelay();
        runDelay = after;
        // A collector that stops all threads is nobody who wants the core.
        if (after >= 0 && before >= 0 && after - before >= gap / 2) {
            WaitCounters.keptWaiting(gap);
            boolean unused = lose(now, gap);
        }
    }
}
