// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Measures Accel over one RDMA device, the plain JDK over TCP on the device's own address, and the native programs. All programs of a
 * case are started and warm before the first one is measured. Then they take turns, one at a time. A row has all its rounds.
 */
final class RdmaComparison {
    private static final List<Variant> VARIANTS =
            List.of(Variant.KERNEL, Variant.RDMA, Variant.RSTREAM, Variant.PERFTEST);
    /** No program measures rsocket's datagrams. */
    private static final List<Variant> VARIANTS_OF_DATAGRAMS = List.of(Variant.KERNEL, Variant.RDMA, Variant.PERFTEST);

    /** Longer than a program with Accel goes on looking for more messages after the last one. */
    private static final Duration SETTLE = Duration.ofMillis(1500);

    private final JvmCommand jvm;
    private final RdmaDevice device;
    private final Duration warmUp;
    private final Duration measure;
    private final int rounds;
    private final PrintStream progress;
    private final List<Failure> failures = new ArrayList<>();

    RdmaComparison(
            JvmCommand jvm, RdmaDevice device, Duration warmUp, Duration measure, int rounds, PrintStream progress) {
        this.jvm = jvm;
        this.device = device;
        this.warmUp = warmUp;
        this.measure = measure;
        this.rounds = rounds;
        this.progress = progress;
    }

    Result run(Set<BenchCase> cases) throws InterruptedException {
        List<Row> rows = new ArrayList<>();
        for (BenchCase benchCase : BenchCase.values()) {
            if (cases.contains(benchCase)) {
                rows.addAll(run(benchCase));
            }
        }
        return new Result(rows, failures);
    }

    private List<Row> run(BenchCase benchCase) throws InterruptedException {
        Map<Variant, Session> sessions = new EnumMap<>(Variant.class);
        Map<Variant, List<Sample>> samples = new EnumMap<>(Variant.class);
        List<Variant> variants = benchCase.kind == Kind.DATAGRAM_PINGPONG ? VARIANTS_OF_DATAGRAMS : VARIANTS;
        try {
            for (Variant variant : variants) {
                open(benchCase, variant, sessions);
                samples.put(variant, new ArrayList<>());
            }
            Thread.sleep(SETTLE.toMillis());
            for (int round = 1; round <= rounds; round++) {
                progress.printf(Locale.ROOT, "%s, round %d of %d%n", benchCase.label, round, rounds);
                for (Variant variant : variants) {
                    if (sessions.containsKey(variant)) {
                        measure(benchCase, variant, sessions, samples.get(variant));
                    }
                }
            }
        } finally {
            sessions.values().forEach(Session::close);
        }
        // A row with a failed round would stand for less than the others.
        samples.keySet().retainAll(sessions.keySet());
        List<Row> rows = new ArrayList<>();
        for (Map.Entry<Variant, List<Sample>> entry : samples.entrySet()) {
            rows.add(row(benchCase, entry.getKey(), entry.getValue(), samples));
        }
        return rows;
    }

    private void open(BenchCase benchCase, Variant variant, Map<Variant, Session> sessions)
            throws InterruptedException {
        try {
            progress.printf(Locale.ROOT, "%s, %s: starting and warming up%n", benchCase.label, variant.path);
            sessions.put(
                    variant,
                    variant == Variant.RSTREAM || variant == Variant.PERFTEST
                            ? NativeSession.open(NativeProgram.of(variant, benchCase.kind), jvm.place())
                            : BenchSession.open(jvm, benchCase, variant, warmUp));
        } catch (IOException e) {
            fail(benchCase, variant, e);
        }
    }

    private void measure(BenchCase benchCase, Variant variant, Map<Variant, Session> sessions, List<Sample> samples)
            throws InterruptedException {
        try {
            Sample sample = sessions.get(variant).measure(measure.dividedBy(rounds));
            samples.add(sample);
            progress.printf(
                    Locale.ROOT,
                    "  %-8s  %sB/s, %s/s%n",
                    variant.path,
                    Quantity.scaled(sample.figures().bytesPerSecond()),
                    Quantity.scaled(sample.figures().messagesPerSecond()));
        } catch (IOException e) {
            fail(benchCase, variant, e);
            sessions.remove(variant).close();
        }
        if (variant.accelerated()) {
            Thread.sleep(SETTLE.toMillis());
        }
    }

    private void fail(BenchCase benchCase, Variant variant, IOException e) {
        failures.add(Failure.of(benchCase, variant, String.valueOf(e.getMessage())));
        progress.printf(Locale.ROOT, "  %-8s  FAILED: %s%n", variant.path, e.getMessage());
    }

    private Row row(BenchCase benchCase, Variant variant, List<Sample> samples, Map<Variant, List<Sample>> all) {
        Optional<String> fallBack = FallBack.seen(variant, samples);
        fallBack.ifPresent(reason -> failures.add(Failure.of(benchCase, variant, reason)));
        List<Figures> figures = figures(samples);
        return new Row(
                benchCase.label,
                fallBack.isPresent() ? Variant.KERNEL.path : pathOf(benchCase, variant),
                benchCase.profileOf(variant),
                device.describe(),
                figures,
                Latencies.together(samples.stream().map(Sample::latencies).toList()),
                Verdict.of(figures, figures(all.getOrDefault(Variant.KERNEL, List.of())), benchCase.kind.rateGiven()),
                Ratios.rate(figures, figures(all.getOrDefault(Variant.RSTREAM, List.of()))),
                Double.NaN,
                "",
                Conditions.worst(samples.stream().map(Sample::conditions).toList()),
                CpuBreakdown.NONE);
    }

    private static String pathOf(BenchCase benchCase, Variant variant) {
        return variant == Variant.PERFTEST
                ? NativeProgram.of(variant, benchCase.kind).program()
                : variant.path;
    }

    private static List<Figures> figures(List<Sample> samples) {
        return samples.stream().map(Sample::figures).toList();
    }
}
