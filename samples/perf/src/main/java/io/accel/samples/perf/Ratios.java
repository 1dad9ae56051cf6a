// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.List;
import java.util.stream.IntStream;

/** How figures relate to those of another program and to the machine's limits. A ratio with something missing is NaN. */
final class Ratios {
    private Ratios() {}

    /**
     * How many times as long as the machine's limit {@code seen} takes; NaN if the limit was beaten where nothing can beat
     * it, so that it was disturbed itself.
     *
     * @param cacheLine what bouncing a cache line gave: the limit of round trips
     * @param memoryCopy what copying gave: the limit of streams
     */
    static double versusRaw(Kind kind, Figures seen, Figures cacheLine, Figures memoryCopy) {
        if (!kind.hasLimit()) {
            return Double.NaN;
        }
        if (kind.measuresLatency()) {
            double ratio = seen.p50Micros() / cacheLine.p50Micros();
            return ratio >= 1 ? ratio : Double.NaN;
        }
        // A copy in memory can be beaten: by who passes slices on instead.
        return memoryCopy.bytesPerSecond() / seen.bytesPerSecond();
    }

    /** How many times the bytes a second of {@code other}, as the median of the rounds' ratios: round trips move bytes, too. */
    static double rate(List<Figures> seen, List<Figures> other) {
        return Figures.median(IntStream.range(0, Math.min(seen.size(), other.size()))
                .mapToDouble(round ->
                        seen.get(round).bytesPerSecond() / other.get(round).bytesPerSecond())
                .toArray());
    }
}
