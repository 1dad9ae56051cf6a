// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.ArrayList;
import java.util.List;

/** Maps values to places on an axis, equal ratios to equal distances. */
record LogScale(double low, double high, double from, double to) {
    private static final double[] STEPS = {1, 2, 5};

    /** Up to so many decades get marks at 1, 2 and 5; with more, only at 1. */
    private static final double FEW_DECADES = 2;

    /**
     * The scale from {@code from} to {@code to} whose ends are round numbers around {@code values}.
     *
     * @param values positive ones; the scale is of one decade if there are none
     */
    static LogScale around(double[] values, double from, double to) {
        double low = Double.POSITIVE_INFINITY;
        double high = Double.NEGATIVE_INFINITY;
        for (double value : values) {
            low = Math.min(low, value);
            high = Math.max(high, value);
        }
        return low > high ? new LogScale(1, 10, from, to) : new LogScale(below(low), above(high), from, to);
    }

    double place(double value) {
        return from + (to - from) * Math.log(value / low) / Math.log(high / low);
    }

    /** Round numbers from end to end, with room for each of them. */
    List<Double> ticks() {
        boolean few = Math.log10(high / low) <= FEW_DECADES;
        List<Double> ticks = new ArrayList<>();
        for (double decade = decade(low); decade <= high; decade *= 10) {
            for (double step : STEPS) {
                double tick = decade * step;
                if ((few || step == 1) && tick >= low * 0.999 && tick <= high * 1.001) {
                    ticks.add(tick);
                }
            }
        }
        return ticks;
    }

    private static double decade(double value) {
        return Math.pow(10, Math.floor(Math.log10(value) + 1e-9));
    }

    private static double below(double value) {
        double decade = decade(value);
        double best = decade;
        for (double step : STEPS) {
            best = decade * step <= value ? decade * step : best;
        }
        return best;
    }

    /** Strictly above, so that the ends are never the same. */
    private static double above(double value) {
        double decade = decade(value);
        for (double step : STEPS) {
            if (decade * step > value) {
                return decade * step;
            }
        }
        return 10 * decade;
    }
}
