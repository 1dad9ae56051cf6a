// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The first seconds of two programs that were started at the same time. In a case that does not measure them everything is unknown.
 *
 * @param done how many operations had ended by each of {@link #MOMENTS}; empty if unknown
 * @param cpuSeconds processor time of both processes, from their start to the last moment; NaN if unknown, as with those that follow
 * @param classes the classes that both had loaded by then
 * @param methods the methods and loops that their just-in-time compilers had compiled
 * @param bytecode the bytes of bytecode that these have
 * @param compilerSeconds processor time of the compilers
 */
record Young(
        List<Double> done, double cpuSeconds, double classes, double methods, double bytecode, double compilerSeconds) {
    /** Milliseconds after the start. */
    static final List<Integer> MOMENTS = List.of(500, 1000, 2000, 4000);

    /** From this moment on a program with Accel must have done about as much as one without. */
    static final int FIRST_JUDGED = 1;

    static final Young NONE = new Young(List.of(), Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);

    private static final double MUST = 0.95;
    private static final double MUST_LATENCY = 0.90;

    Young {
        done = List.copyOf(done);
    }

    boolean isKnown() {
        return !done.isEmpty();
    }

    /** The operations of a round by the moment of that number. */
    static ToDoubleFunction<Figures> doneBy(int moment) {
        return round -> round.extra().young().done(moment);
    }

    /** The operations by the moment of that number; NaN if unknown. */
    double done(int moment) {
        return isKnown() ? done.get(moment) : Double.NaN;
    }

    /** The part of the operations without Accel that a program with that profile must have done. */
    static double must(String profile) {
        return profile.equals("latency") ? MUST_LATENCY : MUST;
    }

    /** As {@code 0.5 s}. */
    static String moment(int moment) {
        int millis = MOMENTS.get(moment);
        return (millis % 1000 == 0 ? Integer.toString(millis / 1000) : Double.toString(millis / 1e3)) + " s";
    }

    /** Of each figure the median. */
    static Young median(List<Young> rounds) {
        if (rounds.isEmpty() || rounds.stream().anyMatch(round -> !round.isKnown())) {
            return NONE;
        }
        List<Double> done = new ArrayList<>();
        for (int i = 0; i < MOMENTS.size(); i++) {
            int moment = i;
            done.add(median(rounds, round -> round.done(moment)));
        }
        return new Young(
                done,
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
        double all = done(MOMENTS.size() - 1);
        double seconds = MOMENTS.get(MOMENTS.size() - 1) / 1e3;
        return new Figures(
                nan,
                nan,
                nan,
                all / seconds,
                nan,
                nan,
                all > 0 ? cpuSeconds * 1e6 / all : nan,
                nan,
                Extra.NONE.with(this));
    }

    /** As {@code by 0.5 s 1.02k, 1 s 25.9k}. */
    String words() {
        StringBuilder words = new StringBuilder("by ");
        for (int i = 0; i < MOMENTS.size(); i++) {
            words.append(i == 0 ? "" : ", ")
                    .append(moment(i))
                    .append(' ')
                    .append(Quantity.scaled(done(i)).replace(" ", ""));
        }
        return words.toString();
    }
}
