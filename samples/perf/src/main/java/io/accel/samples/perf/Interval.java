// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.Arrays;
import java.util.Locale;

/**
 * An estimate of the true ratio from the ratios of rounds: their geometric mean, and the interval in which it lies with a confidence
 * of 95 %, by Student's distribution of their logarithms. NaN if there are no ratios; with one round the bounds are NaN.
 *
 * @param mean the geometric mean
 * @param low the lower bound
 * @param high the upper bound
 */
record Interval(double mean, double low, double high) {
    /** Student's t for 95 %, two-sided, by degrees of freedom from 1 on; the last value is of the normal distribution. */
    private static final double[] STUDENT = {
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 1.960
    };

    static Interval of(double... ratios) {
        double[] logs = Arrays.stream(ratios).map(Math::log).toArray();
        double mean = Arrays.stream(logs).average().orElse(Double.NaN);
        if (logs.length < 2) {
            return new Interval(Math.exp(mean), Double.NaN, Double.NaN);
        }
        double squares =
                Arrays.stream(logs).map(log -> (log - mean) * (log - mean)).sum();
        double student = STUDENT[Math.min(logs.length - 1, STUDENT.length) - 1];
        double margin = student * Math.sqrt(squares / (logs.length - 1) / logs.length);
        return new Interval(Math.exp(mean), Math.exp(mean - margin), Math.exp(mean + margin));
    }

    /** As {@code 1.03x (0.99 to 1.07)}. */
    String words() {
        return String.format(Locale.ROOT, "%.2fx", mean)
                + (Double.isNaN(low) ? "" : String.format(Locale.ROOT, " (%.2f to %.2f)", low, high));
    }
}
