// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LatenciesTest {
    /** As a bench program sends it: {@code count} operations of 1, 2, 3 ... microseconds. */
    static Latencies ramp(int count, int tripsPerSample) {
        Histogram nanos = new Histogram(3);
        for (int i = 1; i <= count; i++) {
            nanos.recordValue(i * 1000L);
        }
        ByteBuffer bytes = ByteBuffer.allocate(nanos.getNeededByteBufferCapacity());
        byte[] encoded = new byte[nanos.encodeIntoCompressedByteBuffer(bytes)];
        bytes.get(0, encoded);
        return Latencies.decode(Base64.getEncoder().encodeToString(encoded), tripsPerSample);
    }

    @Test
    void percentilesAreThoseOfTheSamples() {
        Latencies latencies = ramp(10_000, 1);
        assertThat(latencies.micros(50)).isCloseTo(5_000, within(10.0));
        assertThat(latencies.micros(99.9)).isCloseTo(9_990, within(20.0));
        assertThat(ramp(10_000, 100).micros(50)).isCloseTo(50, within(0.1));
    }

    @Test
    void whatFewOperationsLieBeyondIsNotTold() {
        assertThat(ramp(10_000, 1).micros(99.95)).isNaN();
        assertThat(ramp(9_999, 1).micros(99.9)).isNaN();
        assertThat(Latencies.NONE.micros(50)).isNaN();
        assertThat(Latencies.NONE.isEmpty()).isTrue();
    }

    @Test
    void togetherTheyAreAsManyAsAll() {
        Latencies sum = Latencies.together(List.of(ramp(6_000, 10), ramp(6_000, 10), Latencies.NONE));
        assertThat(sum.isEmpty()).isFalse();
        assertThat(sum.micros(99.9)).isCloseTo(599.5, within(1.0));
        assertThat(Latencies.together(List.of()).isEmpty()).isTrue();
    }

    @Test
    void whatIsNoHistogramIsRefused() {
        assertThatThrownBy(() -> Latencies.decode("AAAA", 1)).isInstanceOf(RuntimeException.class);
    }
}
