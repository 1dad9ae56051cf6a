// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FirstSecondsTest {
    @Test
    void anOperationCountsFromTheMomentAfterItOn() {
        long now = System.nanoTime();
        long day = TimeUnit.DAYS.toNanos(1);
        FirstSeconds counter = new FirstSeconds(now - day, now + day, now + 2 * day);
        assertThat(counter.count(2)).isTrue();
        assertThat(counter.count(0)).isTrue();
        assertThat(counter.count(1)).isTrue();
        assertThat(counter.before(0)).isZero();
        assertThat(counter.before(1)).isEqualTo(3);
        assertThat(counter.before(2)).isEqualTo(3);
    }

    @Test
    void nothingCountsAfterTheLastMoment() {
        FirstSeconds counter = new FirstSeconds(System.nanoTime());
        assertThat(counter.count(0)).as("nothing has worked so far").isTrue();
        assertThat(counter.count(1)).isFalse();
        assertThat(counter.count(0)).isFalse();
        assertThat(counter.before(0)).isZero();
    }
}
