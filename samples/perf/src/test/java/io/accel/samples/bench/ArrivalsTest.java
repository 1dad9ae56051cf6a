// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ArrivalsTest {
    @Test
    void noneBeginsBeforeItIsDue() {
        long begin = System.nanoTime();
        long interval = TimeUnit.MILLISECONDS.toNanos(2);
        Arrivals arrivals = new Arrivals(begin, interval);

        for (int i = 0; i < 5; i++) {
            assertThat(arrivals.await() - begin).isGreaterThanOrEqualTo(i * interval);
        }
    }

    @Test
    void whatIsLateCountsFromWhenItWasDue() {
        long second = TimeUnit.SECONDS.toNanos(1);
        long begin = System.nanoTime() - 10 * second;
        Arrivals arrivals = new Arrivals(begin, second);

        assertThat(arrivals.await()).isEqualTo(begin);
        assertThat(arrivals.await()).isEqualTo(begin + second);
    }

    @Test
    void aRateIsAnIntervalAndNoRateIsNone() {
        assertThat(Arrivals.interval(new Parameters(Map.of("open_loop", "1000"))))
                .isEqualTo(1_000_000);
        assertThat(Arrivals.interval(new Parameters(Map.of()))).isZero();
    }
}
