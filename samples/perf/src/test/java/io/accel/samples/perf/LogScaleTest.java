// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class LogScaleTest {
    @Test
    void endsAreRoundAndAroundTheValues() {
        LogScale scale = LogScale.around(new double[] {0.7, 31, 3}, 100, 0);
        assertThat(scale.low()).isCloseTo(0.5, within(1e-9));
        assertThat(scale.high()).isCloseTo(50, within(1e-9));
        assertThat(scale.place(0.5)).isCloseTo(100, within(1e-9));
        assertThat(scale.place(5)).isCloseTo(50, within(1e-9));
        assertThat(scale.place(50)).isCloseTo(0, within(1e-9));
        assertThat(scale.ticks()).hasSize(7).first().isEqualTo(0.5);
    }

    @Test
    void aWideScaleHasDecadesOnly() {
        LogScale scale = LogScale.around(new double[] {0.2, 15_000}, 0, 1);
        assertThat(scale.ticks()).containsExactly(1.0, 10.0, 100.0, 1_000.0, 10_000.0);
    }

    @Test
    void oneValueAndNoneMakeAScaleToo() {
        LogScale one = LogScale.around(new double[] {10}, 0, 1);
        assertThat(one.high()).isGreaterThan(one.low());
        assertThat(one.place(10)).isFinite();
        assertThat(LogScale.around(new double[0], 0, 1).place(3)).isBetween(0.0, 1.0);
    }
}
