// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * How a row compares with the kernel's: for each figure how many times better it is, less than 1 if it is worse, NaN if there
 * is nothing to compare. The worst of them decides what a row is called.
 */
record Verdict(double p50, double p99, double rate, double cpu, Start start) {
    /** There is nothing to compare with. */
    static final Verdict NONE = new Verdict(Double.NaN, Double.NaN, Double.NaN, Double.NaN);

    /** Of programs that are not measured from their start on. */
    Verdict(double p50, double p99, double rate, double cpu) {
        this(p50, p99, rate, cpu, Start.NONE);
    }

    /**
     * The operations of a young program by each of its moments, as a multiple of the kernel's.
     *
     * @param at the moments
     * @param ratios empty if there is nothing to compare
     * @param must the least multiple that counts as the same from the first judged moment on
     * @param reachedSeconds how long it took to come to the kernel's rate when warm; infinite if it did not, NaN if that is unknown
     */
    record Start(Milestones at, List<Double> ratios, double must, double reachedSeconds) {
        static final Start NONE = new Start(Milestones.OF_BENCHES, List.of(), Double.NaN, Double.NaN);

        Start {
            ratios = List.copyOf(ratios);
        }

        /** By one of the moments; NaN if it is none, or there is nothing to compare. */
        double by(int millis) {
            int moment = at.millis.indexOf(millis);
            return moment < 0 || ratios.isEmpty() ? Double.NaN : ratios.get(moment);
        }

        /** By one of the moments that are judged; NaN if it is none. */
        double judged(int millis) {
            return millis < at.firstJudged ? Double.NaN : by(millis);
        }

        /** Whether it is less than it must be by that moment. */
        boolean misses(int millis) {
            return judged(millis) < must;
        }
    }

    /** The figures that are compared. */
    enum Measure {
        P50("p50", 1.05, Verdict::p50),
        P99("p99", 1.2, Verdict::p99),
        RATE("rate", 1 / 0.95, Verdict::rate),
        CPU("CPU time", 1.1, Verdict::cpu),
        BY_1_S(1000),
        BY_2_S(2000),
        BY_4_S(4000),
        BY_10_S(10_000);

        private final String words;
        /** The factor by which a figure may be worse and still count as the same. */
        private final double slack;

        @SuppressWarnings("ImmutableEnumChecker") // a reference to a record's accessor
        private final ToDoubleFunction<Verdict> ratio;

        Measure(String words, double slack, ToDoubleFunction<Verdict> ratio) {
            this.words = words;
            this.slack = slack;
            this.ratio = ratio;
        }

        /** A moment of a young program. */
        Measure(int millis) {
            this("done by " + Milestones.words(millis), Double.NaN, verdict -> verdict.start.judged(millis));
        }

        private double of(Verdict verdict) {
            return ratio.applyAsDouble(verdict);
        }

        private boolean isKnownOf(Verdict verdict) {
            return Double.isFinite(of(verdict));
        }

        private boolean isWorseIn(Verdict verdict) {
            return of(verdict) < (Double.isNaN(slack) ? verdict.start.must : 1 / slack);
        }

        /** As {@code p99 3.10x as long}. */
        private String told(Verdict verdict) {
            double ratio = of(verdict);
            return switch (this) {
                case P50, P99 -> words + " " + Quantity.times(1 / ratio) + " as long";
                case RATE -> Quantity.times(ratio) + " the rate";
                case CPU -> Quantity.times(1 / ratio) + " the CPU time";
                case BY_1_S, BY_2_S, BY_4_S, BY_10_S -> Quantity.times(ratio) + " " + words;
            };
        }
    }

    /**
     * Compares rounds; the two sides of each round were measured one right after the other: the median of their ratios, or
     * the worst of them if either side was bimodal.
     *
     * @param rateGiven whether the case itself sets the number of operations a second
     */
    static Verdict of(List<Figures> seen, List<Figures> kernel, boolean rateGiven) {
        boolean bimodal = Bimodal.are(seen) || Bimodal.are(kernel);
        return new Verdict(
                1 / ratio(seen, kernel, bimodal, Figures::p50Micros, true),
                1 / ratio(seen, kernel, bimodal, Figures::p99Micros, true),
                rateGiven ? Double.NaN : ratio(seen, kernel, bimodal, Figures::messagesPerSecond, false),
                1 / ratio(seen, kernel, bimodal, Figures::cpuMicrosPerOp, true));
    }

    /** Like {@link #of}, for programs that are measured from their start on: the medians of the rounds' ratios. */
    static Verdict ofStart(Milestones at, List<Figures> seen, List<Figures> kernel, String profile) {
        double nan = Double.NaN;
        List<Double> ratios = at.millis.stream()
                .map(millis -> Figures.median(ratios(seen, kernel, Young.doneBy(millis))))
                .toList();
        return new Verdict(
                nan,
                nan,
                nan,
                1 / Figures.median(ratios(seen, kernel, Figures::cpuMicrosPerOp)),
                new Start(at, ratios, at.must(profile), Figures.median(Progress.reached(seen, kernel))));
    }

    /** The ratio of each round. */
    static double[] ratios(List<Figures> seen, List<Figures> kernel, ToDoubleFunction<Figures> of) {
        return IntStream.range(0, Math.min(seen.size(), kernel.size()))
                .mapToDouble(round -> of.applyAsDouble(seen.get(round)) / of.applyAsDouble(kernel.get(round)))
                .toArray();
    }

    private static double ratio(
            List<Figures> seen, List<Figures> kernel, boolean bimodal, ToDoubleFunction<Figures> of, boolean longer) {
        double[] ratios = ratios(seen, kernel, of);
        if (!bimodal) {
            return Figures.median(ratios);
        }
        return longer
                ? Arrays.stream(ratios).max().orElse(Double.NaN)
                : Arrays.stream(ratios).min().orElse(Double.NaN);
    }

    /** The figure that compares worst; empty if none compares. */
    Optional<Measure> worstMeasure() {
        return Arrays.stream(Measure.values())
                .filter(measure -> measure.isKnownOf(this))
                .min(Comparator.comparingDouble(measure -> measure.of(this)));
    }

    /** The ratio of that figure; NaN if none compares. */
    double worst() {
        return worstMeasure().map(measure -> measure.of(this)).orElse(Double.NaN);
    }

    /** Whether operations take longer, or are fewer, than the kernel's by more than counts as the same. */
    boolean isSlower() {
        return Arrays.stream(Measure.values()).anyMatch(measure -> measure != Measure.CPU && measure.isWorseIn(this));
    }

    /** Whether anything is worse, even the CPU time alone. */
    boolean isWorse() {
        return isSlower() || Measure.CPU.isWorseIn(this);
    }

    /** Whether no figure is worse at all. */
    boolean isBetter() {
        return worst() >= 1;
    }

    /** In plain words; empty if there is nothing to compare with. */
    String words() {
        Optional<Measure> worst = worstMeasure();
        if (worst.isEmpty()) {
            return "";
        }
        if (isWorse()) {
            String all = Arrays.stream(Measure.values())
                    .filter(measure -> measure.isWorseIn(this))
                    .map(measure -> measure.told(this))
                    .collect(Collectors.joining(", "));
            return (isSlower() ? "slower: " : "not slower, but takes ") + all;
        }
        if (!isBetter()) {
            return "about the same: " + worst.get().told(this);
        }
        return Quantity.times(worst()) + " better, by the worst figure (" + worst.get().words + ")";
    }
}
