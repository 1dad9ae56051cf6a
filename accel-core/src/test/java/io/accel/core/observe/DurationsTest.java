// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DurationsTest {
    @Test
    void rangesAreThreeToADecade() {
        long[] bounds = Durations.boundsNanos();
        assertThat(bounds).startsWith(10_000, 25_000, 50_000, 100_000).endsWith(5_000_000_000L, 10_000_000_000L);
        assertThat(bounds).hasSize(19).isSorted();
    }

    @Test
    void eachIsCountedInOneRange() {
        Durations durations = new Durations();
        long[] bounds = Durations.boundsNanos();
        durations.add(0);
        long sum = 0;
        for (long bound : bounds) {
            durations.add(bound); // the range's own
            durations.add(bound + 1); // the next one's
            sum += 2 * bound + 1;
        }
        long[] counts = durations.counts();
        assertThat(counts).hasSize(bounds.length + 1).containsOnly(2, 1);
        assertThat(counts[bounds.length]).isOne();
        assertThat(durations.count()).isEqualTo(2L * bounds.length + 1);
        assertThat(durations.nanos()).isEqualTo(sum).isGreaterThan(TimeUnit.SECONDS.toNanos(10));
    }
}
