// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.ArrayList;
import java.util.List;

/** Made-up results of a comparison, for tests of the code that shows them. */
final class SampleResult {
    private static final double NONE = Double.NaN;

    private SampleResult() {}

    /** A row of every case and path, with figures that differ by as much as real ones. */
    static Result everyCase() {
        List<Row> rows = new ArrayList<>();
        for (BenchCase benchCase : BenchCase.values()) {
            for (Variant variant : benchCase.variants()) {
                rows.add(row(benchCase, variant));
            }
        }
        rows.add(perftest());
        return new Result(rows, List.of(new Failure("stream-64", "shm", "<it> said \"no\" & left")));
    }

    /** The rows of one case alone. */
    static Result of(BenchCase benchCase) {
        List<Row> rows = benchCase.variants().stream()
                .map(variant -> row(benchCase, variant))
                .toList();
        return new Result(rows, List.of());
    }

    private static Row row(BenchCase benchCase, Variant variant) {
        int factor = variant.accelerated() && variant != Variant.ONE_END ? 1 : 30;
        boolean timed = benchCase.kind.measuresLatency();
        Latencies latencies =
                timed ? LatenciesTest.ramp(100_000 * factor / (factor + 5), 700 / factor) : Latencies.NONE;
        Figures figures = new Figures(
                latencies.micros(50),
                latencies.micros(99),
                latencies.micros(99.9),
                timed ? 1e6 / latencies.micros(50) : 1e7 / factor,
                2.3e10 / factor,
                104,
                benchCase.kind == Kind.IDLE ? 1000 + factor : 3.1);
        String profile = benchCase.profileOf(variant);
        // By rate it is better, by the tail it is not.
        Verdict verdict = new Verdict(30.0 / factor, factor == 1 ? 0.4 : 1, 30.0 / factor, 1);
        return new Row(benchCase.label, variant.path, profile, List.of(figures), latencies, verdict, 2);
    }

    /** This program reports only percentiles. */
    private static Row perftest() {
        Figures figures = new Figures(12.5, 60, 410, 7e4, 5e6, NONE, NONE);
        return new Row(
                BenchCase.RDMA_PINGPONG.label,
                "ib_write_lat",
                "none",
                "Soft-RoCE",
                List.of(figures),
                Latencies.NONE,
                new Verdict(1.5, 1.5, 1.5, NONE),
                0.9,
                NONE,
                "",
                Conditions.UNKNOWN,
                CpuBreakdown.NONE);
    }
}
