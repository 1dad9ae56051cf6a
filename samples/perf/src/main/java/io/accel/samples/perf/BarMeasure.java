// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.Arrays;
import java.util.Optional;

/** The figure that the bars of a case show. */
enum BarMeasure {
    ROUND_TRIPS("round trips a second", "/s"),
    CONNECTIONS("connections a second", "/s"),
    REQUESTS("requests a second", "/s"),
    MESSAGES("messages a second", "/s"),
    BYTES("bytes a second", "B/s"),
    /** For a case in which nothing moves. */
    CPU("CPU time of both ends, shorter is better", "% of a core");

    /** The name of the figure, for the heading. */
    final String title;

    /** Of a second. */
    private static final double MICROS_PER_PERCENT = 1e4;

    private final String unit;

    BarMeasure(String title, String unit) {
        this.title = title;
        this.unit = unit;
    }

    static BarMeasure of(Row row) {
        Optional<Kind> kind = Arrays.stream(BenchCase.values())
                .filter(benchCase -> benchCase.label.equals(row.benchCase()))
                // Two limits have one name.
                .filter(benchCase -> benchCase != BenchCase.RAW || !row.path().equals(Variant.MEMCPY.path))
                .map(benchCase -> benchCase.kind)
                .findFirst();
        return kind.map(BarMeasure::of).orElse(MESSAGES);
    }

    private static BarMeasure of(Kind kind) {
        return switch (kind.measured) {
            case ROUND_TRIPS -> ROUND_TRIPS;
            case CONNECTIONS -> CONNECTIONS;
            case MESSAGES -> MESSAGES;
            case BYTES -> BYTES;
            case REQUESTS -> REQUESTS;
            case NOTHING -> CPU;
        };
    }

    double value(Row row) {
        return switch (this) {
            case ROUND_TRIPS, CONNECTIONS, REQUESTS, MESSAGES -> row.figures().messagesPerSecond();
            case BYTES -> row.figures().bytesPerSecond();
            case CPU -> row.figures().cpuMicrosPerOp() / MICROS_PER_PERCENT;
        };
    }

    /** How many times better than the kernel's this value is. */
    double ratio(Row row) {
        return this == CPU ? row.vsKernel().cpu() : row.vsKernel().rate();
    }

    /** The value as it is printed at the bar. */
    String words(Row row) {
        return this == CPU ? Quantity.micros(value(row)) + unit : Quantity.scaled(value(row)) + unit;
    }
}
