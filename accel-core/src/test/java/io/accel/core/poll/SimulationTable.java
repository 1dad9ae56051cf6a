// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** The tables of docs/BENCHMARKS.md that say how looking compares with sleeping in simulated machines. */
final class SimulationTable {
    private SimulationTable() {}

    /** The settings that go together. Each is of the first kind that it fits. */
    private enum Kind {
        QUOTA("a quota", setting -> setting.quota() > 0),
        HOGS("busy loops besides", setting -> setting.hogs() > 0),
        MANY("more threads than cores", setting -> 2 * setting.pairs() > setting.cores()),
        ALONE("a core for each thread", setting -> true);

        final String words;

        @SuppressWarnings("ImmutableEnumChecker") // has no state
        final Predicate<SimulatedMachine.Setting> fits;

        Kind(String words, Predicate<SimulatedMachine.Setting> fits) {
            this.words = words;
            this.fits = fits;
        }

        static Kind of(SimulatedMachine.Setting setting) {
            return Arrays.stream(values())
                    .filter(kind -> kind.fits.test(setting))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** The settings of each kind by their rates, and their p99. */
    static String ofKinds(List<SimulatedComparison> all, long... spins) {
        List<String> lines = new ArrayList<>();
        lines.add(
                "| setting | looks for | settings | rate below 0.8 | 0.8 to 0.9 | 0.9 to 1.1 | above 1.1 | median | least"
                        + " | p99: median | in nine of ten at most |");
        lines.add("|---|---|---|---|---|---|---|---|---|---|---|");
        for (Kind kind : new Kind[] {Kind.ALONE, Kind.MANY, Kind.HOGS, Kind.QUOTA}) {
            for (long spin : spins) {
                List<SimulatedComparison> some = all.stream()
                        .filter(each -> Kind.of(each.setting()) == kind && each.spinNanos() == spin)
                        .toList();
                if (!some.isEmpty()) {
                    lines.add(row(spin == spins[0] ? kind.words : "", spin, some));
                }
            }
        }
        return String.join("\n", lines);
    }

    private static String row(String words, long spin, List<SimulatedComparison> some) {
        double[] rates = sorted(some, SimulatedComparison::rate);
        double[] p99s = sorted(some, SimulatedComparison::p99);
        return String.format(
                Locale.ROOT,
                "| %s | %s | %d | %d | %d | %d | %d | %.2f | %.2f | %.2f | %.2f |",
                words,
                time(spin),
                rates.length,
                between(rates, 0, 0.8),
                between(rates, 0.8, 0.9),
                between(rates, 0.9, 1.1),
                between(rates, 1.1, Double.POSITIVE_INFINITY),
                rates[rates.length / 2],
                rates[0],
                p99s[p99s.length / 2],
                p99s[p99s.length * 9 / 10]);
    }

    /** A setting in each row, with room for a real machine's result. */
    static String ofNamed(List<String> names, List<SimulatedComparison> each) {
        List<String> lines = new ArrayList<>();
        lines.add("| setting | looks for | rate, simulated | measured | CPU an operation, simulated | measured |");
        lines.add("|---|---|---|---|---|---|");
        for (int i = 0; i < names.size(); i++) {
            SimulatedComparison one = each.get(i);
            lines.add(String.format(
                    Locale.ROOT,
                    "| %s | %s | %.2f | - | %.2f | - |",
                    names.get(i),
                    time(one.spinNanos()),
                    one.rate(),
                    one.cpu()));
        }
        return String.join("\n", lines);
    }

    private static String time(long nanos) {
        return nanos < 1_000_000_000 ? nanos / 1_000 + " us" : nanos / 1_000_000_000 + " s";
    }

    private static double[] sorted(List<SimulatedComparison> some, ToDoubleFunction<SimulatedComparison> figure) {
        return some.stream().mapToDouble(figure).sorted().toArray();
    }

    private static long between(double[] figures, double from, double to) {
        return Arrays.stream(figures)
                .filter(figure -> figure >= from && figure < to)
                .count();
    }
}
