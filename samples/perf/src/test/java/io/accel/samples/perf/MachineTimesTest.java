// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class MachineTimesTest {
    @Test
    void whatWasBusyAndWhatWasStolenIsToldOfTheTimeBetween() throws Exception {
        MachineTimes before = MachineTimes.of(List.of(
                "cpu  100 0 50 800 40 5 5 0 99 0", "cpu0 50 0 25 400 20 3 2 0 50 0", "cpu1 50 0 25 400 20 2 3 0 49 0"));
        MachineTimes after =
                MachineTimes.of(List.of("cpu  150 10 80 850 50 6 4 50 99 0", "cpu0 1 1", "cpu1 1 1", "intr 5"));
        assertThat(before.processors()).isEqualTo(2);
        // 90 of 200 ticks of two processors, and 50 of them gone.
        assertThat(after.busySince(before)).isCloseTo(0.9, within(1e-9));
        assertThat(after.stealSince(before)).isCloseTo(0.25, within(1e-9));
        assertThat(before.busySince(before)).isNaN();
    }

    @Test
    void thisMachineTells() throws Exception {
        assertThat(MachineTimes.now().processors()).isPositive();
        assertThat(MachineTimes.load()).isNotNegative();
    }

    @Test
    void aFileWithoutTheLineIsAnError() {
        assertThatThrownBy(() -> MachineTimes.of(List.of("intr 5"))).isInstanceOf(IOException.class);
    }
}
