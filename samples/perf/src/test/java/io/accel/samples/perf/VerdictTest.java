// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.accel.samples.perf.Verdict.Measure;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The worst of its figures decides what a row is called. */
class VerdictTest {
    private static final double NONE = Double.NaN;

    private static Figures figures(double p50, double p99, double rate, double cpu) {
        return new Figures(p50, p99, NONE, rate, 64 * rate, NONE, cpu);
    }

    private static Verdict verdict(Figures seen, Figures kernel) {
        return Verdict.of(List.of(seen), List.of(kernel), false);
    }

    @Test
    void aBetterMedianDoesNotHideAWorseTail() {
        Verdict verdict = verdict(figures(20, 135, 15_000, 40), figures(37.8, 42.6, 25_000, 40));
        assertThat(verdict.p50()).isCloseTo(1.89, within(0.001));
        assertThat(verdict.worst()).isCloseTo(0.3156, within(0.001));
        assertThat(verdict.worstMeasure()).contains(Measure.P99);
        assertThat(verdict.isSlower()).isTrue();
        assertThat(verdict.isBetter()).isFalse();
        assertThat(verdict.words()).isEqualTo("slower: p99 3.17x as long, 0.600x the rate");
    }

    @Test
    void whereEveryFigureIsBetterTheLeastOfThemCounts() {
        Verdict verdict = verdict(figures(0.5, 2, 2_000_000, 1), figures(30, 40, 33_000, 25));
        assertThat(verdict.isBetter()).isTrue();
        assertThat(verdict.words()).isEqualTo("20.0x better, by the worst figure (p99)");
    }

    @Test
    void cpuTimeAloneIsNotSlownessButIsNotHiddenEither() {
        Verdict verdict = verdict(figures(10, 20, 50_000, 90), figures(10, 20, 50_000, 30));
        assertThat(verdict.isSlower()).isFalse();
        assertThat(verdict.isWorse()).isTrue();
        assertThat(verdict.isBetter()).isFalse();
        assertThat(verdict.words()).isEqualTo("not slower, but takes 3.00x the CPU time");
    }

    @Test
    void aLittleWorseIsAboutTheSame() {
        Verdict verdict = verdict(figures(10, 23, 49_000, 31), figures(10, 20, 50_000, 30));
        assertThat(verdict.isWorse()).isFalse();
        assertThat(verdict.isBetter()).isFalse();
        assertThat(verdict.words()).isEqualTo("about the same: p99 1.15x as long");
    }

    @Test
    void theLimitsAreThoseThatMustHold() {
        Figures kernel = figures(100, 100, 100, 100);
        assertThat(verdict(figures(100, 119, 96, 109), kernel).isWorse()).isFalse();
        assertThat(verdict(figures(106, 100, 100, 100), kernel).isSlower()).isTrue();
        assertThat(verdict(figures(100, 121, 100, 100), kernel).isSlower()).isTrue();
        assertThat(verdict(figures(100, 100, 94, 100), kernel).isSlower()).isTrue();
        assertThat(verdict(figures(100, 100, 100, 111), kernel).isSlower()).isFalse();
        assertThat(verdict(figures(100, 100, 100, 111), kernel).isWorse()).isTrue();
    }

    @Test
    void figuresThatAreNotThereDoNotCount() {
        Verdict verdict = verdict(figures(NONE, NONE, 3e6, 2), figures(NONE, NONE, 1e6, 4));
        assertThat(verdict.worstMeasure()).contains(Measure.CPU);
        assertThat(verdict.worst()).isEqualTo(2);
    }

    @Test
    void aRateThatTheCaseGivesDoesNotCount() {
        List<Figures> seen = List.of(figures(5, 10, 4_000, 10));
        List<Figures> kernel = List.of(figures(10, 20, 4_000, 20));
        assertThat(Verdict.of(seen, kernel, true).worst()).isEqualTo(2);
        assertThat(Verdict.of(seen, kernel, false).worst()).isEqualTo(1);
    }

    @Test
    void theRatioIsTheMedianOfTheRoundsRatios() {
        List<Figures> seen = List.of(figures(2, 2, 90, 1), figures(3, 3, 80, 1), figures(2, 2, 100, 1));
        List<Figures> kernel = List.of(figures(20, 20, 10, 2), figures(39, 39, 10, 2), figures(30, 30, 10, 2));
        assertThat(Verdict.of(seen, kernel, false).p50()).isCloseTo(13, within(1e-9));
    }

    @Test
    void ofTwoKindsOfRoundsTheWorstCountsInEachFigure() {
        List<Figures> seen = List.of(figures(2, 9, 100, 1), figures(50, 60, 10, 5), figures(2, 9, 100, 1));
        List<Figures> kernel = List.of(figures(20, 30, 20, 2), figures(20, 30, 20, 2), figures(20, 30, 20, 2));
        Verdict verdict = Verdict.of(seen, kernel, false);
        assertThat(verdict.p50()).isCloseTo(0.4, within(1e-9));
        assertThat(verdict.rate()).isCloseTo(0.5, within(1e-9));
        assertThat(verdict.words())
                .isEqualTo("slower: p50 2.50x as long, p99 2.00x as long, 0.500x the rate, 2.50x the CPU time");
    }

    @Test
    void withoutAReferenceNothingIsSaid() {
        assertThat(Verdict.of(List.of(figures(1, 1, 1, 1)), List.of(), false).words())
                .isEmpty();
        assertThat(verdict(figures(1, 1, 1, 1), Figures.unknown()).worst()).isNaN();
        assertThat(Verdict.NONE.isSlower()).isFalse();
        assertThat(Verdict.NONE.isBetter()).isFalse();
    }
}
