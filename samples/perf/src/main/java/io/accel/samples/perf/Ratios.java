// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.util.List;
import java.util.stream.IntStream;

/** The ratios of figures to those of another program and to the machine's limits. A ratio with something missing is NaN. */
final class Ratios {
    private Ratios() {}

    /**
     * The ratio of {@code seen} to the machine's limit. NaN if a figure beats a limit that nothing can beat: the limit's own measurement
     * was disturbed.
     *
     * @param cacheLine the figures of a bouncing cache line, which are the limit of round trips
     * @param memoryCopy the figures of a copy in memory, which are the limit of streams
     */
    static double versusRaw(Kind kind, Figures seen, Figures cacheLine, Figures memoryCopy) {
        if (!kind.hasLimit()) {
            return Double.NaN;
        }
        if (kind.measuresLatency()) {
            double ratio = seen.p50Micros() / cacheLine.p50Micros();
            return ratio >= 1 ? ratio : Double.NaN;
        }
        // A program that passes slices on in place of copies can beat a copy in memory.
        return memoryCopy.bytesPerSecond() / seen.bytesPerSecond();
    }

    /** The ratio of the bytes a second to those of {@code other}: the median of the rounds' ratios. Round trips move bytes, too. */
    static double rate(List<Figures> seen, List<Figures> other) {
        return Figures.median(IntStream.range(0, Math.min(seen.size(), other.size()))
                .mapToDouble(round ->
                        seen.get(round).bytesPerSecond() / other.get(round).bytesPerSecond())
                .toArray());
    }
}
