// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The result of a measurement. A figure that the case does not have is NaN.
 *
 * @param p50Micros median time of an operation in microseconds
 * @param p99Micros its 99th percentile
 * @param p999Micros its 99.9th percentile
 * @param messagesPerSecond operations a second: round trips, or messages one way
 * @param bytesPerSecond payload a second, one way
 * @param allocatedPerOp bytes of heap an operation that both ends' programs allocated
 * @param cpuMicrosPerOp CPU time in microseconds an operation that both ends' processes used; if there are no
 *     operations, a second of time
 * @param lostShare the part of the sent datagrams that did not arrive, where that is possible
 * @param extra the figures that only some cases measure
 */
record Figures(
        double p50Micros,
        double p99Micros,
        double p999Micros,
        double messagesPerSecond,
        double bytesPerSecond,
        double allocatedPerOp,
        double cpuMicrosPerOp,
        double lostShare,
        Extra extra) {

    /** For cases where nothing can be lost. */
    Figures(
            double p50Micros,
            double p99Micros,
            double p999Micros,
            double messagesPerSecond,
            double bytesPerSecond,
            double allocatedPerOp,
            double cpuMicrosPerOp) {
        this(
                p50Micros,
                p99Micros,
                p999Micros,
                messagesPerSecond,
                bytesPerSecond,
                allocatedPerOp,
                cpuMicrosPerOp,
                Double.NaN,
                Extra.NONE);
    }

    /** Nothing was measured. */
    static Figures unknown() {
        double nan = Double.NaN;
        return new Figures(nan, nan, nan, nan, nan, nan, nan);
    }

    /** For each figure the median of {@code rounds}. */
    static Figures median(List<Figures> rounds) {
        return new Figures(
                median(rounds, Figures::p50Micros),
                median(rounds, Figures::p99Micros),
                median(rounds, Figures::p999Micros),
                median(rounds, Figures::messagesPerSecond),
                median(rounds, Figures::bytesPerSecond),
                median(rounds, Figures::allocatedPerOp),
                median(rounds, Figures::cpuMicrosPerOp),
                median(rounds, Figures::lostShare),
                Extra.median(rounds.stream().map(Figures::extra).toList()));
    }

    /** The least time and the highest rate of {@code rounds}: the best values of a limit whose rounds were disturbed. */
    static Figures best(List<Figures> rounds) {
        double nan = Double.NaN;
        return new Figures(
                rounds.stream().mapToDouble(Figures::p50Micros).min().orElse(nan),
                nan,
                nan,
                rounds.stream().mapToDouble(Figures::messagesPerSecond).max().orElse(nan),
                rounds.stream().mapToDouble(Figures::bytesPerSecond).max().orElse(nan),
                nan,
                nan);
    }

    private static double median(List<Figures> rounds, ToDoubleFunction<Figures> figure) {
        return median(rounds.stream().mapToDouble(figure).toArray());
    }

    /** The median; NaN if there is no value or one of them is NaN. */
    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted); // NaN comes last
        if (sorted.length == 0 || Double.isNaN(sorted[sorted.length - 1])) {
            return Double.NaN;
        }
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
