// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RdmaAimsTest {
    private static final double NONE = Double.NaN;

    private static Row row(BenchCase benchCase, String path, double bytes, double vsKernel, double vsRstream) {
        Figures figures = new Figures(NONE, NONE, NONE, 1, bytes, NONE, NONE);
        return new Row(
                benchCase.label,
                path,
                "any",
                "Soft-RoCE",
                List.of(figures),
                Latencies.NONE,
                new Verdict(NONE, NONE, vsKernel, NONE),
                vsRstream,
                NONE,
                "",
                Conditions.UNKNOWN,
                CpuBreakdown.NONE);
    }

    private static List<String> about(Row... rows) {
        return RdmaAims.about(new Result(List.of(rows), List.of()));
    }

    @Test
    void whatHoldsIsOk() {
        assertThat(about(
                        row(BenchCase.RDMA_PINGPONG, "rdma", 1, 1.7, 1.25),
                        row(BenchCase.RDMA_STREAM, "rdma", 9e8, 0.9, 1.15),
                        row(BenchCase.RDMA_STREAM, "ib_write_bw", 1e9, 1, 1),
                        row(BenchCase.RDMA_DATAGRAM, "rdma", 1, 1.5, NONE)))
                .containsExactly(
                        "ok    64 B round trip: 0.800x of rstream's time (must: at most 1.1x), 1.70x the rate of"
                                + " kernel TCP (must: more than 1x) -- Soft-RoCE",
                        "ok    64 KiB one way: 1.15x of rstream's rate (must: at least 1.1x), 0.900x of ib_write_bw's"
                                + " (aim: 1x) -- Soft-RoCE",
                        "ok    64 B datagram there and back: 1.50x the rate of kernel UDP (must: more than 1x) --"
                                + " Soft-RoCE");
    }

    @Test
    void whatFallsShortIsSaidToBe() {
        assertThat(about(row(BenchCase.RDMA_PINGPONG, "rdma", 1, 1.7, 0.9)))
                .singleElement()
                .asString()
                .startsWith("short ");
        assertThat(about(row(BenchCase.RDMA_PINGPONG, "rdma", 1, 0.9, 1)))
                .singleElement()
                .asString()
                .startsWith("short ");
        assertThat(about(row(BenchCase.RDMA_STREAM, "rdma", 1, 2, 1.09)))
                .singleElement()
                .asString()
                .startsWith("short ");
        assertThat(about(row(BenchCase.RDMA_DATAGRAM, "rdma", 1, 0.99, NONE)))
                .singleElement()
                .asString()
                .startsWith("short ");
    }

    @Test
    void withoutAnythingToCompareWithNothingHolds() {
        assertThat(about(row(BenchCase.RDMA_PINGPONG, "rdma", 1, 2, NONE)))
                .singleElement()
                .asString()
                .startsWith("short ");
        assertThat(about()).isEmpty();
    }
}
