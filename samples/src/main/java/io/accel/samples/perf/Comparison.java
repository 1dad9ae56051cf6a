package io.accel.samples.perf;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Goes through rounds, cases and paths, one run at a time. Everything has its turn in each round, so that whatever else
 * the machine does meets all of it, the limits that it is compared with too; a row has the medians of its rounds. A run
 * that fails is recorded, and the others go on.
 */
final class Comparison {
    /** The machine's limits, which others' ratios need even where nobody asked to see them. */
    private static final Set<BenchCase> LIMITS = EnumSet.of(BenchCase.RAW, BenchCase.MEMCPY);

    private static final Duration LIMIT_MEASURE = Duration.ofMillis(300);

    private final JvmCommand jvm;
    private final Duration warmUp;
    private final Duration measure;
    private final int rounds;
    private final PrintStream progress;
    private final Map<BenchCase, Map<Variant, Series>> results = new EnumMap<>(BenchCase.class);
    private final List<String> failures = new ArrayList<>();

    /**
     * @param warmUp the longest warm-up of each run
     * @param measure how long to measure each case over each path, all rounds together
     */
    Comparison(JvmCommand jvm, Duration warmUp, Duration measure, int rounds, PrintStream progress) {
        this.jvm = jvm;
        this.warmUp = warmUp;
        this.measure = measure;
        this.rounds = rounds;
        this.progress = progress;
    }

    /** What the runs of one case over one path gave, as far as they went well. */
    private static final class Series {
        final List<Sample> samples = new ArrayList<>();
        boolean failed;

        Figures median() {
            return failed || samples.isEmpty()
                    ? Figures.unknown()
                    : Figures.median(samples.stream().map(Sample::figures).toList());
        }
    }

    /** Measures {@code cases}, and the limits of the machine that their ratios need. */
    Result run(Set<BenchCase> cases) throws InterruptedException {
        Set<BenchCase> all = EnumSet.copyOf(cases);
        all.addAll(LIMITS);
        for (int round = 1; round <= rounds; round++) {
            progress.printf(Locale.ROOT, "round %d of %d%n", round, rounds);
            for (BenchCase benchCase : all) {
                Duration each = cases.contains(benchCase) ? measure.dividedBy(rounds) : LIMIT_MEASURE;
                for (Variant variant : benchCase.variants()) {
                    runOnce(benchCase, variant, each);
                }
            }
        }
        List<Row> rows = new ArrayList<>();
        cases.forEach(benchCase -> rows.addAll(rowsOf(benchCase)));
        return new Result(rows, failures);
    }

    private void runOnce(BenchCase benchCase, Variant variant, Duration each) throws InterruptedException {
        Series series = results.computeIfAbsent(benchCase, c -> new EnumMap<>(Variant.class))
                .computeIfAbsent(variant, v -> new Series());
        if (series.failed) {
            return; // once is enough: a hung run takes long
        }
        String name = String.format(Locale.ROOT, "%-20s  %-6s", benchCase.label, variant.path);
        try {
            if (variant.accelerated() && !jvm.canAccelerate()) {
                throw new IOException("cannot accelerate, since there is no " + jvm.accelJar());
            }
            Sample sample = new BenchRun(jvm, benchCase, variant, warmUp, each).execute();
            series.samples.add(sample);
            progress.printf(Locale.ROOT, "  %s  %s%n", name, brief(sample.figures()));
        } catch (IOException e) {
            series.failed = true;
            failures.add(benchCase.label + " over " + variant.path + ": " + e.getMessage());
            progress.printf(Locale.ROOT, "  %s  FAILED: %s%n", name, e.getMessage());
        }
    }

    private static String brief(Figures figures) {
        if (!Double.isNaN(figures.p50Micros())) {
            return Quantity.micros(figures.p50Micros()) + " us";
        }
        if (figures.bytesPerSecond() > 0) {
            return Quantity.scaled(figures.bytesPerSecond()) + "B/s, " + Quantity.scaled(figures.messagesPerSecond())
                    + "msg/s";
        }
        return Quantity.micros(figures.cpuMicrosPerOp()) + " us of CPU a second";
    }

    private List<Row> rowsOf(BenchCase benchCase) {
        Figures reference = medianOf(benchCase, benchCase.reference);
        List<Row> rows = new ArrayList<>();
        for (Variant variant : benchCase.variants()) {
            Series series = results.get(benchCase).get(variant);
            if (series.failed) {
                continue;
            }
            Figures figures = series.median();
            rows.add(new Row(
                    benchCase.label,
                    pathTaken(benchCase, variant, series.samples),
                    variant.accelerated() ? benchCase.profile : "none",
                    figures,
                    LIMITS.contains(benchCase) ? Double.NaN : Ratios.versusKernel(benchCase.kind, figures, reference),
                    Ratios.versusRaw(
                            benchCase.kind,
                            figures,
                            medianOf(BenchCase.RAW, Variant.RAW),
                            medianOf(BenchCase.MEMCPY, Variant.MEMCPY))));
        }
        return rows;
    }

    private Figures medianOf(BenchCase benchCase, Variant variant) {
        return results.get(benchCase).get(variant).median();
    }

    /** What the bytes really went over: a connection that fell back must not pass for an accelerated one. */
    private String pathTaken(BenchCase benchCase, Variant variant, List<Sample> samples) {
        if (variant == Variant.ACCELERATED && samples.stream().anyMatch(Sample::wentByKernel)) {
            failures.add(benchCase.label + ": Accel was on at both ends, yet the bytes went by the kernel");
            return Variant.KERNEL.path;
        }
        return variant.path;
    }
}
