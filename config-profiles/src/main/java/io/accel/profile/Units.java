// SPDX-License-Identifier: Apache-2.0
package io.accel.profile;

import java.math.BigDecimal;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Numbers with a unit behind them: {@code 64KiB}, {@code 1.5ms}. Units are case-sensitive. */
enum Units {
    SIZE("B", "bytes", "64KiB"),
    DURATION("ns", "nanoseconds", "50us");

    /** As many digits fit a {@code long} in any case. */
    private static final int FEW_DIGITS = 18;

    private final String base;
    private final String baseName;
    private final String example;

    Units(String base, String baseName, String example) {
        this.base = base;
        this.baseName = baseName;
        this.example = example;
    }

    /** The units' names and their values in the base unit, smallest first. */
    private Map<String, Long> scales() {
        Map<String, Long> scales = new LinkedHashMap<>();
        scales.put(base, 1L);
        if (this == SIZE) {
            scales.put("KiB", 1L << 10);
            scales.put("MiB", 1L << 20);
            scales.put("GiB", 1L << 30);
        } else {
            scales.put("us", 1_000L);
            scales.put("ms", 1_000_000L);
            scales.put("s", 1_000_000_000L);
            scales.put("min", 60_000_000_000L);
            scales.put("h", 3_600_000_000_000L);
        }
        return scales;
    }

    String names() {
        return String.join(", ", scales().keySet());
    }

    /**
     * Reads a quantity in the base unit (bytes, nanoseconds).
     *
     * @throws BadValueException if the text is no number, has no known unit, is no whole number of the base unit, or
     * does not fit a {@code long}
     */
    long parse(String text) throws BadValueException {
        int end = endOfDigits(text, 0);
        if (end == 0 || end > FEW_DIGITS || text.startsWith(".", end)) {
            return Fraction.parse(this, text);
        }
        long number = Long.parseLong(text.substring(0, end));
        long scale = scale(text.substring(end).strip(), text, number == 0);
        if (number > Long.MAX_VALUE / scale) {
            throw new BadValueException("out of range");
        }
        return number * scale;
    }

    /** Numbers with a decimal point, and very long ones. A class of its own, since most texts do without what it needs. */
    private static final class Fraction {
        private static final BigDecimal LONG_MAX = BigDecimal.valueOf(Long.MAX_VALUE);

        static long parse(Units units, String text) throws BadValueException {
            int end = 0;
            while (endOfDigits(text, end) > end || text.startsWith(".", end)) {
                end++;
            }
            BigDecimal number = number(text, end);
            long scale = units.scale(text.substring(end).strip(), text, number.signum() == 0);
            BigDecimal amount = number.multiply(BigDecimal.valueOf(scale));
            if (amount.compareTo(LONG_MAX) > 0) {
                throw new BadValueException("out of range");
            }
            if (amount.stripTrailingZeros().scale() > 0) {
                throw new BadValueException("not a whole number of " + units.baseName);
            }
            return amount.longValueExact();
        }

        private static BigDecimal number(String text, int end) throws BadValueException {
            try {
                return new BigDecimal(text.substring(0, end));
            } catch (NumberFormatException e) {
                throw new BadValueException("does not start with a number");
            }
        }
    }

    private long scale(String unit, String text, boolean isZero) throws BadValueException {
        Map<String, Long> scales = scales();
        if (unit.isEmpty()) {
            // A bare number of bytes is usual; a bare number of "time" is a guess, except for none at all.
            if (this == SIZE || isZero) {
                return 1;
            }
            throw new BadValueException("'" + text + "' has no unit, write for example '" + example + "'");
        }
        Long scale = scales.get(unit);
        if (scale == null) {
            throw new BadValueException("unknown unit '" + unit + "'" + hint(unit, scales.keySet()));
        }
        return scale;
    }

    /**
     * Units are too short for spelling mistakes: the intended unit mostly begins the same, as in {@code 64K} or {@code
     * 5sec}.
     */
    private static String hint(String unit, Set<String> names) {
        return names.stream()
                .filter(name -> commonPrefix(name, unit) > 0)
                .max(Comparator.comparingInt((String name) -> commonPrefix(name, unit))
                        .thenComparing(Comparator.comparingInt((String name) -> NearestName.distance(name, unit))
                                .reversed()))
                .map(name -> "; did you mean '" + name + "'?")
                .orElse("");
    }

    private static int commonPrefix(String a, String b) {
        int length = 0;
        while (length < Math.min(a.length(), b.length()) && a.regionMatches(true, length, b, length, 1)) {
            length++;
        }
        return length;
    }

    /** Writes an amount of the base unit in the largest unit that divides it. */
    String render(long amount) {
        if (amount == 0) {
            return "0";
        }
        String best = base;
        long worth = 1;
        for (Map.Entry<String, Long> unit : scales().entrySet()) {
            if (amount % unit.getValue() == 0) {
                best = unit.getKey();
                worth = unit.getValue();
            }
        }
        return amount / worth + best;
    }

    /**
     * Whether a text has one decimal digit or more from an index on, and nothing else. A process that starts would pay some milliseconds for
     * a regular expression instead.
     */
    static boolean areDigits(String text, int from) {
        return from < text.length() && endOfDigits(text, from) == text.length();
    }

    /** The index of the first character from an index on that is no digit; the text's length if there is none. */
    static int endOfDigits(String text, int from) {
        int end = from;
        while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
            end++;
        }
        return end;
    }
}
