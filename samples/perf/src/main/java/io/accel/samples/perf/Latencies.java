// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** How long operations took, all of them: what single percentiles are taken from. Immutable. */
final class Latencies {
    /** Nothing is known but what {@link Figures} say. */
    static final Latencies NONE = new Latencies(new Histogram(3), 1);

    /** A percentile beyond which there are fewer operations is chance. */
    private static final long LEAST_BEYOND = 10;

    private final Histogram nanos;
    private final int tripsPerSample;

    private Latencies(Histogram nanos, int tripsPerSample) {
        this.nanos = nanos;
        this.tripsPerSample = tripsPerSample;
    }

    /**
     * @param text a histogram of nanoseconds, compressed, in Base64
     * @param tripsPerSample how many operations one of its values is the time of
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

    /** In microseconds; NaN if it cannot be told from so few operations. */
    double micros(double percentile) {
        double beyond = nanos.getTotalCount() * (100 - percentile) / 100;
        // As 100 - 99.9 has it, a tenth is a little less.
        return beyond + 1e-6 < LEAST_BEYOND
                ? Double.NaN
                : nanos.getValueAtPercentile(percentile) / 1e3 / tripsPerSample;
    }
}
