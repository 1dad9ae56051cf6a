// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.nio.ByteBuffer;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.HdrHistogram.Histogram;

/** Makes the {@code result} of a measurement that knows the time of each operation. */
public final class LatencyReport {
    private LatencyReport() {}

    /**
     * The event; the resources used have still to be added.
     *
     * @param nanos the times
     * @param tripsPerSample how many operations one sample covers @param
     * bytesMovedPerOp the bytes that this end reads and writes in an operation
     * @param elapsed nanoseconds that the measurement took
     */
    public static Event of(Histogram nanos, int tripsPerSample, long bytesMovedPerOp, long elapsed) {
        long ops = nanos.getTotalCount() * tripsPerSample;
        return Event.named("result")
                .with("ops", ops)
                .with("moved", ops * bytesMovedPerOp)
                .with("elapsed_ns", elapsed)
                .with("p50_ns", percentile(nanos, 50, tripsPerSample))
                .with("p99_ns", percentile(nanos, 99, tripsPerSample))
                .with("p999_ns", percentile(nanos, 99.9, tripsPerSample))
                .with("histogram", encoded(nanos))
                .with("trips_per_sample", tripsPerSample)
                .with("provider", SelectorProvider.provider().getClass().getName());
    }

    private static double percentile(Histogram nanos, double percentile, int tripsPerSample) {
        return (double) nanos.getValueAtPercentile(percentile) / tripsPerSample;
    }

    private static String encoded(Histogram nanos) {
        ByteBuffer bytes = ByteBuffer.allocate(nanos.getNeededByteBufferCapacity());
        int length = nanos.encodeIntoCompressedByteBuffer(bytes);
        bytes.position(0).limit(length);
        return StandardCharsets.ISO_8859_1
                .decode(Base64.getEncoder().encode(bytes))
                .toString();
    }
}
