// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.cli;

import java.util.Locale;

/** Amounts for people, in few characters. */
final class Quantity {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;

    private Quantity() {}

    static String bytes(long bytes) {
        return scaled(bytes, 1024, "B", "KiB", "MiB", "GiB", "TiB");
    }

    static String count(long count) {
        return scaled(count, 1000, "", "k", "M", "G", "T");
    }

    static String share(long part, long whole) {
        return whole == 0 ? "-" : String.format(Locale.ROOT, "%.1f%%", 100.0 * part / whole);
    }

    private static String scaled(long value, int step, String... units) {
        double scaled = value;
        int unit = 0;
        while (scaled >= step && unit < units.length - 1) {
            scaled /= step;
            unit++;
        }
        return unit == 0 ? value + units[0] : String.format(Locale.ROOT, "%.1f%s", scaled, units[unit]);
    }

    /** Returns a duration in its largest unit with tenths, or in its two largest units; nothing is rounded up. */
    static String duration(long nanos) {
        if (nanos < MILLI) {
            return nanos == 0 ? "0" : nanos / 1_000 + " us";
        }
        if (nanos < SECOND) {
            return tenths(nanos, MILLI) + " ms";
        }
        long seconds = nanos / SECOND;
        if (seconds < 60) {
            return tenths(nanos, SECOND) + " s";
        }
        long minutes = seconds / 60;
        if (minutes < 60) {
            return minutes + " min" + (seconds % 60 == 0 ? "" : " " + seconds % 60 + " s");
        }
        long hours = minutes / 60;
        if (hours < 24) {
            return hours + " h" + (minutes % 60 == 0 ? "" : " " + minutes % 60 + " min");
        }
        return hours / 24 + " d" + (hours % 24 == 0 ? "" : " " + hours % 24 + " h");
    }

    private static String tenths(long nanos, long unit) {
        return nanos / unit + "." + nanos % unit / (unit / 10);
    }
}
