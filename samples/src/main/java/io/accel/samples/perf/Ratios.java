package io.accel.samples.perf;

import io.accel.samples.perf.BenchCase.Kind;

/** How figures relate to the kernel's and to the machine's limits. A ratio with something missing is NaN. */
final class Ratios {
    private Ratios() {}

    /** How many times better {@code seen} is than the kernel: shorter round trips, or more bytes a second. */
    static double versusKernel(Kind kind, Figures seen, Figures kernel) {
        if (kind.measuresLatency()) {
            return kernel.p50Micros() / seen.p50Micros();
        }
        return kind.measuresThroughput() ? seen.bytesPerSecond() / kernel.bytesPerSecond() : Double.NaN;
    }

    /**
     * How many times as long as the machine's limit {@code seen} takes.
     *
     * @param cacheLine what bouncing a cache line gave: the limit of round trips
     * @param memoryCopy what copying gave: the limit of streams
     */
    static double versusRaw(Kind kind, Figures seen, Figures cacheLine, Figures memoryCopy) {
        if (kind.measuresLatency()) {
            return seen.p50Micros() / cacheLine.p50Micros();
        }
        return kind.measuresThroughput() ? memoryCopy.bytesPerSecond() / seen.bytesPerSecond() : Double.NaN;
    }
}
