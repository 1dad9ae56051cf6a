// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a young program is as fast as one without Accel that is warm. */
class ProgressTest {
    /** @param perSecond the rate in each second */
    private static Progress of(double... perSecond) {
        List<Double> done = new ArrayList<>();
        double sum = 0;
        for (double rate : perSecond) {
            for (int slice = 0; slice < 4; slice++) {
                sum += rate / 4;
                done.add(sum);
            }
        }
        return new Progress(done);
    }

    private static Figures round(Progress progress) {
        return new Young(Milestones.OF_APPS, progress, 1, 1, 1, 1, 1).figures();
    }

    @Test
    void aRoundIsCutIntoSlices() {
        assertThat(Progress.slices(1000)).isEqualTo("250,500,750,1000");
        Progress progress = of(8, 16);
        assertThat(progress.by(0)).isZero();
        assertThat(progress.by(250)).isEqualTo(2);
        assertThat(progress.by(2000)).isEqualTo(24);
        assertThat(progress.by(2250)).as("after its end").isNaN();
        assertThat(Progress.NONE.by(250)).isNaN();
    }

    @Test
    void theWarmRateIsThatOfTheLastFiveSeconds() {
        assertThat(of(0, 0, 5, 50, 80, 100, 100, 110, 90, 100).warmRate()).isEqualTo(100);
        assertThat(of(100, 100, 100, 100, 100, 100, 100, 100, 100).warmRate())
                .as("too short to become warm")
                .isNaN();
        assertThat(Progress.NONE.warmRate()).isNaN();
    }

    @Test
    void aRateIsReachedInTheFirstSecondThatHasNearlyAllOfIt() {
        Progress progress = of(0, 40, 80, 100, 100);
        assertThat(progress.reaches(40))
                .as("0.95 of it, three slices of 40 / 4 and one of 80 / 4 are more")
                .isEqualTo(2);
        assertThat(progress.reaches(100)).isEqualTo(3.75);
        assertThat(progress.reaches(106)).isInfinite();
        assertThat(of(100).reaches(50)).isEqualTo(1);
        assertThat(progress.reaches(Double.NaN)).isNaN();
        assertThat(progress.reaches(0)).as("nothing is done by the other").isNaN();
    }

    @Test
    void eachRoundIsComparedWithTheSameRoundWithoutAccel() {
        Progress stock = of(0, 100, 100, 100, 100, 100, 100, 100, 100, 100);
        Progress slow = of(0, 0, 0, 50, 50, 50, 50, 50, 50, 50);
        Progress twice = of(0, 0, 100, 200, 200, 200, 200, 200, 200, 200);
        List<Figures> kernel = List.of(round(stock), round(stock), round(slow));
        List<Figures> seen = List.of(round(twice), round(slow), round(slow));
        assertThat(Progress.reached(kernel, kernel)).containsExactly(2, 2, 4);
        assertThat(Progress.reached(seen, kernel)).containsExactly(3, Double.POSITIVE_INFINITY, 4);
        Verdict verdict = Verdict.ofStart(Milestones.OF_APPS, seen, kernel, "balanced");
        assertThat(verdict.start().reachedSeconds()).as("the median").isEqualTo(4);
        List<Row> rows = List.of(row("none", kernel, kernel), row("balanced", seen, kernel));
        assertThat(YoungNotes.of(new Result(rows, List.of())))
                .containsExactly(
                        "tomcat, without Accel: operations by 1 s 0 (0 to 0), by 2 s 100 (0 to 100), by 4 s 300 (50 to 300), by 10 s"
                                + " 900 (350 to 900); a second at the end 100 (50 to 100), first so fast: 2.00 s (2.00 s to 4.00 s).",
                        "tomcat, accel balanced: times the operations without Accel by 1 s -, by 2 s -, by 4 s 1.00x (0.167x to 1.00x), by"
                                + " 10 s 1.00x (0.389x to 1.67x); first as fast as without Accel at the end: 4.00 s (3.00 s to"
                                + " never); must be 0.970x by 10 s: it is.");
    }

    private static Row row(String profile, List<Figures> seen, List<Figures> kernel) {
        Verdict verdict = Verdict.ofStart(Milestones.OF_APPS, seen, kernel, profile);
        return new Row("tomcat", "accel", profile, seen, Latencies.NONE, verdict, Double.NaN);
    }

    @Test
    void roundsHaveAMedianInEachSlice() {
        assertThat(Progress.median(List.of(of(4), of(8), of(400))).done()).containsExactly(2.0, 4.0, 6.0, 8.0);
    }
}
