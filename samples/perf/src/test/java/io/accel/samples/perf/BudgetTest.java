// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BudgetTest {
    private static final Duration MOST = Duration.ofMillis(1500);

    private static long seconds(double seconds) {
        return (long) (seconds * 1e9);
    }

    @Test
    void whereThereIsTimeEachRunGetsTheMost() {
        Budget budget = Budget.of(Duration.ofSeconds(50), MOST, 10, 7);
        long now = 7;
        for (int run = 0; run < 10; run++) {
            assertThat(budget.nextWarmUp(now)).as("run %d", run).isEqualTo(MOST);
            now += seconds(3);
            budget.over(MOST, now);
        }
    }

    @Test
    void onASlowMachineWarmUpsShrinkSoThatAllIsOverInTime() {
        Budget budget = Budget.of(Duration.ofSeconds(50), MOST, 10, 0);
        long now = 0;
        Duration last = MOST;
        for (int run = 0; run < 10; run++) {
            last = budget.nextWarmUp(now);
            now += last.toNanos() + seconds(4.2);
            budget.over(last, now);
        }
        assertThat(last).isLessThan(MOST);
        assertThat(now).isLessThanOrEqualTo(seconds(50));
    }

    @Test
    void whenTheTimeIsGoneALittleIsLeft() {
        Budget budget = Budget.of(Duration.ofSeconds(1), MOST, 10, 0);
        assertThat(budget.nextWarmUp(seconds(40))).isEqualTo(Duration.ofMillis(250));
    }

    @Test
    void withoutALimitNothingShrinks() {
        Budget budget = Budget.unlimited(MOST);
        assertThat(budget.nextWarmUp(0)).isEqualTo(MOST);
        budget.over(MOST, seconds(90));
        assertThat(budget.nextWarmUp(seconds(90))).isEqualTo(MOST);
    }
}
