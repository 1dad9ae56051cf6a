// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import io.accel.core.observe.WaitCounters;
import io.accel.core.observe.WaitCounters.Why;

/**
 * Decides how a thread waits for memory to change: the thread looks, gives its core to others, or sleeps until it is
 * woken. Each poller and each blocking thread has a policy of its own, which learns from its waits; one thread at a
 * time.
 *
 * <p>A policy has no clock and touches nothing but its {@link Senses} and its {@link SpinBudget}; the waiting thread
 * tells it the time and the events. A wait is {@link #begin}, then {@link #next} again and again, with its answer
 * carried out in between ({@link #yielded}), {@link #found} if looking or giving way brought something, and {@link
 * #end} in any case before the thread does something else; and {@link #woken} if the thread was asleep when something
 * came.
 *
 * <p>A thread looks as long as {@code poll.spin} says, and offers its core to others from time to time. The outcome
 * of an offer tells who the others are.
 *
 * <ul>
 *   <li>Nobody took it: the thread is alone on its core, and goes on looking.
 *   <li>The awaited traffic came meanwhile: the peer <em>shares</em> the core, which is then offered at once in each
 *       wait, because that is the fastest way to an answer there.
 *   <li>Anything else: others want the core, and the time that they had of it is recorded.
 * </ul>
 *
 * <p>Lost time is recorded, too, if a thread finds, by a jump of the clock and by the kernel's account of its run
 * delay, that it was kept from its core while it looked. The same holds if it sees more runnable threads than
 * processors, since it then keeps another from a core, perhaps the very peer. Against that stands the time that waits
 * without a sleep have saved. When others lose more than that and than some hundredths of the time, or have more than
 * half of it, the core is <em>crowded</em>. Each wait then sleeps at once, since a scheduler prefers a woken thread
 * to a computing one. This lasts in proportion to the cost of finding it out, and longer each time that it is found
 * again. At the end of such a rest the policy at times only asks whether there are more runnable threads than
 * processors, and sleeps on if so. Where only one thread can run, no thread looks for what others of this host send, and a core is only
 * offered, as long as the offers save more than they cost. What a device brings from another host needs no thread here, so a thread looks
 * for that as it does where there are more processors.
 *
 * <p>If most looks are in vain, looking is given up for a time, longer each time. A trial of some waits ends that.
 * Two ends that both sleep answer each other later than {@code poll.spin}. So in a trial a look lasts as long as an
 * answer takes that wakes both. The other end then gets its own answers sooner, since it alone has to be woken, and
 * begins a trial as well.
 */
public final class WaitPolicy {
    /** The next thing to do. */
    public enum Step {
        /** Look for some microseconds. */
        LOOK,
        /** Offer the core to other threads once, and look once. */
        YIELD,
        /** Stop looking: arm, look once, sleep. */
        SLEEP
    }

    /** The sources of what is known about other threads that want the core. */
    public interface Senses {
        /** How long the current thread was runnable and not running, of all time, in nanoseconds; -1 if unknown. */
        long runDelay();

        /**
         * How many more threads of the machine are runnable than it has processors; 0 or less if none, or if unknown.
         */
        int surplus();

        /** How often the process was stopped for having used up its share of time; 0 if it has no limit. */
        long throttled();

        /** The time of a yield that no thread uses, in nanoseconds; 0 if unknown. It never changes. */
        long unusedYield();
    }

    /** A yield that no other thread used takes less, unless system calls are slow: then less than twice as long as one that is known unused. */
    private static final long USED_NANOS = 4_000;
    /**
     * A yield in which the peer only answered takes more, and more than one and a half times as long as one that no
     * thread used.
     */
    private static final long LEAST_ANSWER_NANOS = 1_200;
    /** How many answers may come sooner than over the same core before the peer no longer counts as being there. */
    private static final int SHARED = 2;
    /** A yield takes no more if the threads that used it were only waiting, too. */
    private static final long SLICE_NANOS = 200_000;
    /** After how long a core is first offered in a wait: most answers come earlier where each end has a core. */
    private static final long FIRST_OFFER_NANOS = 5_000;
    /** The first offer is made after this many times its own cost, if that is later. */
    private static final int FIRST_OFFER_COSTS = 4;

    private static final long OFFER_NANOS = 20_000;
    /** From one offer to the next it takes at least this many times the cost of one. */
    private static final int OFFER_COSTS_APART = 16;
    /** How many used offers in one wait may bring no answer. */
    private static final int MOST_OFFERS = 3;

    /** The approximate time to wake a thread. */
    private static final long WAKING_NANOS = 25_000;
    /** How much longer than {@code poll.spin} a look lasts at most in a trial. */
    private static final long TRIAL_NANOS = 4 * WAKING_NANOS;
    /** How many waits may look longer, or in vain, in a trial. */
    private static final int TRIAL = 8;
    /** Looks up to this length have to pay; the profile asked for longer ones, whatever they cost. */
    private static final long FRUGAL_NANOS = 200_000;
    /** By how many the looks in vain may exceed the others. */
    private static final int MOST_CREDIT = 8;

    /**
     * How many times as long as others had the core it is left to them, at first. The factor doubles each time they
     * are found to be still there, so that in the end finding out costs some hundredths of the time.
     */
    private static final int CROWD_FACTOR = 8;

    /** How often to ask for the number of runnable threads: it costs 2 us, and more with many processors. */
    private static final long SURPLUS_NANOS = 1_000_000;

    /** The time that a thread saves by a look that finds something, compared with falling asleep and being woken. */
    private static final long LOOK_SAVES = 10_000;
    /** The time that an offer saves in the same way; like a sleep it leaves the core to another thread. */
    private static final long OFFER_SAVES = 4_000;
    /** The cost of an offer that others take: to leave the core, and to come back to it. */
    private static final long OFFER_COSTS = 1_700;
    /** How much more offers may cost than they save before they are given up for a time. */
    private static final long MOST_OVERSPENT = 40_000;

    /**
     * The part of the time that others may have at most before they are a crowd, whatever is saved, as a power of a
     * half.
     */
    private static final int BORNE_SHIFT = 1;
    /** The part of the time that others may have in any case: it occurs on any machine, and delays nobody's work. */
    private static final int TRIFLE_SHIFT = 6;
    /** How much time beyond the permitted part makes a crowd: some slices of a scheduler. */
    private static final long MOST_LOST = 12_000_000;
    /**
     * How much of the saved time is kept for later losses, for example to a compiler that works for a moment and is
     * done.
     */
    private static final long MOST_EARNED = 24_000_000;
    /** The most that a single loss counts, so that one long task does not make a crowd. */
    private static final long MOST_AT_ONCE = 4_000_000;

    /**
     * A crowd counts as the same one if it is found within this time after its rest, or within half the length of the
     * rest.
     */
    private static final long SOON_NANOS = 64_000_000;

    /**
     * How often the end of a rest only asks whether there are more runnable threads than processors. A look would
     * tell for certain, but disturbs the placing of the threads.
     */
    private static final int MOST_ASKED = 8;

    private static final long FIRST_BACK_OFF = 1_000_000;
    private static final long LONGEST_FIRST = 400_000_000;
    private static final long LONGEST_UNPROMISING = 250_000_000;
    private static final long LONGEST_CROWDED = 400_000_000;
    private static final long THROTTLED_NANOS = 10_000_000_000L;

    /** The time of the process's first policy, or just before. */
    private static final long FIRST = System.nanoTime();
    /**
     * How long the start of a process lasts. Its compilers work then. A thread that took them for a crowd and slept
     * would have the JVM compile its sleeping, and not the code that must be fast later.
     */
    private static final long STARTING_NANOS = 2_000_000_000L;
    /** How much time a policy that is made during the start forgives others. */
    private static final long STARTING = 250_000_000;

    private final long most;
    private final PollConfig.Yielding yielding;
    private final Senses senses;
    private final SpinBudget budget;
    /** A yield that no other thread used takes less. */
    private final long usedNanos;
    /** After how long a core is first offered in a wait, and how long after that it is offered again. */
    private final long firstOfferNanos;

    private final long offerNanos;
    /** A yield in which the peer only answered takes more. */
    private final long answerNanos;

    // The state that the policy has learnt.

    /** Why waits sleep at once now, null if they do not. */
    private Why resting;
    /** The end of that rest, or of the last one. */
    private long until;
    /** The length of that rest, or of the last one. */
    private long backOff;
    /** How many times in a row a rest was prolonged because there were more runnable threads than processors. */
    private int asked;

    private Why lastRest;
    /** Whether a look has paid since the last rest began. */
    private boolean proved;
    /**
     * For how many more answers the peer, which was found on the same core, counts as being there; 0 if it does not.
     */
    private int shared;
    /** How many more looks may be in vain before looking is given up. */
    private int credit = MOST_CREDIT;
    /** How many waits of a trial are left, 0 if there is none. */
    private int trial;
    /** How long the last wait took that ended asleep. */
    private long lastWaking;
    /** The last known run delay, -1 after a sleep: the short wait of a woken thread means nothing. */
    private long runDelay = -1;

    /** The last known number of times that the process was stopped. */
    private long throttled;
    /** When the number of runnable threads was last asked for. */
    private long surplusAt;
    /**
     * How much time others had, or wanted, beyond the permitted part, at the last record; negative if they may have
     * more.
     */
    private long lost;

    private long lostAt;
    /** How much time waits without a sleep have saved since that record. */
    private long saved;
    /** How much time offers have saved, less their cost, within limits. */
    private long offersSaved;

    // The present wait.

    private boolean begun;
    /** Whether it is for what another host sends, so that no thread of this host has to run first. */
    private boolean remote;

    private long start;
    private long limit;
    /** The last time that the thread has told. */
    private long last;

    private long nextOffer;
    private boolean looking;
    /** Whether the last known step was the start of a glance. */
    private boolean glancing;
    /** How long the last offer took, if it was the last step; 0 otherwise. */
    private long offered;

    private boolean refused;
    /** Whether the wait is known to have looked in vain. */
    private boolean vain;
    /** How many offers other threads took. */
    private int offers;

    private boolean placed;
    /** Why the wait goes on asleep. */
    private Why reason;

    /**
     * Makes a policy that knows nothing yet.
     *
     * @param config how long to look, and whether to give way
     * @param senses the sources of what is known about others
     * @param budget limits how many threads of the process look at a time
     */
    WaitPolicy(PollConfig config, Senses senses, SpinBudget budget) {
        this.most = config.spinNanos();
        this.yielding = config.yielding();
        this.senses = senses;
        this.budget = budget;
        long unused = senses.unusedYield();
        this.usedNanos = Math.max(USED_NANOS, 2 * unused);
        this.firstOfferNanos = Math.max(FIRST_OFFER_NANOS, FIRST_OFFER_COSTS * unused);
        this.offerNanos = Math.max(OFFER_NANOS, OFFER_COSTS_APART * unused);
        this.answerNanos = Math.max(LEAST_ANSWER_NANOS, unused + (unused >> 1));
        this.limit = most;
        this.throttled = senses.throttled(); // earlier stops did not keep this thread waiting
    }

    /** Makes a policy for a thread, or for the owner of a poller's turn. */
    public static WaitPolicy of(PollConfig config) {
        WaitPolicy policy = new WaitPolicy(config, RunDelay.SENSES, SpinBudget.OF_PROCESS);
        if (System.nanoTime() - FIRST < STARTING_NANOS) {
            policy.forgive(STARTING);
        }
        return policy;
    }

    /**
     * Allows others this much more time, in nanoseconds, before they are a crowd for the first time. Call it before
     * the first wait.
     */
    void forgive(long nanos) {
        lost = -nanos;
    }

    /**
     * Whether a few looks pay before anything else is done, reading the clock included. If so, the caller makes those
     * looks.
     */
    public boolean mayGlance() {
        if (yielding == PollConfig.Yielding.NEVER) {
            return most > 0;
        }
        if (glancing) {
            saved += LOOK_SAVES; // no wait has begun since: the glance found something
        }
        glancing = most > 0 && resting == null && shared == 0 && mayLook(); // as in the last wait
        return glancing;
    }

    /** How long the present wait looks, in nanoseconds, unless there is a reason to end it earlier. */
    public long patience() {
        return limit;
    }

    /**
     * A wait begins, or goes on.
     *
     * @param now the time, {@link System#nanoTime()}
     * @param since the time of the last traffic; the same as before if none came since the last wait
     * @param isRemote whether a device brings what the thread waits for from another host
     */
    public void begin(long now, long since, boolean isRemote) {
        remote = isRemote;
        last = now;
        looking = false;
        glancing = false;
        offered = 0;
        if (begun && since == start) {
            return;
        }
        begun = true;
        start = since;
        nextOffer = now + firstOfferNanos;
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
     * Decides what to do now that nothing has been found.
     *
     * @param now the time
     */
    public Step next(long now) {
        if (most == 0) {
            return Step.SLEEP;
        }
        Step step = decide(now);
        if (step == Step.SLEEP) { // only here: so the compiler compiles it once
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
        if (!refused && (shared > 0 || !mayLook())) {
            return Step.YIELD;
        }
        shared = 0;
        if (over || !mayLook()) {
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
            if (!placed && !budget.take(remote)) {
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

    /** Decides as the program has: by {@code always} or {@code never}. */
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
     * @param from when the offer began
     * @param to when the thread had it again
     */
    public void yielded(long from, long to) {
        long took = to - from;
        WaitCounters.offered(took);
        last = to;
        nextOffer = to + offerNanos;
        if (yielding != PollConfig.Yielding.ADAPTIVE) {
            return;
        }
        offered = took;
        if (took < usedNanos) {
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
            shared--; // the answer came during the offer, but sooner than from the same core
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
     * @param afterNanos how long after the beginning of the wait
     */
    public void woken(long now, long afterNanos) {
        runDelay = -1;
        lastWaking = afterNanos;
        boolean rested = now - until + backOff >= backOff >> 3;
        // Where no thread may look, nothing can be found sooner, however long the profile would look.
        long reach = mayLook() ? most : Math.min(most, WAKING_NANOS);
        if (resting == Why.UNPROMISING && afterNanos - WAKING_NANOS <= reach && rested) {
            resting = null;
            trial = TRIAL;
        }
    }

    /** Ends the looking for now, whatever its outcome; the wait may go on with {@link #begin}. */
    public void end() {
        looking = false;
        if (placed) {
            placed = false;
            budget.give();
        }
    }

    /** Whether threads of this process may look for what this one waits for. */
    private boolean mayLook() {
        return !budget.isEmpty(remote);
    }

    private boolean isFrugal() {
        return most <= FRUGAL_NANOS;
    }

    private Step sleep(Why why) {
        reason = why;
        return Step.SLEEP;
    }

    /** Accounts for a wait whose offers brought nothing. */
    private void spendOffers(long now) {
        offersSaved -= offers * OFFER_COSTS;
        if (offersSaved < -MOST_OVERSPENT) {
            offersSaved += MOST_OVERSPENT / 2;
            rest(Why.UNPROMISING, now, FIRST_BACK_OFF, LONGEST_UNPROMISING);
        }
    }

    private void inVain(long now) {
        if (isFrugal() || !mayLook()) {
            disappointed(Why.UNPROMISING, now);
        }
    }

    /** Accounts for a wait that has looked in vain. */
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

    /**
     * Whether more threads are runnable than there are processors, for long: a thread that looks then keeps another
     * from its core, wherever that is.
     */
    private boolean isSurplus(long now) {
        if (now - surplusAt < SURPLUS_NANOS) {
            return false;
        }
        surplusAt = now;
        int surplus = senses.surplus();
        // A surplus of one may be another thread that looks as well, and it is enough if one of the two stops.
        return surplus > 0 && lose(now, surplus == 1 ? SURPLUS_NANOS * 3 / 4 : SURPLUS_NANOS);
    }

    /**
     * Records that others had this much of the core's time, or wanted it. The loss is borne as far as waits without a
     * sleep have saved as much, now or shortly before, or it is a trifle. Returns whether it makes a crowd.
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

    /** Whether the last rest, which left the core to others, ended just now. */
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

    /**
     * Accounts for a jump of the clock during a look: another thread had the core, or the whole process was stopped.
     */
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
        // A collector that stops all threads does not compete for the core.
        if (after >= 0 && before >= 0 && after - before >= gap / 2) {
            WaitCounters.keptWaiting(gap);
            boolean unused = lose(now, gap);
        }
    }
}
