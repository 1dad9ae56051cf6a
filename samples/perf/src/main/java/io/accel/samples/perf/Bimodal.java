// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Rounds that differ so much that they are of two kinds: something that the case does not control made them one or the
 * other, and nobody will ever see a value between the two. They are not averaged; the worst of them stands for all.
 */
final class Bimodal {
    /** How many times the least the largest may be. */
    private static final double MOST = 2;

    private Bimodal() {}

    /**
     * Whether {@code rounds} are of two kinds: by rate, by median time, or by CPU time where nothing happens. Rounds of programs that just begin
     * are always far apart, and their ranges are shown.
     */
    static boolean are(List<Figures> rounds) {
        if (rounds.stream().anyMatch(round -> round.extra().young().isKnown())) {
            return false;
        }
        boolean idle = rounds.stream().allMatch(round -> round.messagesPerSecond() == 0);
        return differ(rounds, Figures::messagesPerSecond)
                || differ(rounds, Figures::p50Micros)
                || (idle && differ(rounds, Figures::cpuMicrosPerOp));
    }

    private static boolean differ(List<Figures> rounds, ToDoubleFunction<Figures> figure) {
        double least = rounds.stream().mapToDouble(figure).min().orElse(Double.NaN);
        double largest = rounds.stream().mapToDouble(figure).max().orElse(Double.NaN);
        return largest > MOST * least;
    }

    /** The figures that stand for {@code rounds}: the median of each, or the worst round if the rounds are of two kinds. */
    static Figures represent(List<Figures> rounds) {
        return are(rounds) ? worst(rounds) : Figures.median(rounds);
    }

    private static Figures worst(List<Figures> rounds) {
        if (differ(rounds, Figures::messagesPerSecond)) {
            return rounds.stream()
                    .min(Comparator.comparingDouble(Figures::messagesPerSecond))
                    .orElseThrow();
        }
        ToDoubleFunction<Figures> figure =
                differ(rounds, Figures::p50Micros) ? Figures::p50Micros : Figures::cpuMicrosPerOp;
        return rounds.stream().max(Comparator.comparingDouble(figure)).orElseThrow();
    }

    /** Their range, as {@code bimodal (8.13k to 33.0k/s)}. They must be of two kinds. */
    static String words(List<Figures> rounds) {
        if (differ(rounds, Figures::messagesPerSecond)) {
            return "bimodal ("
                    + range(rounds, Figures::messagesPerSecond, value -> Quantity.scaled(value)
                            .replace(" ", "")) + "/s)";
        }
        ToDoubleFunction<Figures> figure =
                differ(rounds, Figures::p50Micros) ? Figures::p50Micros : Figures::cpuMicrosPerOp;
        return "bimodal (" + range(rounds, figure, Quantity::micros) + " us)";
    }

    private interface Words {
        String of(double value);
    }

    private static String range(List<Figures> rounds, ToDoubleFunction<Figures> figure, Words words) {
        return words.of(rounds.stream().mapToDouble(figure).min().orElseThrow()) + " to "
                + words.of(rounds.stream().mapToDouble(figure).max().orElseThrow());
    }
}
