// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TablePrinterTest {
    @Test
    void columnsAlignAndMissingFiguresAreDashes() {
        double none = Double.NaN;
        String table = TablePrinter.print(List.of(
                new Row(
                        "pingpong-64",
                        "kernel",
                        "none",
                        List.of(new Figures(57.9, 80, 120.4, 17_000, 1.1e6, 104, 4.7)),
                        Latencies.NONE,
                        new Verdict(1, 1, 1, 1),
                        480),
                new Row(
                        "stream-64k",
                        "shm",
                        "throughput",
                        List.of(
                                new Figures(none, none, none, 154_085, 1.0098e10, 0, 10),
                                new Figures(none, none, none, 400_000, 2.6e10, 0, 10)),
                        Latencies.NONE,
                        new Verdict(none, none, 6.25, 0.5),
                        none)));

        assertThat(table.lines())
                .containsExactly(
                        "case         path    profile     p50 us  p99 us  p99.9 us  msg/s    B/s  B/op  CPU us/op  vs kernel"
                                + "  vs raw  in words",
                        "pingpong-64  kernel  none          57.9    80.0       120  17.0k  1.10M   104       4.70      1.00x"
                                + "    480x",
                        "stream-64k   shm     throughput       -       -         -   154k  10.1G  0.00       10.0     0.500x"
                                + "       -  bimodal (154k to 400k/s); not slower, but takes 2.00x the CPU time");
    }

    @Test
    void aDevicesRowsSayWhatTheyWereMeasuredOn() {
        double none = Double.NaN;
        Figures figures = new Figures(30.1, 40, 50, 33_000, 2.1e6, 0, 60);
        Row row = new Row(
                "rdma-pingpong-64",
                "rdma",
                "latency",
                "Soft-RoCE",
                List.of(figures),
                Latencies.NONE,
                new Verdict(none, none, 1.8, none),
                0.95,
                none,
                "",
                Conditions.UNKNOWN,
                CpuBreakdown.NONE);

        assertThat(TablePrinter.print(List.of(row)).lines())
                .containsExactly(
                        "case              path  profile  p50 us  p99 us  p99.9 us  msg/s    B/s  B/op  CPU us/op  vs kernel"
                                + "  vs rstream  on         in words",
                        "rdma-pingpong-64  rdma  latency    30.1    40.0      50.0  33.0k  2.10M  0.00       60.0      1.80x"
                                + "      0.950x  Soft-RoCE  1.80x better, by the worst figure (rate)");
    }
}
