// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The project's aims over RDMA, each with {@code ok} or {@code short}. The figures of a program in C are the measure. */
final class RdmaAims {
    private static final double LONGEST_ROUND_TRIP = 1.1;
    private static final double LEAST_RATE = 1.1;

    private RdmaAims() {}

    /** A line for each aim for which there are figures. */
    static List<String> about(Result result) {
        List<String> lines = new ArrayList<>();
        result.row(BenchCase.RDMA_PINGPONG, Variant.RDMA).ifPresent(row -> lines.add(roundTrip(row)));
        result.row(BenchCase.RDMA_STREAM, Variant.RDMA).ifPresent(row -> lines.add(stream(row, best(result))));
        result.row(BenchCase.RDMA_DATAGRAM, Variant.RDMA).ifPresent(row -> lines.add(datagram(row)));
        return lines;
    }

    private static Optional<Row> best(Result result) {
        String program = NativeProgram.IB_WRITE_BW.program();
        return result.rows().stream().filter(row -> row.path().equals(program)).findFirst();
    }

    private static String roundTrip(Row row) {
        double longer = 1 / row.vsRstream();
        return String.format(
                Locale.ROOT,
                "%s 64 B round trip: %s of rstream's time (must: at most %.1fx), %s the rate of kernel TCP"
                        + " (must: more than 1x) -- %s",
                longer <= LONGEST_ROUND_TRIP && row.vsKernel().rate() > 1 ? "ok   " : "short",
                Quantity.times(longer),
                LONGEST_ROUND_TRIP,
                Quantity.times(row.vsKernel().rate()),
                row.on());
    }

    private static String datagram(Row row) {
        return String.format(
                Locale.ROOT,
                "%s 64 B datagram there and back: %s the rate of kernel UDP (must: more than 1x) -- %s",
                row.vsKernel().rate() > 1 ? "ok   " : "short",
                Quantity.times(row.vsKernel().rate()),
                row.on());
    }

    private static String stream(Row row, Optional<Row> perftest) {
        double toBest = perftest.map(
                        best -> row.figures().bytesPerSecond() / best.figures().bytesPerSecond())
                .orElse(Double.NaN);
        return String.format(
                Locale.ROOT,
                "%s 64 KiB one way: %s of rstream's rate (must: at least %.1fx), %s of ib_write_bw's (aim: 1x) -- %s",
                row.vsRstream() >= LEAST_RATE ? "ok   " : "short",
                Quantity.times(row.vsRstream()),
                LEAST_RATE,
                Quantity.times(toBest),
                row.on());
    }
}
