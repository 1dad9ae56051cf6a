package io.accel.samples.perf;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Goes through cases, rounds and paths, one run at a time. The paths of a case alternate, round by round, so that
 * whatever else the machine does meets all of them; a row has the medians of its rounds. A run that fails is recorded,
 * and the others go on.
 */
final class Comparison {
    private static final Duration REFERENCE_MEASURE = Duration.ofSeconds(1);

    private final JvmCommand jvm;
    private final Duration warmUp;
    private final Duration measure;
    private final int rounds;
    private final PrintStream progress;
    private final Map<BenchCase, Map<Variant, List<Sample>>> samples = new LinkedHashMap<>();
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

    /** Measures {@code cases}, and the machine's limits that their ratios need. */
    Result run(Set<BenchCase> cases) throws InterruptedException {
        Set<BenchCase> all = EnumSet.copyOf(cases);
        all.addAll(EnumSet.of(BenchCase.RAW, BenchCase.MEMCPY));
        int done = 0;
        for (BenchCase benchCase : all) {
            progress.printf(Locale.ROOT, "[%d/%d] %s%n", ++done, all.size(), benchCase.label);
            samples.put(benchCase, runCase(benchCase, cases.contains(benchCase)));
        }
        List<Row> rows = new ArrayList<>();
        for (BenchCase benchCase : cases) {
            rows.addAll(rowsOf(benchCase));
        }
        return new Result(rows, failures);
    }

    private Map<Variant, List<Sample>> runCase(BenchCase benchCase, boolean wanted) throws InterruptedException {
        int times = wanted ? rounds : 1;
        Duration each = wanted ? measure.dividedBy(rounds) : REFERENCE_MEASURE;
        Map<Variant, List<Sample>> seen = new LinkedHashMap<>();
        Set<Variant> failed = new HashSet<>();
        for (int round = 1; round <= times; round++) {
            for (Variant variant : benchCase.variants()) {
                if (failed.contains(variant)) {
                    continue;
                }
                try {
                    Sample sample = runOnce(benchCase, variant, each);
                    seen.computeIfAbsent(variant, v -> new ArrayList<>()).add(sample);
                    progress.printf(
                            Locale.ROOT, "      %-7s round %d of %d: %s%n", variant.path, round, times, brief(sample));
                } catch (IOException e) {
                    failed.add(variant);
                    seen.remove(variant);
                    failures.add(benchCase.label + " " + variant.path + ": " + e.getMessage());
                    progress.printf(Locale.ROOT, "      %-7s FAILED: %s%n", variant.path, e.getMessage());
                }
            }
        }
        return seen;
    }

    private Sample runOnce(BenchCase benchCase, Variant variant, Duration each)
            throws IOException, InterruptedException {
        if (variant.accelerated() && !jvm.canAccelerate()) {
            throw new IOException("cannot accelerate, since there is no " + jvm.accelJar());
        }
        return new BenchRun(jvm, benchCase, variant, warmUp, each).execute();
    }

    private static String brief(Sample sample) {
        Figures figures = sample.figures();
        String figure;
        if (!Double.isNaN(figures.p50Micros())) {
            figure = Quantity.micros(figures.p50Micros()) + " us";
        } else if (figures.bytesPerSecond() > 0) {
            figure = Quantity.scaled(figures.bytesPerSecond()) + "B/s, " + Quantity.scaled(figures.messagesPerSecond())
                    + "msg/s";
        } else {
            figure = Quantity.micros(figures.cpuMicrosPerOp()) + " us of CPU a second";
        }
        return figure;
    }

    private List<Row> rowsOf(BenchCase benchCase) {
        Map<Variant, List<Sample>> seen = samples.get(benchCase);
        Figures reference = medianOf(seen.get(benchCase.reference));
        List<Row> rows = new ArrayList<>();
        seen.forEach((variant, list) -> {
            Figures figures = medianOf(list);
            boolean machine = benchCase == BenchCase.RAW || benchCase == BenchCase.MEMCPY;
            rows.add(new Row(
                    benchCase.label,
                    pathTaken(benchCase, variant, list),
                    variant.accelerated() ? benchCase.profile : "none",
                    figures,
                    machine ? Double.NaN : Ratios.versusKernel(benchCase.kind, figures, reference),
                    Ratios.versusRaw(benchCase.kind, figures, limitOf(BenchCase.RAW), limitOf(BenchCase.MEMCPY))));
        });
        return rows;
    }

    private Figures limitOf(BenchCase limit) {
        return medianOf(samples.get(limit).get(limit.reference));
    }

    private static Figures medianOf(List<Sample> list) {
        return list == null
                ? Figures.unknown()
                : Figures.median(list.stream().map(Sample::figures).toList());
    }

    /** What the bytes really went over: a connection that fell back must not pass for an accelerated one. */
    private String pathTaken(BenchCase benchCase, Variant variant, List<Sample> list) {
        if (variant == Variant.ACCELERATED && list.stream().anyMatch(Sample::wentByKernel)) {
            failures.add(benchCase.label + ": Accel was on at both ends, yet the bytes went by the kernel");
            return Variant.KERNEL.path;
        }
        return variant.path;
    }
}
