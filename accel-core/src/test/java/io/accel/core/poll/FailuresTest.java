// SPDX-License-Identifier: Apache-2.0
package io.accel.core.poll;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Memory that runs out now and then says nothing about a pollable, however often it has. Only where it does so all the time that counts. */
class FailuresTest {
    private static final long BEGIN = -12_345;

    private final Registration registration = new Registration(null, null, 0, null);

    private boolean isPassingAfter(long millis) {
        return Failures.isPassing(registration, BEGIN + TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Test
    void errorsThatPassDoNotAddUp() {
        for (int times = 0; times < 100; times++) {
            assertThat(isPassingAfter(300L * times)).as("error %s", times).isTrue();
        }
    }

    @Test
    void anErrorThatStaysCountsAfterASecond() {
        for (int millis = 0; millis < 1_000; millis += 10) {
            assertThat(isPassingAfter(millis)).as("after %s ms", millis).isTrue();
        }
        assertThat(isPassingAfter(1_001)).isFalse();
        assertThat(isPassingAfter(1_002)).isFalse();
        assertThat(isPassingAfter(2_000)).as("another time").isTrue();
    }
}
