// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Sums up a comparison in a sentence, from its figures alone. The worst figure of each case in which Accel was compared decides. */
final class Sentence {
    private Sentence() {}

    /** A sentence about all cases, and one about each case and profile. */
    static String about(Result result) {
        List<Row> compared = compared(result);
        return compared.isEmpty() ? nothing(result) : counts(compared) + clauses(result, compared);
    }

    /** A sentence about all cases, with the best and the worst of them. */
    static String brief(Result result) {
        List<Row> compared = compared(result);
        if (compared.isEmpty()) {
            return nothing(result);
        }
        Comparator<Row> byWorst =
                Comparator.comparingDouble(row -> row.vsKernel().worst());
        Row best = compared.stream().max(byWorst).orElseThrow();
        Row worst = compared.stream().min(byWorst).orElseThrow();
        return counts(compared) + clauses(result, best.equals(worst) ? List.of(best) : List.of(worst, best));
    }

    private static List<Row> compared(Result result) {
        return result.rows().stream()
                .filter(row -> !row.profile().equals("none"))
                .filter(row -> row.vsKernel().worstMeasure().isPresent())
                .toList();
    }

    private static String counts(List<Row> compared) {
        long slower = compared.stream().filter(row -> row.vsKernel().isSlower()).count();
        long costlier = compared.stream()
                .filter(row -> row.vsKernel().isWorse() && !row.vsKernel().isSlower())
                .count();
        long better = compared.stream().filter(row -> row.vsKernel().isBetter()).count();
        List<String> counts = new ArrayList<>();
        add(counts, better, "better than the kernel's sockets");
        add(counts, compared.size() - better - slower - costlier, "about the same");
        add(counts, costlier, "not slower, but costlier");
        add(counts, slower, "slower");
        return "The same unmodified programs with Accel: "
                + (compared.size() == 1 ? "" : "of " + compared.size() + " comparisons ") + String.join(", ", counts)
                + ", by the worst of p50, p99, rate and CPU time.";
    }

    private static void add(List<String> counts, long count, String what) {
        if (count > 0) {
            counts.add(String.format(Locale.ROOT, "%,d %s", count, what));
        }
    }

    private static String clauses(Result result, List<Row> rows) {
        return rows.stream().map(row -> "\n" + clause(result, row)).collect(Collectors.joining());
    }

    private static String clause(Result result, Row row) {
        BarMeasure measure = BarMeasure.of(row);
        String title = Titles.of(row.benchCase());
        Optional<Row> kernel = result.rows().stream()
                .filter(other -> other.benchCase().equals(row.benchCase())
                        && other.profile().equals("none"))
                .findFirst();
        return "- " + (title.isEmpty() ? row.benchCase() : title) + " (" + row.path() + ", " + row.profile() + "): "
                + figure(measure, row)
                + kernel.map(other -> " instead of " + figure(measure, other)).orElse("")
                + ": " + row.words();
    }

    private static String figure(BarMeasure measure, Row row) {
        Figures figures = row.figures();
        return Double.isNaN(figures.p50Micros())
                ? measure.words(row)
                : measure.words(row) + ", p50 " + Quantity.micros(figures.p50Micros()) + " us, p99 "
                        + Quantity.micros(figures.p99Micros()) + " us";
    }

    private static String nothing(Result result) {
        return "Nothing was accelerated"
                + result.row(BenchCase.PINGPONG, Variant.KERNEL)
                        .map(row -> ": over the kernel's sockets a 64-byte round trip took "
                                + Quantity.micros(row.figures().p50Micros()) + " us")
                        .orElse("")
                + ".";
    }
}
