// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WarmUpTest {
    private final WarmUp warmUp = new WarmUp();

    @Test
    void twoQuietWindowsThatAgreeAreWarm() {
        warmUp.window(100_000, 0.001);
        assertThat(warmUp.isWarm()).as("after one").isFalse();
        warmUp.window(95_000, 0.001);
        assertThat(warmUp.isWarm()).isTrue();
    }

    @Test
    void compilersThatWorkAreNotWarmHoweverWellWindowsAgree() {
        warmUp.window(100_000, 0.9);
        warmUp.window(100_000, 0.3);
        assertThat(warmUp.isWarm()).isFalse();
        warmUp.window(100_000, 0.01);
        assertThat(warmUp.isWarm()).as("one quiet window").isFalse();
        warmUp.window(100_000, 0.01);
        assertThat(warmUp.isWarm()).isTrue();
    }

    @Test
    void windowsThatDifferAreNotWarmHoweverQuiet() {
        warmUp.window(50_000, 0);
        warmUp.window(100_000, 0);
        assertThat(warmUp.isWarm()).isFalse();
        warmUp.window(80_000, 0);
        assertThat(warmUp.isWarm()).isFalse();
        warmUp.window(81_000, 0);
        assertThat(warmUp.isWarm()).isTrue();
    }

    @Test
    void whatIsNotKnownIsNotWarm() {
        warmUp.window(Double.NaN, 0);
        warmUp.window(Double.NaN, 0);
        assertThat(warmUp.isWarm()).isFalse();
        warmUp.window(100, Double.NaN);
        warmUp.window(100, Double.NaN);
        assertThat(warmUp.isWarm()).isFalse();
    }
}
