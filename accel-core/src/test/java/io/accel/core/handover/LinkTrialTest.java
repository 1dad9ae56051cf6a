// SPDX-License-Identifier: Apache-2.0
package io.accel.core.handover;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.handover.LinkTrial.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LinkTrialTest {
    private static final long LOOK_NANOS = 50_000_000L;
    private static final double KERNEL = 1e6; // bytes a second

    private long now = 77;
    private double bytes;
    private LinkTrial trial = new LinkTrial(KERNEL, now);

    /** Looks until there is a verdict, while the link has this pace. */
    private Verdict judge(double pace, boolean compiling, long mostNanos) {
        Verdict verdict = Verdict.UNDECIDED;
        for (long end = now + mostNanos; now < end && verdict == Verdict.UNDECIDED; ) {
            now += LOOK_NANOS;
            bytes += pace * LOOK_NANOS / 1e9;
            verdict = trial.look((long) bytes, compiling, now);
        }
        return verdict;
    }

    @ParameterizedTest
    @CsvSource({"10, NOT_SLOWER", "1, NOT_SLOWER", "0.95, NOT_SLOWER", "0.85, SLOWER", "0.1, SLOWER", "0, NONE"})
    void theLinkHasToKeepTheKernelsPace(double times, Verdict verdict) {
        assertThat(judge(times * KERNEL, false, LinkTrial.MOST_NANOS + 2 * LOOK_NANOS))
                .isEqualTo(verdict);
    }

    @Test
    void codeThatIsNotYetWarmDoesNotCount() {
        assertThat(judge(0.01 * KERNEL, false, LinkTrial.WARM_NANOS)).isEqualTo(Verdict.UNDECIDED);
        assertThat(judge(KERNEL, false, LinkTrial.MOST_NANOS)).isEqualTo(Verdict.NOT_SLOWER);
    }

    @Test
    void norDoesTheTimeOfTheCompilers() {
        assertThat(judge(0.01 * KERNEL, true, LinkTrial.MOST_WARM_NANOS - LOOK_NANOS))
                .isEqualTo(Verdict.UNDECIDED);
        assertThat(judge(2 * KERNEL, false, LinkTrial.MOST_NANOS)).isEqualTo(Verdict.NOT_SLOWER);
    }

    @Test
    void compilersThatNeverRestPutNothingOffForGood() {
        assertThat(judge(0.1 * KERNEL, true, LinkTrial.MOST_NANOS)).isEqualTo(Verdict.SLOWER);
    }

    @Test
    void pausesBetweenBurstsAreLeftOut() {
        Verdict verdict = Verdict.UNDECIDED;
        for (int i = 0; i < 20 && verdict == Verdict.UNDECIDED; i++) {
            verdict = judge(0, false, 275_000_000L);
            verdict = verdict == Verdict.UNDECIDED ? judge(KERNEL, false, 225_000_000L) : verdict;
        }
        assertThat(verdict).isEqualTo(Verdict.NOT_SLOWER);
    }

    @Test
    void withoutAMeasureOfTheKernelThereIsNoTrial() {
        trial = new LinkTrial(0, now);
        assertThat(judge(1, false, 2 * LOOK_NANOS)).isEqualTo(Verdict.NOT_SLOWER);
    }

    @Test
    void theSavingIsTheTimeThatAUnitTookLess() {
        assertThat(judge(4 * KERNEL, false, LinkTrial.MOST_NANOS)).isEqualTo(Verdict.NOT_SLOWER);
        assertThat(trial.savedNanos(64)).isBetween(47_000L, 49_000L); // 64 us through the kernel, 16 us over the link
    }

    @Test
    void aDifferenceThatMayBeChanceSavesNothing() {
        assertThat(judge(1.05 * KERNEL, false, LinkTrial.MOST_NANOS)).isEqualTo(Verdict.NOT_SLOWER);
        assertThat(trial.savedNanos(64)).isZero();
    }

    /** A program that sends less by itself was taken for slower; the kernel's pace then tells that it was not the link. */
    @Test
    void theKernelIsFasterOnlyIfItIsSoAgain() {
        assertThat(LinkTrial.isKernelFaster(1.2 * KERNEL, KERNEL)).isTrue();
        assertThat(LinkTrial.isKernelFaster(KERNEL, KERNEL)).isFalse();
        assertThat(LinkTrial.isKernelFaster(0.5 * KERNEL, KERNEL)).isFalse();
    }
}
