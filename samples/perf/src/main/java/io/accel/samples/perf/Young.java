// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The first seconds of two programs that were started at the same time. In a case that does not measure them everything is unknown.
 *
 * @param at the moments that are looked at
 * @param progress the operations
 * @param cpuSeconds processor time of both processes, from their start to the last of these moments; NaN if unknown, as with those that follow
 * @param classes the classes that both had loaded by then
 * @param methods the methods and loops that their just-in-time compilers had compiled
 * @param bytecode the bytes of bytecode that these have
 * @param compilerSeconds processor time of the compilers
 */
record Young(
        Milestones at,
        Progress progress,
        double cpuSeconds,
        double classes,
        double methods,
        double bytecode,
        double compilerSeconds) {
    static final Young NONE =
            new Young(Milestones.OF_BENCHES, Progress.NONE, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);

    /** The same with these operations. */
    Young with(Progress operations) {
        return new Young(at, operations, cpuSeconds, classes, methods, bytecode, compilerSeconds);
    }

    boolean isKnown() {
        return !Double.isNaN(done(at.last()));
    }

    /** The operations of a round by that moment. */
    static ToDoubleFunction<Figures> doneBy(int millis) {
        return round -> round.extra().young().done(millis);
    }

    /** The operations by one of the moments that are looked at; NaN if it is none, or unknown. */
    double done(int millis) {
        return at.millis.contains(millis) ? progress.by(millis) : Double.NaN;
    }

    /** Of each figure the median. */
    static Young median(List<Young> rounds) {
        if (rounds.isEmpty() || rounds.stream().anyMatch(round -> !round.isKnown())) {
            return NONE;
        }
        return new Young(
                rounds.get(0).at,
                Progress.median(rounds.stream().map(Young::progress).toList()),
                median(rounds, Young::cpuSeconds),
                median(rounds, Young::classes),
                median(rounds, Young::methods),
                median(rounds, Young::bytecode),
                median(rounds, Young::compilerSeconds));
    }

    private static double median(List<Young> rounds, ToDoubleFunction<Young> of) {
        return Figures.median(rounds.stream().mapToDouble(of).toArray());
    }

    /** The figures of a round of which nothing else is known. */
    Figures figures() {
        double nan = Double.NaN;
        double all = done(at.last());
        return new Figures(
                nan,
                nan,
                nan,
                all * 1e3 / at.last(),
                nan,
                nan,
                all > 0 ? cpuSeconds * 1e6 / all : nan,
                nan,
                Extra.NONE.with(this));
    }

    /** As {@code by 0.5 s 1.02k, 1 s 25.9k}. */
    String words() {
        StringBuilder words = new StringBuilder("by ");
        for (int millis : at.millis) {
            words.append(millis == at.millis.get(0) ? "" : ", ")
                    .append(Milestones.words(millis))
                    .append(' ')
                    .append(Quantity.scaled(done(millis)).replace(" ", ""));
        }
        return words.toString();
    }
}
