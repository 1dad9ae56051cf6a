// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

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
        for (int i = 0; i < Young.MOMENTS.size(); i++) {
            double[] done = row.rounds().stream().mapToDouble(Young.doneBy(i)).toArray();
            words.append(i == 0 ? " by " : ", by ")
                    .append(Young.moment(i))
                    .append(' ')
                    .append(words(done, YoungNotes::compact));
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
        List<String> missed = new ArrayList<>();
        Verdict.Start start = row.vsKernel().start();
        for (int i = 0; i < Young.MOMENTS.size(); i++) {
            double[] ratios = Verdict.ratios(row.rounds(), stock.rounds(), Young.doneBy(i));
            words.append(i == 0 ? " by " : ", by ")
                    .append(Young.moment(i))
                    .append(' ')
                    .append(words(ratios, Quantity::times));
            if (start.misses(i)) {
                missed.add(Young.moment(i));
            }
        }
        return words.append("; must be ")
                .append(Quantity.times(start.must()))
                .append(" from ")
                .append(Young.moment(Young.FIRST_JUDGED))
                .append(" on: ")
                .append(answer(start, missed))
                .toString();
    }

    private static String answer(Verdict.Start start, List<String> missed) {
        if (!missed.isEmpty()) {
            return "it is not, by " + String.join(", ", missed) + '.';
        }
        boolean known = IntStream.range(Young.FIRST_JUDGED, Young.MOMENTS.size())
                .noneMatch(moment -> Double.isNaN(start.by(moment)));
        return known ? "it is." : "unknown, since nothing was done without Accel either.";
    }

    private interface Words {
        String of(double value);
    }

    /** The median, and where there are several rounds the least and the largest. */
    private static String words(double[] values, Words words) {
        String median = words.of(Figures.median(values));
        if (values.length < 2) {
            return median;
        }
        return median + " (" + words.of(Arrays.stream(values).min().orElseThrow()) + " to "
                + words.of(Arrays.stream(values).max().orElseThrow()) + ')';
    }

    private static String compact(double value) {
        return Quantity.scaled(value).replace(" ", "");
    }
}
