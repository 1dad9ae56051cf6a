// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The operations of young programs from their start on, in slices of a quarter of a second.
 *
 * @param done how many had ended by the end of each slice; empty if unknown
 */
record Progress(List<Double> done) {
    static final Progress NONE = new Progress(List.of());

    static final int SLICE_MILLIS = 250;

    /** A program is as warm as it gets in this last part of a round, if the round is twice as long. */
    private static final int WARM_MILLIS = 5000;

    /** A rate is reached in a window of this length: a shorter one has it by chance. */
    private static final int WINDOW_MILLIS = 1000;

    /** The part of the rate that counts as all of it. */
    private static final double ENOUGH = 0.95;

    Progress {
        done = List.copyOf(done);
    }

    /** The ends of the slices of a round of that length, in milliseconds, with commas. */
    static String slices(int millis) {
        return IntStream.rangeClosed(1, millis / SLICE_MILLIS)
                .mapToObj(slice -> Integer.toString(slice * SLICE_MILLIS))
                .collect(Collectors.joining(","));
    }

    /** Of each slice the median of rounds that are equally long. */
    static Progress median(List<Progress> rounds) {
        return new Progress(IntStream.range(0, rounds.get(0).done.size())
                .mapToObj(slice -> Figures.median(rounds.stream()
                        .mapToDouble(round -> round.done.get(slice))
                        .toArray()))
                .toList());
    }

    /** The operations by a moment, which is the end of a slice; NaN if it is none that was looked at. */
    double by(int millis) {
        int slices = millis / SLICE_MILLIS;
        return slices == 0 ? 0 : slices <= done.size() ? done.get(slices - 1) : Double.NaN;
    }

    private int length() {
        return done.size() * SLICE_MILLIS;
    }

    /** Operations a second at the end of the round; NaN if it is too short for that. */
    double warmRate() {
        return length() < 2 * WARM_MILLIS ? Double.NaN : rate(length(), WARM_MILLIS);
    }

    /** Operations a second in a window of time that ends at a moment. */
    private double rate(int end, int window) {
        return (by(end) - by(end - window)) * 1e3 / window;
    }

    /** Seconds from the start to the end of the first second with that rate, or almost; infinite if there is none, NaN if that rate is unknown or 0. */
    double reaches(double rate) {
        if (!(rate > 0)) {
            return Double.NaN;
        }
        for (int end = WINDOW_MILLIS; end <= length(); end += SLICE_MILLIS) {
            if (rate(end, WINDOW_MILLIS) >= ENOUGH * rate) {
                return end / 1e3;
            }
        }
        return Double.POSITIVE_INFINITY;
    }

    /** For each round how long it took to come to the rate that the same round without Accel had when it was warm. */
    static double[] reached(List<Figures> seen, List<Figures> kernel) {
        return IntStream.range(0, Math.min(seen.size(), kernel.size()))
                .mapToDouble(round ->
                        of(seen.get(round)).reaches(of(kernel.get(round)).warmRate()))
                .toArray();
    }

    private static Progress of(Figures round) {
        return round.extra().young().progress();
    }
}
