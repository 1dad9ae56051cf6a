// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.Locale;

/** Numbers for people: three digits that count. NaN is a dash. */
final class Quantity {
    private static final String[] PREFIXES = {"", "k", "M", "G", "T"};
    private static final String NONE = "-";

    private Quantity() {}

    /** A rate or amount with a decimal prefix and a blank before it: {@code 1.62 G}. */
    static String scaled(double value) {
        if (Double.isNaN(value)) {
            return NONE;
        }
        int prefix = 0;
        double scaled = value;
        while (scaled >= 999.5 && prefix < PREFIXES.length - 1) {
            scaled /= 1000;
            prefix++;
        }
        return prefix == 0 && value == Math.rint(value)
                ? String.format(Locale.ROOT, "%.0f ", value)
                : digits(scaled) + " " + PREFIXES[prefix];
    }

    /** Microseconds, without a prefix, so that a column compares at a glance. */
    static String micros(double value) {
        return Double.isNaN(value) ? NONE : digits(value);
    }

    /** A factor: {@code 31.2x}. */
    static String times(double value) {
        return Double.isNaN(value) || Double.isInfinite(value) ? NONE : digits(value) + "x";
    }

    /** Per cent: {@code 12.5%}. */
    static String share(double value) {
        return Double.isNaN(value) ? NONE : digits(value * 100) + "%";
    }

    private static String digits(double value) {
        double size = Math.abs(value);
        String format = size >= 99.95 ? "%.0f" : size >= 9.995 ? "%.1f" : size >= 0.9995 || size == 0 ? "%.2f" : "%.3f";
        return String.format(Locale.ROOT, format, value);
    }
}
