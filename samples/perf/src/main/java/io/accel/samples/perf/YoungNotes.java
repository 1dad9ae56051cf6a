// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Sentences about the first seconds of programs: how far their rounds are apart, and which of them do not do what they must. */
final class YoungNotes {
    private YoungNotes() {}

    /** A sentence for each row of a young program: without Accel its operations, with Accel their ratio to those. */
    static List<String> of(Result result) {
        List<String> notes = new ArrayList<>();
        for (Row row : result.rows()) {
            if (row.figures().extra().young().isKnown()) {
                result.rows().stream()
                        .filter(other -> other.benchCase().equals(row.benchCase())
                                && other.profile().equals("none"))
                        .findFirst()
                        .map(stock -> stock.equals(row) ? ofStock(row) : ofAccel(row, stock))
                        .ifPresent(notes::add);
            }
        }
        return notes;
    }

    private static String ofStock(Row row) {
        StringBuilder words = new StringBuilder(row.benchCase()).append(", without Accel: operations");
        String before = " by ";
        for (int millis : row.figures().extra().young().at().millis) {
            double[] done =
                    row.rounds().stream().mapToDouble(Young.doneBy(millis)).toArray();
            words.append(before).append(Milestones.words(millis)).append(' ').append(words(done, YoungNotes::compact));
            before = ", by ";
        }
        double[] warm = row.rounds().stream()
                .mapToDouble(round -> round.extra().young().progress().warmRate())
                .toArray();
        if (Figures.median(warm) > 0) {
            words.append("; a second at the end ")
                    .append(words(warm, YoungNotes::compact))
                    .append(", first so fast: ")
                    .append(reached(row, row));
        }
        return words.append('.').toString();
    }

    private static String ofAccel(Row row, Row stock) {
        StringBuilder words = new StringBuilder(row.benchCase())
                .append(", ")
                .append(row.path())
                .append(' ')
                .append(row.profile())
                .append(": times the operations without Accel");
        Verdict.Start start = row.vsKernel().start();
        String before = " by ";
        for (int millis : start.at().millis) {
            double[] ratios = Verdict.ratios(row.rounds(), stock.rounds(), Young.doneBy(millis));
            words.append(before).append(Milestones.words(millis)).append(' ').append(words(ratios, Quantity::times));
            before = ", by ";
        }
        if (!Double.isNaN(start.reachedSeconds())) {
            words.append("; first as fast as without Accel at the end: ").append(reached(row, stock));
        }
        return words.append("; must be ")
                .append(Quantity.times(start.must()))
                .append(start.at().judged().size() > 1 ? " from " : " by ")
                .append(Milestones.words(start.at().firstJudged))
                .append(start.at().judged().size() > 1 ? " on: " : ": ")
                .append(answer(start))
                .toString();
    }

    private static String answer(Verdict.Start start) {
        String missed = start.at().judged().stream()
                .filter(start::misses)
                .map(Milestones::words)
                .collect(Collectors.joining(", "));
        if (!missed.isEmpty()) {
            return "it is not, by " + missed + '.';
        }
        boolean known = start.at().judged().stream().allMatch(millis -> Double.isFinite(start.by(millis)));
        return known ? "it is." : "unknown, since nothing was done without Accel either.";
    }

    private static String reached(Row row, Row stock) {
        return words(
                Progress.reached(row.rounds(), stock.rounds()),
                value -> seconds(value) + (Double.isFinite(value) ? " s" : ""));
    }

    /** Seconds until something happened; infinite if it did not within the round. */
    static String seconds(double value) {
        return Double.isInfinite(value) ? "never" : Quantity.micros(value);
    }

    private interface Words {
        String of(double value);
    }

    /** The median, and where there are several rounds the least and the largest. */
    private static String words(double[] values, Words words) {
        double median = Figures.median(values);
        if (values.length < 2 || Double.isNaN(median)) {
            return words.of(median);
        }
        return words.of(median) + " (" + words.of(Arrays.stream(values).min().orElseThrow()) + " to "
                + words.of(Arrays.stream(values).max().orElseThrow()) + ')';
    }

    private static String compact(double value) {
        return Quantity.scaled(value).replace(" ", "");
    }
}
