// SPDX-License-Identifier: Apache-2.0
package io.accel.core.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class NoTimeToSpareTest {
    private static final long QUARTER = TimeUnit.MILLISECONDS.toNanos(250);

    @Test
    void anEighthOfAllProcessorsIsEnough() {
        long all = QUARTER * Runtime.getRuntime().availableProcessors();
        assertThat(NoTimeToSpare.isEnough(all / 8, QUARTER)).isTrue();
        assertThat(NoTimeToSpare.isEnough(all / 9, QUARTER)).isFalse();
        assertThat(NoTimeToSpare.isEnough(0, QUARTER)).isFalse();
    }

    /** Nobody knows yet what the processors do. */
    @Test
    void theFirstQuestionOfAYoungProcessIsTooEarly() {
        NoTimeToSpare asked = new NoTimeToSpare();
        boolean isOld =
                ProcessHandle.current().info().totalCpuDuration().orElseThrow().toSeconds() >= 6;
        assertThat(asked.getAsBoolean()).isEqualTo(!isOld);
    }
}
