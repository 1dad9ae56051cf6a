package io.accel.samples.perf;

import java.util.List;
import java.util.stream.IntStream;

/** How figures relate to the kernel's and to the machine's limits. A ratio with something missing is NaN. */
final class Ratios {
    private Ratios() {}

    /**
     * How many times better than the kernel: shorter round trips, or more bytes a second. It is the median of the rounds'
     * own ratios, since the two sides of a round were measured one right after the other.
     */
    static double versusKernel(Kind kind, List<Figures> seen, List<Figures> kernel) {
        double[] ratios = IntStream.range(0, Math.min(seen.size(), kernel.size()))
                .mapToDouble(round -> versusKernel(kind, seen.get(round), kernel.get(round)))
                .toArray();
        return Figures.median(ratios);
    }

    private static double versusKernel(Kind kind, Figures seen, Figures kernel) {
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
        if (kind == Kind.NETTY_HTTP) {
            return Double.NaN; // its bytes are the least of it
        }
        return kind.measuresThroughput() ? memoryCopy.bytesPerSecond() / seen.bytesPerSecond() : Double.NaN;
    }

    /** How many times the bytes a second of {@code other}, as the median of the rounds' ratios: round trips move bytes, too. */
    static double rate(List<Figures> seen, List<Figures> other) {
        return Figures.median(IntStream.range(0, Math.min(seen.size(), other.size()))
                .mapToDouble(round ->
                        seen.get(round).bytesPerSecond() / other.get(round).bytesPerSecond())
                .toArray());
    }
}
