// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.observe.WaitCounters;
import io.accel.core.observe.WaitCounters.Why;
import io.accel.core.poll.WaitPolicy.Step;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The decisions of a waiter that is told the time and what it sees, and the process's counters of them. Other threads of the tests' process
 * may add to these, so they have grown by so much at least.
 */
class WaitPolicyTest {
    private static final long MICRO = 1_000;
    private static final long MILLI = 1_000 * MICRO;
    private static final long SPIN = 20 * MICRO;

    private final Told told = new Told();
    private long now = 1_000 * MILLI;

    @Test
    void aloneItLooksAsLongAsItShouldAndThenSleeps() {
        long sleeps = WaitCounters.sleeps(Why.IN_VAIN);
        WaitPolicy policy = policy(SPIN, 1);
        assertThat(look(policy)).isBetween(SPIN, SPIN + 2 * MICRO);
        assertThat(WaitCounters.sleeps(Why.IN_VAIN) - sleeps).isPositive();
    }

    @Test
    void looksInVainBecomeSeldom() {
        long sleeps = WaitCounters.sleeps(Why.UNPROMISING);
        WaitPolicy policy = policy(SPIN, 1);
        int looks = 0;
        for (int i = 0; i < 5_000; i++) {
            looks += look(policy) > 0 ? 1 : 0;
            now += 2 * MILLI;
            policy.woken(now, 2 * MILLI);
        }
        assertThat(looks).isBetween(50, 500);
        assertThat(WaitCounters.sleeps(Why.UNPROMISING) - sleeps).isGreaterThanOrEqualTo(5_000 - looks);
    }

    /** A pair whose ends each take 25 us to be woken: neither begins to look again by itself. */
    @Test
    void twoThatFellAsleepFindBackToLooking() {
        WaitPolicy one = policy(SPIN, 1);
        WaitPolicy other = policy(SPIN, 1);
        for (int i = 0; i < 40; i++) {
            sleepThrough(one, 2 * MILLI);
            sleepThrough(other, 2 * MILLI);
        }
        long begin = now;
        long last = 0;
        boolean peerSlept = true;
        while (!(last > 0 && last < SPIN)) {
            // The bytes that this end waits for come when the peer, awake or woken, has answered.
            last = wait(one, peerSlept ? 55 * MICRO : 2 * MICRO);
            boolean oneSlept = last < 0;
            peerSlept = wait(other, oneSlept ? 30 * MICRO : 2 * MICRO) < 0;
            assertThat(now - begin).isLessThan(2_000 * MILLI);
        }
        assertThat(one.patience()).isGreaterThanOrEqualTo(SPIN);
    }

    @Test
    void aCoreThatAnotherComputesOnIsLeftToItLongerEachTime() {
        long delays = WaitCounters.delays().count();
        long delayNanos = WaitCounters.delays().nanos();
        long offers = WaitCounters.offers();
        long offerNanos = WaitCounters.offerNanos();
        WaitPolicy policy = policy(1_000 * MILLI, 1);
        long spent = 0;
        long longest = 0;
        long before = now;
        long begin = now;
        while (now - begin < 20_000 * MILLI) {
            policy.begin(now, now, false);
            if (untilOffer(policy)) {
                longest = Math.max(longest, now - before);
                policy.yielded(now, now + 4 * MILLI);
                now += 4 * MILLI;
                spent += 4 * MILLI;
                before = now;
            }
            policy.end();
            now += 100 * MICRO;
        }
        assertThat(longest).isBetween(380 * MILLI, 500 * MILLI);
        assertThat(spent).isLessThan(20_000 * MILLI / 20);
        long times = spent / (4 * MILLI);
        assertThat(WaitCounters.delays().count() - delays).isGreaterThanOrEqualTo(times);
        assertThat(WaitCounters.delays().nanos() - delayNanos).isGreaterThanOrEqualTo(spent);
        assertThat(WaitCounters.offers() - offers).isGreaterThanOrEqualTo(times);
        assertThat(WaitCounters.offerNanos() - offerNanos).isGreaterThanOrEqualTo(spent);
    }

    /** The work of compilers, collectors and daemons beside a busy program is no reason to wait twenty times as long. */
    @Test
    void aCoreThatIsAnothersForAMomentNowAndThenIsLookedFromIfThatSavesMore() {
        WaitPolicy policy = policy(1_000 * MILLI, 1);
        for (int i = 0; i < 1_000; i++) {
            assertThat(isKeptFromItsCore(policy)).as("looks %d", i).isTrue();
            for (int wait = 0; wait < 800; wait++) {
                lookAndFind(policy);
                now += 20 * MICRO;
            }
        }
    }

    @Test
    void aCoreThatIsAnothersIsLeftToItIfLooksSaveLessThanItTakes() {
        WaitPolicy policy = policy(1_000 * MILLI, 1);
        int looks = 0;
        for (int i = 0; i < 100; i++) {
            looks += isKeptFromItsCore(policy) ? 1 : 0;
            for (int wait = 0; wait < 16; wait++) {
                lookAndFind(policy);
                now += MILLI;
            }
        }
        assertThat(looks).isBetween(4, 50);
    }

    /** Many at once, as compilers are, and then none for a while. */
    @Test
    void whatWasSavedBeforeIsHeldAgainstWhatIsLostNow() {
        WaitPolicy policy = policy(1_000 * MILLI, 1);
        for (int i = 0; i < 20; i++) {
            for (int wait = 0; wait < 2_500; wait++) {
                lookAndFind(policy);
                now += 20 * MICRO;
            }
            for (int loss = 0; loss < 6; loss++) {
                assertThat(isKeptFromItsCore(policy))
                        .as("loss %d of %d", loss, i)
                        .isTrue();
            }
        }
        int losses = 0;
        while (isKeptFromItsCore(policy)) {
            losses++;
        }
        assertThat(losses).as("but only for a time").isLessThan(12);
    }

    @Test
    void whatIsForgivenIsForgivenOnce() {
        WaitPolicy policy = policy(1_000 * MILLI, 1);
        policy.forgive(250 * MILLI);
        int losses = 0;
        while (isKeptFromItsCore(policy)) {
            losses++;
        }
        assertThat(losses).isBetween(62, 70);
        now += 110 * MILLI;
        int more = 0;
        while (isKeptFromItsCore(policy)) {
            more++;
        }
        assertThat(more).as("after it was found to be a crowd").isLessThan(4);
    }

    /** Time is also saved when a blocking thread finds its bytes before it begins to wait. */
    @Test
    void whatIsFoundAtAGlanceCounts() {
        WaitPolicy policy = policy(1_000 * MILLI, 1);
        for (int i = 0; i < 100; i++) {
            assertThat(isKeptFromItsCore(policy)).as("looks %d", i).isTrue();
            for (int wait = 0; wait < 800; wait++) {
                policy.mayGlance();
                now += 20 * MICRO;
            }
        }
    }

    @Test
    void offersThatCostMoreThanTheySaveAreGivenUpForATime() {
        WaitPolicy policy = policy(SPIN, 0);
        int offers = 0;
        for (int i = 0; i < 1_000; i++) {
            policy.begin(++now, now, false);
            while (policy.next(now) == Step.YIELD) {
                policy.yielded(now, now + 30 * MICRO);
                now += 30 * MICRO;
                offers++;
            }
            now += MILLI;
            policy.woken(now, MILLI);
        }
        assertThat(offers).isBetween(24, 300);
    }

    @Test
    void aCrowdIsAskedForBeforeItIsLookedFor() {
        long crowdings = WaitCounters.crowdings();
        long sleeps = WaitCounters.sleeps(Why.CROWDED);
        told.surplus = 2;
        WaitPolicy policy = policy(1_000 * MILLI, 1);
        assertThat(look(policy)).isLessThan(20 * MILLI);
        assertThat(WaitCounters.crowdings() - crowdings).isPositive();
        long found = now;
        while (now - found < 700 * MILLI) {
            now += MILLI;
            assertThat(look(policy)).as("%d ns later", now - found).isZero();
        }
        assertThat(WaitCounters.sleeps(Why.CROWDED) - sleeps).isGreaterThanOrEqualTo(700);
        told.surplus = 0;
        now += 400 * MILLI;
        assertThat(look(policy)).as("when it has gone").isGreaterThan(900 * MILLI);
    }

    @Test
    void aCoreThatThePeerSharesIsOfferedAtOnce() {
        long handovers = WaitCounters.handovers();
        WaitPolicy policy = sharing();
        assertThat(WaitCounters.handovers() - handovers).isPositive();
        policy.begin(now, now, false);
        assertThat(policy.mayGlance()).isFalse();
        assertThat(policy.next(now)).isEqualTo(Step.YIELD);
        policy.yielded(now, now + MICRO);
        now += MICRO;
        assertThat(policy.next(now)).as("after an offer that nobody took").isEqualTo(Step.LOOK);
        policy.end();
        policy.begin(++now, now, false);
        assertThat(policy.next(now)).as("after the peer has left").isEqualTo(Step.LOOK);
    }

    /** The two were moved to cores of their own, and the answer has come when the thread returns from an offer that nobody took. */
    @Test
    void aPeerThatAnswersSoonerThanFromTheSameCoreIsNoLongerThere() {
        WaitPolicy policy = sharing();
        int offers = 0;
        while (!policy.mayGlance()) {
            policy.begin(now, now, false);
            assertThat(policy.next(now)).isEqualTo(Step.YIELD);
            policy.yielded(now, now + MICRO / 2);
            now += MICRO / 2;
            policy.found();
            policy.end();
            now += MICRO;
            offers++;
        }
        assertThat(offers).isEqualTo(2);
    }

    /** In a guest whose system calls are slow the answer to an offer that nobody took is no sign of a peer on the same core. */
    @Test
    void anAnswerDuringAYieldThatIsSlowAnywayIsNoHandover() {
        told.unusedYield = 1_500;
        WaitPolicy policy = policy(1_000 * MILLI, 1);
        policy.begin(now, now, false);
        assertThat(untilOffer(policy)).isTrue();
        policy.yielded(now, now + 1_600);
        now += 1_600;
        policy.found();
        policy.end();
        assertThat(policy.mayGlance()).as("alone on its core").isTrue();
        now += MICRO;
        policy.begin(now, now, false);
        assertThat(untilOffer(policy)).isTrue();
        policy.yielded(now, now + 3_700);
        now += 3_700;
        policy.found();
        policy.end();
        assertThat(policy.mayGlance()).as("after the peer answered from it").isFalse();
    }

    @Test
    void offersThatOthersTakeAndNoAnswerFollowsEnd() {
        WaitPolicy policy = sharing();
        policy.begin(now, now, false);
        int offers = 0;
        while (policy.next(now) == Step.YIELD) {
            policy.yielded(now, now + 30 * MICRO);
            now += 30 * MICRO;
            offers++;
        }
        assertThat(offers).isEqualTo(3);
        assertThat(policy.next(now)).isEqualTo(Step.SLEEP);
        now += MILLI;
        policy.begin(now, now, false);
        assertThat(policy.next(now))
                .as("a moment later: it cost too little to be a crowd")
                .isNotEqualTo(Step.SLEEP);
    }

    @Test
    void whereOnlyOneCanRunNobodyLooks() {
        WaitPolicy policy = policy(1_000 * MILLI, 0);
        assertThat(policy.mayGlance()).isFalse();
        policy.begin(now, now, false);
        assertThat(policy.next(now)).isEqualTo(Step.YIELD);
        policy.yielded(now, now + MICRO);
        now += MICRO;
        assertThat(policy.next(now)).as("after an offer that nobody took").isEqualTo(Step.SLEEP);
    }

    @Test
    void aJumpOfTheClockIsAnotherThreadUnlessTheWholeProcessStood() {
        long delays = WaitCounters.delays().count();
        long delayNanos = WaitCounters.delays().nanos();
        WaitPolicy policy = policy(1_000 * MILLI, 1);
        policy.begin(now, now, false);
        assertThat(policy.next(now)).isEqualTo(Step.LOOK);
        now += MILLI;
        assertThat(policy.next(now))
                .as("the first jump: what was before is not known")
                .isNotEqualTo(Step.SLEEP);
        policy.end();
        policy.begin(++now, now, false);
        assertThat(policy.next(now)).isEqualTo(Step.LOOK);
        now += MILLI;
        assertThat(policy.next(now)).as("a collector's pause").isNotEqualTo(Step.SLEEP);
        policy.end();
        policy.begin(++now, now, false);
        int jumps = 0;
        while (policy.next(now) == Step.LOOK) {
            told.delay += 3 * MILLI;
            now += 3 * MILLI;
            boolean isCrowd = policy.next(now) == Step.SLEEP;
            assertThat(isCrowd).as("after %d jumps", ++jumps).isEqualTo(jumps == 5);
            policy.end();
            policy.begin(++now, now, false);
        }
        assertThat(jumps).isEqualTo(5);
        assertThat(WaitCounters.delays().count() - delays).isGreaterThanOrEqualTo(5);
        assertThat(WaitCounters.delays().nanos() - delayNanos).isGreaterThanOrEqualTo(15 * MILLI);
    }

    @Test
    void moreThreadsThanProcessorsEndLongLooks() {
        told.surplus = 2;
        WaitPolicy policy = policy(1_000 * MILLI, 1);
        assertThat(look(policy)).isLessThan(20 * MILLI);
        told.surplus = 0;
        now += 200 * MILLI;
        assertThat(look(policy)).isGreaterThan(900 * MILLI);
    }

    @Test
    void aProcessThatIsStoppedForItsQuotaLooksNoMore() {
        long delayNanos = WaitCounters.delays().nanos();
        long crowdings = WaitCounters.crowdings();
        WaitPolicy policy = policy(1_000 * MILLI, 1);
        policy.begin(now, now, false);
        assertThat(policy.next(now)).isEqualTo(Step.LOOK);
        told.throttled = 1;
        now += 50 * MILLI;
        assertThat(policy.next(now)).isEqualTo(Step.SLEEP);
        assertThat(WaitCounters.delays().nanos() - delayNanos).isGreaterThanOrEqualTo(50 * MILLI);
        assertThat(WaitCounters.crowdings() - crowdings).isPositive();
        now += 5_000 * MILLI;
        policy.begin(now, now, false);
        assertThat(policy.next(now)).isEqualTo(Step.SLEEP);
    }

    /** As most are while they start. */
    @Test
    void thatItWasStoppedBeforeIsNoReason() {
        told.throttled = 7;
        WaitPolicy policy = policy(1_000 * MILLI, 1);
        policy.begin(now, now, false);
        assertThat(policy.next(now)).isEqualTo(Step.LOOK);
        now += MILLI; // another thread's: not for the quota
        assertThat(policy.next(now)).isEqualTo(Step.YIELD);
    }

    @Test
    void noMoreLookForLongThanThereArePlaces() {
        SpinBudget budget = new SpinBudget(1, 1);
        WaitPolicy one = new WaitPolicy(config(SPIN), told, budget);
        WaitPolicy other = new WaitPolicy(config(SPIN), told, budget);
        one.begin(now, now, false);
        other.begin(now, now, false);
        assertThat(untilOffer(one)).isTrue();
        assertThat(untilOffer(other)).isFalse();
        long sleeps = WaitCounters.sleeps(Why.NO_CORE);
        assertThat(other.next(now)).isEqualTo(Step.SLEEP);
        assertThat(WaitCounters.sleeps(Why.NO_CORE) - sleeps).isPositive();
        one.end();
        other.begin(++now, now, false);
        assertThat(untilOffer(other)).isTrue();
        other.end();
    }

    @Test
    void withOneProcessorItLooksForWhatAnotherHostSends() {
        WaitPolicy policy = new WaitPolicy(config(SPIN), told, SpinBudget.of(1));
        assertThat(look(policy, true)).isBetween(SPIN, SPIN + 2 * MICRO);
        assertThat(look(policy, false)).isLessThan(2 * MICRO);
    }

    @Test
    void withOneProcessorOneThreadLooksForWhatAnotherHostSends() {
        SpinBudget budget = SpinBudget.of(1);
        WaitPolicy one = new WaitPolicy(config(SPIN), told, budget);
        WaitPolicy other = new WaitPolicy(config(SPIN), told, budget);
        one.begin(now, now, true);
        other.begin(now, now, true);
        assertThat(untilOffer(one)).isTrue();
        assertThat(untilOffer(other)).isFalse();
        one.end();
    }

    @Test
    void withAPartOfAProcessorItLooksForNothing() {
        WaitPolicy policy = new WaitPolicy(config(SPIN), told, new SpinBudget(0, 0));
        assertThat(look(policy, true)).isLessThan(2 * MICRO);
    }

    /** A guest whose system calls take forty times as long as elsewhere. */
    @Test
    void whereSystemCallsAreSlowASlowOfferIsNoSignOfOthersAndOffersAreSeldom() {
        told.unusedYield = 20 * MICRO;
        WaitPolicy policy = policy(10 * MILLI, 1);
        policy.begin(now, now, false);
        long end = now + 10 * MILLI;
        int offers = 0;
        Step step = policy.next(now);
        while (now < end) {
            assertThat(step).isNotEqualTo(Step.SLEEP);
            if (step == Step.YIELD) {
                policy.yielded(now, now + 25 * MICRO);
                now += 25 * MICRO;
                offers++;
            }
            now += 5 * MICRO;
            step = policy.next(now);
        }
        assertThat(offers).isBetween(20, 40);
        assertThat(step).isEqualTo(Step.SLEEP);
        policy.end();
    }

    @Test
    void whatTheProgramDecidedIsDone() {
        WaitPolicy never =
                new WaitPolicy(new PollConfig(SPIN, 200, 64, 0, PollConfig.Yielding.NEVER), told, new SpinBudget(0, 0));
        assertThat(never.mayGlance()).isTrue();
        assertThat(untilOffer(never)).isFalse();
        assertThat(look(never)).isBetween(SPIN, SPIN + 2 * MICRO);
        WaitPolicy always = new WaitPolicy(
                new PollConfig(SPIN, 200, 64, 0, PollConfig.Yielding.ALWAYS), told, new SpinBudget(0, 0));
        always.begin(++now, now, false);
        assertThat(always.next(now)).isEqualTo(Step.LOOK);
        assertThat(always.next(now)).isEqualTo(Step.YIELD);
        always.yielded(now, now + 5 * MILLI);
        assertThat(always.next(now)).isEqualTo(Step.LOOK);
    }

    @Test
    void theKernelsAccountIsRead() {
        assertThat(RunDelay.second("12 3456 7\n")).isEqualTo(3456);
        assertThat(RunDelay.second("12")).isEqualTo(-1);
        assertThat(RunDelay.second("a b c")).isEqualTo(-1);
        if (Files.exists(Path.of("/proc/thread-self/schedstat"))) {
            assertThat(RunDelay.ofCurrentThread()).isNotNegative();
        }
    }

    @Test
    void whoWantsToRunIsCounted(@TempDir Path dir) throws Exception {
        byte[] load = "0.20 10.5 1.0 13/812 999\n".getBytes(StandardCharsets.US_ASCII);
        assertThat(RunnableThreads.runnable(load, load.length)).isEqualTo(13);
        assertThat(RunnableThreads.runnable(load, 5)).isEqualTo(-1);
        Path online = Files.writeString(dir.resolve("online"), "0-3,6\n");
        assertThat(RunnableThreads.processors(online)).isEqualTo(5);
        assertThat(RunnableThreads.processors(dir.resolve("none"))).isZero();
        Path status = Files.writeString(dir.resolve("status"), "Name:\tjava\nCpus_allowed_list:\t1,4-5\nThreads:\t1\n");
        assertThat(RunnableThreads.allowed(status)).isEqualTo(3);
        assertThat(RunnableThreads.allowed(online)).isZero();
    }

    @Test
    void quotasOfBothKindsOfControlGroupsAreKnown(@TempDir Path dir) throws Exception {
        Path membership = Files.writeString(dir.resolve("cgroup"), "4:cpu,cpuacct:/a/b\n0::/pod\n");
        ControlGroups groups = new ControlGroups(membership, dir);
        assertThat(new CpuQuota(groups).isFractional()).isFalse();
        Path pod = Files.createDirectories(dir.resolve("pod"));
        Files.writeString(pod.resolve("cpu.max"), "200000 100000\n");
        Files.writeString(pod.resolve("cpu.stat"), "usage_usec 5\nnr_throttled 7\n");
        CpuQuota whole = new CpuQuota(groups);
        assertThat(whole.isFractional()).isFalse();
        assertThat(whole.throttled()).isEqualTo(7);
        Files.writeString(pod.resolve("cpu.max"), "max 100000\n");
        Path old = Files.createDirectories(dir.resolve("cpu,cpuacct/a"));
        Files.writeString(old.resolve("cpu.cfs_quota_us"), "50000\n");
        Files.writeString(old.resolve("cpu.cfs_period_us"), "100000\n");
        assertThat(new CpuQuota(groups).isFractional()).isTrue();
    }

    /** A policy that has found its peer on its own core. */
    private WaitPolicy sharing() {
        WaitPolicy policy = policy(SPIN, 1);
        policy.begin(now, now, false);
        assertThat(untilOffer(policy)).isTrue();
        policy.yielded(now, now + 10 * MICRO);
        now += 10 * MICRO;
        policy.found();
        policy.end();
        now += MICRO;
        return policy;
    }

    private void sleepThrough(WaitPolicy policy, long nanos) {
        long start = now;
        look(policy);
        now = start + nanos;
        policy.woken(now, nanos);
    }

    /** A wait for something that comes after a time; returns how long it took, negative if it ended asleep. */
    private long wait(WaitPolicy policy, long nanos) {
        long start = ++now;
        policy.begin(now, now, false);
        while (true) {
            Step step = policy.next(now);
            if (step == Step.SLEEP) {
                now = Math.max(now, start + nanos) + 25 * MICRO;
                policy.woken(now, now - start);
                return start - now;
            }
            if (step == Step.YIELD) {
                policy.yielded(now, now + MICRO / 2);
            }
            now += MICRO / 2;
            if (now - start >= nanos) {
                policy.found();
                policy.end();
                return now - start;
            }
        }
    }

    private WaitPolicy policy(long spin, int places) {
        return new WaitPolicy(config(spin), told, new SpinBudget(places, places));
    }

    private static PollConfig config(long spin) {
        return new PollConfig(spin, 200, 64, 0, PollConfig.Yielding.ADAPTIVE);
    }

    /** A wait in which nothing comes; returns for how long it looked. */
    private long look(WaitPolicy policy) {
        return look(policy, false);
    }

    private long look(WaitPolicy policy, boolean isRemote) {
        long start = ++now;
        policy.begin(now, now, isRemote);
        while (true) {
            Step step = policy.next(now);
            if (step == Step.SLEEP) {
                return now - start;
            }
            long took = MICRO / 2;
            if (step == Step.YIELD) {
                policy.yielded(now, now + took);
            }
            now += took;
        }
    }

    /** A wait for what comes after a microsecond. */
    private void lookAndFind(WaitPolicy policy) {
        policy.begin(now, now, false);
        Step step = policy.next(now);
        now += MICRO;
        if (step == Step.SLEEP) {
            policy.woken(now, MICRO);
        } else {
            policy.found();
        }
        policy.end();
    }

    /** Whether a wait looks and offers its core, which another then has for 4 ms. */
    private boolean isKeptFromItsCore(WaitPolicy policy) {
        policy.begin(now, now, false);
        boolean offers = untilOffer(policy);
        if (offers) {
            policy.yielded(now, now + 4 * MILLI);
            now += 4 * MILLI;
            policy.found();
        }
        policy.end();
        now += MICRO;
        return offers;
    }

    private boolean untilOffer(WaitPolicy policy) {
        for (int i = 0; i < 1_000; i++) {
            Step step = policy.next(now);
            if (step != Step.LOOK) {
                return step == Step.YIELD;
            }
            now += MICRO;
        }
        return false;
    }

    private static final class Told implements WaitPolicy.Senses {
        long delay;
        int surplus;
        long throttled;
        long unusedYield;

        @Override
        public long runDelay() {
            return delay;
        }

        @Override
        public int surplus() {
            return surplus;
        }

        @Override
        public long throttled() {
            return throttled;
        }

        @Override
        public long unusedYield() {
            return unusedYield;
        }
    }
}
