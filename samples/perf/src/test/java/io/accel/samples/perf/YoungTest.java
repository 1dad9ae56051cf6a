// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.accel.samples.perf.Verdict.Measure;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is made of the first seconds of programs. */
class YoungTest {
    private static Figures round(double cpuSeconds, double... done) {
        return round(Milestones.OF_BENCHES, cpuSeconds, done);
    }

    /** @param done the operations by each milestone; those of a slice in between are not asked for */
    private static Figures round(Milestones at, double cpuSeconds, double... done) {
        List<Double> slices = new ArrayList<>();
        for (int i = 0; i < done.length; i++) {
            while (slices.size() * Progress.SLICE_MILLIS < at.millis.get(i)) {
                slices.add(done[i]);
            }
        }
        return new Young(at, new Progress(slices), cpuSeconds, 900, 1000 * cpuSeconds, 5000, 0.5).figures();
    }

    private static final List<Figures> STOCK = List.of(
            round(4, 100, 1000, 4000, 10_000), round(4, 200, 2000, 4000, 12_000), round(4, 150, 1000, 8000, 11_000));

    private static Row row(String path, String profile, List<Figures> rounds) {
        Verdict verdict = Verdict.ofStart(Milestones.OF_BENCHES, rounds, STOCK, profile);
        return new Row("young-pairs", path, profile, rounds, Latencies.NONE, verdict, Double.NaN);
    }

    private static Verdict ofStart(List<Figures> seen, List<Figures> kernel) {
        return Verdict.ofStart(Milestones.OF_BENCHES, seen, kernel, "balanced");
    }

    @Test
    void aRowHasTheMediansOfItsRounds() {
        Young young = row("kernel", "none", STOCK).figures().extra().young();
        assertThat(young.at().millis).extracting(young::done).containsExactly(150.0, 1000.0, 4000.0, 11_000.0);
        assertThat(young.done(10_000)).isNaN();
        assertThat(young.methods()).isEqualTo(4000);
        assertThat(row("kernel", "none", STOCK).figures().messagesPerSecond()).isEqualTo(11_000 / 4.0);
        assertThat(row("kernel", "none", STOCK).words()).isEmpty();
        assertThat(Young.median(List.of(young, Young.NONE)).isKnown()).isFalse();
    }

    @Test
    void theRatioIsTheMedianOfTheRoundsRatiosAtEachMoment() {
        List<Figures> rounds = List.of(
                round(8, 10, 500, 4000, 20_000), round(4, 200, 1900, 2000, 6000), round(4, 75, 950, 8800, 5500));
        Verdict verdict = ofStart(rounds, STOCK);
        assertThat(verdict.start().ratios()).containsExactly(0.5, 0.95, 1.0, 0.5);
        assertThat(verdict.start().misses(1000)).isFalse();
        assertThat(verdict.start().misses(4000)).isTrue();
        assertThat(verdict.cpu()).isCloseTo(0.5, within(1e-9));
        assertThat(verdict.isSlower()).isTrue();
        assertThat(verdict.worstMeasure()).contains(Measure.CPU);
        assertThat(verdict.words()).isEqualTo("slower: 2.00x the CPU time, 0.500x done by 4 s");
    }

    /** Before a second is over the figures say little, and are shown only. */
    @Test
    void theFirstHalfSecondIsNotJudged() {
        Verdict verdict = ofStart(List.of(round(4, 1, 1000, 4000, 10_000)), STOCK.subList(0, 1));
        assertThat(verdict.start().by(500)).isEqualTo(0.01);
        assertThat(verdict.isWorse()).isFalse();
        assertThat(verdict.worst()).isEqualTo(1);
    }

    @Test
    void latencyMayCostMoreThanTheOthers() {
        assertThat(Milestones.OF_BENCHES.must("latency")).isEqualTo(0.90);
        for (String profile : List.of("balanced", "throughput", "low-cpu", "off")) {
            assertThat(Milestones.OF_BENCHES.must(profile)).as(profile).isEqualTo(0.95);
        }
        List<Figures> rounds = List.of(round(4, 91, 910, 3640, 9100));
        assertThat(row("accel", "latency", rounds).vsKernel().isSlower()).isFalse();
        assertThat(row("accel", "balanced", rounds).words())
                .isEqualTo("slower: 0.910x done by 1 s, 0.910x done by 2 s, 0.910x done by 4 s");
    }

    @Test
    void roundsThatAreFarApartAreNotCalledBimodal() {
        Row row = row("kernel", "none", List.of(round(4, 1, 2, 3, 4), round(4, 100, 200, 300, 400)));
        assertThat(row.bimodal()).isFalse();
        assertThat(row.figures().extra().young().done(4000)).isEqualTo(202);
    }

    @Test
    void belowTheTableAreTheRangesAndWhatIsMissed() {
        Row stock = row("kernel", "none", STOCK);
        Row accel = row(
                "accel",
                "latency",
                List.of(
                        round(4, 100, 1000, 3600, 10_000),
                        round(4, 100, 1780, 4000, 12_000),
                        round(4, 300, 800, 7200, 9000)));
        assertThat(YoungNotes.of(new Result(List.of(stock, accel), List.of())))
                .containsExactly(
                        "young-pairs, without Accel: operations by 0.5 s 150 (100 to 200), by 1 s 1.00k (1.00k to 2.00k), by 2 s"
                                + " 4.00k (4.00k to 8.00k), by 4 s 11.0k (10.0k to 12.0k).",
                        "young-pairs, accel latency: times the operations without Accel by 0.5 s 1.00x (0.500x to 2.00x), by 1 s"
                                + " 0.890x (0.800x to 1.00x), by 2 s 0.900x (0.900x to 1.00x), by 4 s 1.00x (0.818x to"
                                + " 1.00x); must be 0.900x from 1 s on: it is not, by 1 s.");
        Row alone = row("accel", "balanced", STOCK.subList(0, 1));
        assertThat(YoungNotes.of(new Result(List.of(stock, alone), List.of())).get(1))
                .isEqualTo(
                        "young-pairs, accel balanced: times the operations without Accel by 0.5 s 1.00x, by 1 s 1.00x, by 2 s"
                                + " 1.00x, by 4 s 1.00x; must be 0.950x from 1 s on: it is.");
    }

    /** They are judged by their first ten seconds alone, and by each profile alike. */
    @Test
    void realProgramsHaveMomentsOfTheirOwn() {
        Milestones at = Milestones.OF_APPS;
        List<Figures> plain = List.of(round(at, 10, 0, 1000, 4000, 20_000));
        List<Figures> late = List.of(round(at, 9.7, 0, 10, 2000, 19_400));
        List<Figures> slow = List.of(round(at, 9.5, 0, 1000, 4000, 19_000));
        Row stock = ofApp("none", plain, plain);
        assertThat(stock.figures().messagesPerSecond()).isEqualTo(2000);
        assertThat(ofApp("latency", late, plain).vsKernel().isWorse()).isFalse();
        Row accel = ofApp("latency", slow, plain);
        assertThat(accel.words()).isEqualTo("slower: 0.950x done by 10 s");
        assertThat(YoungNotes.of(new Result(List.of(stock, accel), List.of())).get(1))
                .isEqualTo(
                        "tomcat, accel latency: times the operations without Accel by 1 s -, by 2 s 1.00x, by 4 s 1.00x, by"
                                + " 10 s 0.950x; must be 0.970x by 10 s: it is not,"
                                + " by 10 s.");
    }

    private static Row ofApp(String profile, List<Figures> seen, List<Figures> plain) {
        Verdict verdict = Verdict.ofStart(Milestones.OF_APPS, seen, plain, profile);
        return new Row("tomcat", "accel", profile, seen, Latencies.NONE, verdict, Double.NaN);
    }

    @Test
    void aTableOfThemAloneHasTheirColumnsOnly() {
        Row stock = row("kernel", "none", STOCK.subList(0, 1));
        Row accel = row("accel", "off", List.of(round(6, 50, 900, 4000, 12_000)));
        assertThat(TablePrinter.print(List.of(stock, accel)).lines())
                .containsExactly(
                        "case         path    profile  msg/s  CPU us/op  0.5 s    1 s    2 s    4 s  x 0.5 s   x 1 s  x 2 s"
                                + "  x 4 s  CPU s  classes  methods  bytecode  compilers s  vs kernel  in words",
                        "young-pairs  kernel  none     2.50k        400    100  1.00k  4.00k  10.0k    1.00x   1.00x  1.00x"
                                + "  1.00x   4.00      900    4.00k     5.00k        0.500      1.00x",
                        "young-pairs  accel   off      3.00k        500     50    900  4.00k  12.0k   0.500x  0.900x  1.00x"
                                + "  1.20x   6.00      900    6.00k     5.00k        0.500     0.800x  slower: 1.25x the CPU"
                                + " time, 0.900x done by 1 s");
    }

    @Test
    void besideOtherRowsTheyHaveATableOfTheirOwn() {
        Row young = row("kernel", "none", STOCK);
        Figures figures = new Figures(57.9, 80, 120.4, 17_000, 1.1e6, 104, 4.7);
        Row other =
                new Row("pingpong-64", "kernel", "none", List.of(figures), Latencies.NONE, Verdict.NONE, Double.NaN);
        assertThat(TablePrinter.print(List.of(other, young, other)))
                .isEqualTo(TablePrinter.print(List.of(other, other))
                        + System.lineSeparator()
                        + TablePrinter.print(List.of(young)));
    }

    @Test
    void whereNothingWasDoneThereIsNoRatio() {
        List<Figures> nothing = List.of(round(4, 0, 0, 0, 0));
        assertThat(ofStart(nothing, STOCK).words())
                .isEqualTo("slower: 0.00x done by 1 s, 0.00x done by 2 s, 0.00x done by 4 s");
        assertThat(ofStart(STOCK, nothing).words()).isEmpty();
        assertThat(ofStart(nothing, nothing).words()).isEmpty();
        Row idle =
                new Row("young-pairs", "accel", "off", nothing, Latencies.NONE, ofStart(nothing, nothing), Double.NaN);
        assertThat(YoungNotes.of(new Result(List.of(row("kernel", "none", nothing), idle), List.of()))
                        .get(1))
                .endsWith(" on: unknown, since nothing was done without Accel either.");
    }

    @Test
    void processorTimeIsThatOfAllThreadsEver() {
        assertThat(YoungRound.cpuSeconds("4711 (a b) (c) S 1 4711 0 0 -1 4194304 100 0 0 0 150 50 0 0 20 0 30 0 9"))
                .isEqualTo(2);
    }
}
