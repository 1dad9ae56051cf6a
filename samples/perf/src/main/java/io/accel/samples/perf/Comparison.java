// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Goes through rounds, cases and paths, one run at a time. Every program has its turn in each round, so that other work
 * of the machine affects all of them, and the limits that they are compared with, too; a row has all its rounds. A run that
 * fails is recorded, and the others go on.
 */
final class Comparison {
    /** The machine's limits, which others' ratios need even if nobody asked to see them. */
    private static final Set<BenchCase> LIMITS = EnumSet.of(BenchCase.RAW, BenchCase.MEMCPY);

    /** The number of pieces into which a round of two variants that run together is cut. */
    private static final int SLICES = 8;

    private static final Duration LIMIT_MEASURE = Duration.ofMillis(300);

    private final JvmCommand jvm;
    private final Budget budget;
    private final Duration measure;
    private final int rounds;
    private final PrintStream progress;
    private int openLoop;
    /** How long programs are measured from their start on; 0 if that is for the young cases alone. */
    private int youngMillis;
    /** Null if nobody asks what the processors are used for. */
    private CpuSampler sampler;

    private final Map<BenchCase, Map<Variant, Series>> results = new EnumMap<>(BenchCase.class);
    private final List<Failure> failures = new ArrayList<>();

    /**
     * @param budget how long each run may take to become warm
     * @param measure how long to measure each case over each path, all rounds together
     */
    Comparison(JvmCommand jvm, Budget budget, Duration measure, int rounds, PrintStream progress) {
        this.jvm = jvm;
        this.budget = budget;
        this.measure = measure;
        this.rounds = rounds;
        this.progress = progress;
    }

    /** Makes operations begin at this rate a second, whether earlier ones have ended or not; returns this. */
    Comparison openLoop(int rate) {
        openLoop = rate;
        return this;
    }

    /**
     * Starts new programs in each round, and measures them from their start on; returns this.
     *
     * @param time how long, if that is more than until the last of a case's milestones
     */
    Comparison young(Duration time) {
        youngMillis = Math.toIntExact(time.toMillis());
        return this;
    }

    private boolean isYoung(BenchCase benchCase) {
        return youngMillis > 0 || benchCase.kind.isYoung();
    }

    /** Samples the use of the processors in a further round after the others; returns this. */
    Comparison sampling(CpuSampler by) {
        sampler = by;
        return this;
    }

    /** The results of the runs of one case over one path that went well. */
    private static final class Series {
        final List<Sample> samples = new ArrayList<>();
        CpuBreakdown cpu = CpuBreakdown.NONE;
        boolean failed;

        /** Empty if a run failed: the others before it do not stand for the whole. */
        List<Figures> figures() {
            return failed ? List.of() : samples.stream().map(Sample::figures).toList();
        }

        List<Latencies> latencies() {
            return samples.stream().map(Sample::latencies).toList();
        }

        Conditions conditions() {
            return Conditions.worst(samples.stream().map(Sample::conditions).toList());
        }
    }

    /** Measures {@code cases}, and the limits of the machine that their ratios need. */
    Result run(Set<BenchCase> cases) throws InterruptedException {
        Set<BenchCase> all = EnumSet.copyOf(cases);
        all.addAll(LIMITS);
        return run(cases, all, Set.of());
    }

    /** Measures {@code cases} over fewer paths, and compares nothing with the machine's limits. */
    Result runWithout(Set<Variant> leftOut, Set<BenchCase> cases) throws InterruptedException {
        return run(cases, cases, leftOut);
    }

    private Result run(Set<BenchCase> asked, Set<BenchCase> all, Set<Variant> leftOut) throws InterruptedException {
        Set<BenchCase> cases = EnumSet.noneOf(BenchCase.class); // in their order
        for (BenchCase benchCase : EnumSet.copyOf(asked)) {
            if (benchCase.kind.firstJdk() <= Runtime.version().feature()) {
                cases.add(benchCase);
            } else {
                progress.printf(
                        Locale.ROOT,
                        "%s is left out: it needs JDK %d or newer, and JAVA_HOME is of JDK %d%n",
                        benchCase.label,
                        benchCase.kind.firstJdk(),
                        Runtime.version().feature());
            }
        }
        Set<BenchCase> toRun = EnumSet.copyOf(all);
        toRun.removeIf(benchCase -> asked.contains(benchCase) && !cases.contains(benchCase));
        for (int round = 1; round <= rounds; round++) {
            progress.printf(Locale.ROOT, "round %d of %d%n", round, rounds);
            for (BenchCase benchCase : toRun) {
                Duration each = cases.contains(benchCase) ? measure.dividedBy(rounds) : LIMIT_MEASURE;
                if (isYoung(benchCase)) {
                    runYoung(benchCase, leftOut, round);
                } else if (benchCase.comparesKernelPaths()) {
                    runTogether(benchCase, each);
                } else {
                    runAlone(benchCase, leftOut, (session, series) -> {
                        Sample sample = session.measure(each);
                        series.samples.add(sample);
                        return brief(sample);
                    });
                }
            }
        }
        if (sampler != null) {
            progress.println("what the processors are used for");
            for (BenchCase benchCase : cases) {
                runAlone(benchCase, leftOut, (session, series) -> {
                    series.cpu = CpuBreakdown.of(session.stacks(sampler, measure.dividedBy(rounds)));
                    return series.cpu.words();
                });
            }
        }
        List<Row> rows = new ArrayList<>();
        cases.forEach(benchCase -> rows.addAll(rowsOf(benchCase)));
        return new Result(rows, failures);
    }

    /** The measurement with the running programs of one case over one path. */
    private interface Use {
        /** Returns remarks about it. */
        String of(BenchSession session, Series series) throws IOException, InterruptedException;
    }

    private void runAlone(BenchCase benchCase, Set<Variant> leftOut, Use use) throws InterruptedException {
        for (Variant variant : benchCase.variants()) {
            if (!leftOut.contains(variant)) {
                runAlone(benchCase, variant, use);
            }
        }
    }

    private void runAlone(BenchCase benchCase, Variant variant, Use use) throws InterruptedException {
        Series series = seriesOf(benchCase, variant);
        if (series.failed) {
            return; // once is enough: a hung run takes long
        }
        Duration warmUp = budget.nextWarmUp(System.nanoTime());
        try (BenchSession session = BenchSession.open(jvm, benchCase, variant, warmUp, openLoop)) {
            report(benchCase, variant, use.of(session, series));
        } catch (IOException | UncheckedIOException e) {
            if (variant.isOptional() && String.valueOf(e.getMessage()).contains("unavailable: ")) {
                series.failed = true;
                report(benchCase, variant, "does not work here");
            } else {
                fail(benchCase, variant, e);
            }
        } finally {
            budget.over(warmUp, System.nanoTime());
        }
    }

    /** Starts new programs for each variant. In every other round the last variant is the first one. */
    private void runYoung(BenchCase benchCase, Set<Variant> leftOut, int round) throws InterruptedException {
        int millis = Math.max(youngMillis, benchCase.kind.milestones().last());
        List<Variant> variants = new ArrayList<>(benchCase.variants());
        variants.removeAll(leftOut);
        if (round % 2 == 0) {
            Collections.reverse(variants);
        }
        for (Variant variant : variants) {
            Series series = seriesOf(benchCase, variant);
            if (series.failed) {
                continue;
            }
            try {
                Sample sample = YoungRound.measure(jvm, benchCase, variant, millis);
                series.samples.add(sample);
                report(benchCase, variant, sample.figures().extra().young().words());
            } catch (IOException | UncheckedIOException e) {
                fail(benchCase, variant, e);
            }
        }
    }

    /**
     * Measures all variants in slices that alternate. None does anything while another is measured, since a program
     * that only has kernel connections never spins; so they can run at the same time, and differ by nothing but Accel.
     */
    private void runTogether(BenchCase benchCase, Duration each) throws InterruptedException {
        List<Variant> variants = benchCase.variants();
        if (variants.stream().anyMatch(variant -> seriesOf(benchCase, variant).failed)) {
            return;
        }
        Duration warmUp = budget.nextWarmUp(System.nanoTime());
        Duration slice = each.dividedBy(SLICES);
        Map<Variant, BenchSession> sessions = new EnumMap<>(Variant.class);
        Map<Variant, List<Sample>> samples = new EnumMap<>(Variant.class);
        Variant current = benchCase.reference;
        try {
            for (Variant variant : variants) {
                current = variant;
                sessions.put(variant, BenchSession.open(jvm, benchCase, variant, warmUp));
                samples.put(variant, new ArrayList<>());
            }
            for (int i = 0; i < SLICES; i++) {
                for (Variant variant : variants) {
                    current = variant;
                    samples.get(variant).add(sessions.get(variant).measure(slice));
                }
            }
            for (Variant variant : variants) {
                Sample sample = Sample.together(samples.get(variant));
                seriesOf(benchCase, variant).samples.add(sample);
                report(benchCase, variant, brief(sample));
            }
        } catch (IOException | UncheckedIOException e) {
            fail(benchCase, current, e);
        } finally {
            closeAll(sessions.values());
            budget.over(warmUp, System.nanoTime());
        }
    }

    /** Closes each, whether or not others fail. */
    private static void closeAll(Collection<BenchSession> sessions) {
        UncheckedIOException failure = null;
        for (BenchSession session : sessions) {
            try {
                session.close();
            } catch (UncheckedIOException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private Series seriesOf(BenchCase benchCase, Variant variant) {
        return results.computeIfAbsent(benchCase, c -> new EnumMap<>(Variant.class))
                .computeIfAbsent(variant, v -> new Series());
    }

    private void fail(BenchCase benchCase, Variant variant, Exception e) {
        seriesOf(benchCase, variant).failed = true;
        failures.add(Failure.of(benchCase, variant, String.valueOf(e.getMessage())));
        report(benchCase, variant, "FAILED: " + e.getMessage());
    }

    private void report(BenchCase benchCase, Variant variant, String what) {
        progress.printf(Locale.ROOT, "  %-25s  %-12s  %s%n", benchCase.label, variant.words(), what);
    }

    private static String brief(Sample sample) {
        return brief(sample.figures()) + (sample.conditions().warm() ? "" : " (not warm)");
    }

    private static String brief(Figures figures) {
        if (!Double.isNaN(figures.p50Micros())) {
            return Quantity.micros(figures.p50Micros()) + " us, p99 " + Quantity.micros(figures.p99Micros()) + " us, "
                    + Quantity.scaled(figures.messagesPerSecond()) + "/s";
        }
        if (figures.bytesPerSecond() > 0) {
            return Quantity.scaled(figures.bytesPerSecond()) + "B/s, " + Quantity.scaled(figures.messagesPerSecond())
                    + "msg/s"
                    + (Double.isNaN(figures.lostShare()) ? "" : ", " + Quantity.share(figures.lostShare()) + " lost");
        }
        return Quantity.micros(figures.cpuMicrosPerOp()) + " us of CPU a second";
    }

    private List<Row> rowsOf(BenchCase benchCase) {
        Series reference = seriesOf(benchCase, benchCase.reference);
        List<Row> rows = new ArrayList<>();
        for (Variant variant : benchCase.variants()) {
            Series series = seriesOf(benchCase, variant);
            if (series.failed || series.samples.isEmpty()) {
                continue;
            }
            rows.add(new Row(
                    benchCase.label,
                    pathTaken(benchCase, variant, series.samples),
                    benchCase.profileOf(variant),
                    "",
                    series.figures(),
                    Latencies.together(series.latencies()),
                    verdict(benchCase, variant, series, reference),
                    Double.NaN,
                    Ratios.versusRaw(
                            benchCase.kind,
                            Bimodal.represent(series.figures()),
                            bestOf(BenchCase.RAW, Variant.RAW),
                            bestOf(BenchCase.MEMCPY, Variant.MEMCPY)),
                    series.samples.get(0).crowd(),
                    series.conditions(),
                    series.cpu));
        }
        return rows;
    }

    private Verdict verdict(BenchCase benchCase, Variant variant, Series series, Series reference) {
        if (LIMITS.contains(benchCase)) {
            return Verdict.NONE;
        }
        return isYoung(benchCase)
                ? Verdict.ofStart(
                        benchCase.kind.milestones(),
                        series.figures(),
                        reference.figures(),
                        benchCase.profileOf(variant))
                : Verdict.of(series.figures(), reference.figures(), openLoop > 0 || benchCase.kind.rateGiven());
    }

    private Figures bestOf(BenchCase limit, Variant variant) {
        return Figures.best(seriesOf(limit, variant).figures());
    }

    /** The path that the bytes really took: a connection that fell back must not pass for an accelerated one. */
    private String pathTaken(BenchCase benchCase, Variant variant, List<Sample> samples) {
        Optional<String> fallBack = FallBack.seen(variant, samples);
        fallBack.ifPresent(reason -> failures.add(Failure.of(benchCase, variant, reason)));
        return fallBack.isPresent() ? Variant.KERNEL.path : variant.path;
    }
}
