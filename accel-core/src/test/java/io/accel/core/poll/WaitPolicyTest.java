package io.accel.core.poll;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.poll.WaitPolicy.Step;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a waiter decides, told the time and what it sees. */
class WaitPolicyTest {
    private static final long MICRO = 1_000;
    private static final long MILLI = 1_000 * MICRO;
    private static final long SPIN = 20 * MICRO;

    private final Told told = new Told();
    private long now = 1_000 * MILLI;

    @Test
    void aloneItLooksAsLongAsItShouldAndThenSleeps() {
        WaitPolicy policy = policy(SPIN, 1);
        assertThat(look(policy)).isBetween(SPIN, SPIN + 2 * MICRO);
        assertThat(policy.mayGlance()).as("after a look in vain").isFalse();
    }

    @Test
    void looksInVainBecomeSeldom() {
        WaitPolicy policy = policy(SPIN, 1);
        int looks = 0;
        for (int i = 0; i < 1_000; i++) {
            looks += look(policy) > 0 ? 1 : 0;
            now += 2 * MILLI;
            policy.came(2 * MILLI);
        }
        assertThat(looks).isBetween(2, 12);
    }

    /** Two that fell asleep answer each other late; that must not be taken for a reason to sleep on. */
    @Test
    void twoThatFellAsleepFindBackToLooking() {
        WaitPolicy policy = policy(SPIN, 1);
        for (int i = 0; i < 20; i++) {
            look(policy);
            policy.came(2 * MILLI);
        }
        int waits = 0;
        long looked = 0;
        while (looked < 50 * MICRO) {
            now += 50 * MICRO;
            looked = look(policy);
            policy.came(55 * MICRO);
            assertThat(++waits).isLessThan(1_000);
        }
        now += MILLI;
        policy.begin(now, now);
        assertThat(waits).isGreaterThan(1);
    }

    @Test
    void aCoreThatAnotherComputesOnIsNotOfferedAgainSoon() {
        WaitPolicy policy = policy(SPIN, 1);
        policy.begin(now, now);
        assertThat(untilOffer(policy)).isTrue();
        policy.yielded(now, now + 4 * MILLI);
        now += 4 * MILLI;
        assertThat(policy.next(now)).isEqualTo(Step.SLEEP);
        for (int i = 0; i < 30; i++) {
            now += 5 * MILLI;
            policy.begin(now, now);
            assertThat(policy.next(now)).as("after " + 5 * i + " ms").isEqualTo(Step.SLEEP);
        }
    }

    @Test
    void aCoreThatThePeerSharesIsOfferedAtOnce() {
        WaitPolicy policy = policy(SPIN, 1);
        policy.begin(now, now);
        assertThat(untilOffer(policy)).isTrue();
        policy.yielded(now, now + 10 * MICRO);
        now += 10 * MICRO;
        policy.found();
        now += MICRO;
        policy.begin(now, now);
        assertThat(policy.next(now)).isEqualTo(Step.YIELD);
        policy.yielded(now, now + MICRO);
        now += MICRO;
        assertThat(policy.next(now)).as("an offer that nobody took").isEqualTo(Step.SLEEP);
    }

    @Test
    void aJumpOfTheClockIsAnotherThreadUnlessTheWholeProcessStood() {
        WaitPolicy policy = policy(1_000 * MILLI, 1);
        policy.begin(now, now);
        assertThat(policy.next(now)).isEqualTo(Step.LOOK);
        told.delay += 3 * MILLI;
        assertThat(policy.next(now + 3 * MILLI)).isEqualTo(Step.SLEEP);
    }

    @Test
    void moreThreadsThanProcessorsEndLongLooks() {
        told.surplus = 2;
        WaitPolicy policy = policy(1_000 * MILLI, 1);
        assertThat(look(policy)).isLessThan(5 * MILLI);
    }

    @Test
    void aProcessThatIsStoppedForItsQuotaLooksNoMore() {
        WaitPolicy policy = policy(1_000 * MILLI, 1);
        policy.begin(now, now);
        assertThat(policy.next(now)).isEqualTo(Step.LOOK);
        told.throttled = 1;
        now += 50 * MILLI;
        assertThat(policy.next(now)).isEqualTo(Step.SLEEP);
        now += 5_000 * MILLI;
        policy.begin(now, now);
        assertThat(policy.next(now)).isEqualTo(Step.SLEEP);
    }

    @Test
    void noMoreLookThanThereArePlaces() {
        SpinBudget budget = new SpinBudget(1);
        WaitPolicy one = new WaitPolicy(config(SPIN), told, budget);
        WaitPolicy other = new WaitPolicy(config(SPIN), told, budget);
        one.begin(now, now);
        other.begin(now, now);
        assertThat(one.next(now)).isEqualTo(Step.LOOK);
        assertThat(other.next(now)).isEqualTo(Step.SLEEP);
        one.release();
        other.begin(now + 1, now + 1);
        assertThat(other.next(now + 1)).isEqualTo(Step.LOOK);
        now += 200 * MILLI;
        one.begin(now, now);
        assertThat(one.next(now)).as("the other has not looked for long").isEqualTo(Step.LOOK);
        assertThat(policy(SPIN, 0).mayGlance()).isFalse();
    }

    @Test
    void theKernelsAccountsAreRead(@TempDir Path dir) throws Exception {
        byte[] text = "12 3456 7\n".getBytes(StandardCharsets.US_ASCII);
        assertThat(RunDelay.second(text, text.length)).isEqualTo(3456);
        assertThat(RunDelay.second(text, 2)).isEqualTo(-1);
        byte[] load = "0.20 10.5 1.0 13/812 999\n".getBytes(StandardCharsets.US_ASCII);
        assertThat(RunnableThreads.runnable(load, load.length)).isEqualTo(13);
        assertThat(RunnableThreads.runnable(load, 5)).isEqualTo(-1);
        Path online = Files.writeString(dir.resolve("online"), "0-3,6\n");
        assertThat(RunnableThreads.processors(online)).isEqualTo(5);
        assertThat(RunnableThreads.processors(dir.resolve("none"))).isZero();
    }

    @Test
    void quotasOfBothKindsOfControlGroupsAreKnown(@TempDir Path dir) throws Exception {
        Path membership = Files.writeString(dir.resolve("cgroup"), "4:cpu,cpuacct:/a/b\n0::/pod\n");
        assertThat(new CpuQuota(membership, dir).isFractional()).isFalse();
        Path pod = Files.createDirectories(dir.resolve("pod"));
        Files.writeString(pod.resolve("cpu.max"), "200000 100000\n");
        Files.writeString(pod.resolve("cpu.stat"), "usage_usec 5\nnr_throttled 7\n");
        CpuQuota whole = new CpuQuota(membership, dir);
        assertThat(whole.isFractional()).isFalse();
        assertThat(whole.throttled()).isEqualTo(7);
        Files.writeString(pod.resolve("cpu.max"), "max 100000\n");
        Path old = Files.createDirectories(dir.resolve("cpu,cpuacct/a"));
        Files.writeString(old.resolve("cpu.cfs_quota_us"), "50000\n");
        Files.writeString(old.resolve("cpu.cfs_period_us"), "100000\n");
        assertThat(new CpuQuota(membership, dir).isFractional()).isTrue();
    }

    private WaitPolicy policy(long spin, int places) {
        return new WaitPolicy(config(spin), told, new SpinBudget(places));
    }

    private static PollConfig config(long spin) {
        return new PollConfig(spin, 200, 64, 0, PollConfig.Yielding.ADAPTIVE);
    }

    /** A wait in which nothing comes; returns for how long it looked. */
    private long look(WaitPolicy policy) {
        long start = ++now;
        policy.begin(now, now);
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
    }
}
