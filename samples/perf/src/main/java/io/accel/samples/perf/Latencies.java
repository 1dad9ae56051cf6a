// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** The times of all operations, from which single percentiles are taken. Immutable. */
final class Latencies {
    /** Nothing is known except for the {@link Figures}. */
    static final Latencies NONE = new Latencies(new Histogram(3), 1);

    /** A percentile with fewer operations beyond it depends on chance. */
    private static final long LEAST_BEYOND = 10;

    private final Histogram nanos;
    private final int tripsPerSample;

    private Latencies(Histogram nanos, int tripsPerSample) {
        this.nanos = nanos;
        this.tripsPerSample = tripsPerSample;
    }

    /**
     * @param text a histogram of nanoseconds, compressed, in Base64
     * @param tripsPerSample how many operations one of its values covers
     */
    static Latencies decode(String text, int tripsPerSample) {
        try {
            byte[] bytes = Base64.getDecoder().decode(text);
            return new Latencies(Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), 0), tripsPerSample);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("not a compressed histogram: " + text, e);
        }
    }

    /** All of them together; {@link #NONE} if there are none. They must be of the same program. */
    static Latencies together(List<Latencies> parts) {
        Histogram sum = new Histogram(NONE.nanos.getNumberOfSignificantValueDigits());
        int tripsPerSample = 1;
        for (Latencies part : parts) {
            sum.add(part.nanos);
            tripsPerSample = Math.max(tripsPerSample, part.tripsPerSample);
        }
        return new Latencies(sum, tripsPerSample);
    }

    boolean isEmpty() {
        return nanos.getTotalCount() == 0;
    }

    /** In microseconds; NaN if there are too few operations for it. */
    double micros(double percentile) {
        double beyond = nanos.getTotalCount() * (100 - percentile) / 100;
        // As 100 - 99.9 shows, a tenth is a little less.
        return beyond + 1e-6 < LEAST_BEYOND
                ? Double.NaN
                : nanos.getValueAtPercentile(percentile) / 1e3 / tripsPerSample;
    }
}
