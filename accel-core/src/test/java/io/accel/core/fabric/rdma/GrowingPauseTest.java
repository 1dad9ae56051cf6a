// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class GrowingPauseTest {
    private final GrowingPause pause = new GrowingPause();

    private long[] seconds(int count) {
        return LongStream.generate(pause::next)
                .limit(count)
                .map(TimeUnit.NANOSECONDS::toSeconds)
                .toArray();
    }

    @Test
    void growsToAMinuteAndStaysThere() {
        assertThat(seconds(9)).containsExactly(1, 2, 4, 8, 16, 32, 60, 60, 60);
    }

    @Test
    void beginsAnewAfterASuccess() {
        assertThat(seconds(4)).containsExactly(1, 2, 4, 8);
        pause.reset();
        assertThat(seconds(2)).containsExactly(1, 2);
    }
}
