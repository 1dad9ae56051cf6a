// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class IntervalTest {
    @Test
    void theMeanIsThatOfRatios() {
        assertThat(Interval.of(0.5, 2).mean()).isCloseTo(1, within(1e-12));
        assertThat(Interval.of(3).mean()).isCloseTo(3, within(1e-12));
    }

    /** With the logarithms -1, 0 and 1 the standard error is 1 / sqrt(3), and t is 4.303. */
    @Test
    void boundsAreStudents() {
        Interval interval = Interval.of(1 / Math.E, 1, Math.E);

        double margin = 4.303 / Math.sqrt(3);
        assertThat(interval.low()).isCloseTo(Math.exp(-margin), within(1e-9));
        assertThat(interval.high()).isCloseTo(Math.exp(margin), within(1e-9));
    }

    @Test
    void oneRoundHasNoBounds() {
        assertThat(Interval.of(1.25).words()).isEqualTo("1.25x");
        assertThat(Interval.of(1.1, 1.1).words()).isEqualTo("1.10x (1.10 to 1.10)");
    }

    @Test
    void nothingIsNoNumber() {
        assertThat(Interval.of().mean()).isNaN();
    }
}
