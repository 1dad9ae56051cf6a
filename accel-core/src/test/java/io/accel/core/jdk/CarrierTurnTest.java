// SPDX-License-Identifier: Apache-2.0
package io.accel.core.jdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class CarrierTurnTest {
    private static final long FROM = Long.MAX_VALUE - 1_000; // the clock passes through its end

    private final CarrierTurn turn = new CarrierTurn();

    @Test
    void beginsWithTheFirstOperation() {
        assertThat(turn.isOver(FROM)).isFalse();
        assertThat(turn.isOver(FROM + TimeUnit.MICROSECONDS.toNanos(99))).isFalse();
        assertThat(turn.isOver(FROM + TimeUnit.MICROSECONDS.toNanos(100))).isTrue();
    }

    @Test
    void beginsAnewAfterAWait() {
        assertThat(turn.isOver(FROM)).isFalse();
        turn.waited();
        long later = FROM + TimeUnit.SECONDS.toNanos(1);
        assertThat(turn.isOver(later)).isFalse();
        assertThat(turn.isOver(later + TimeUnit.MILLISECONDS.toNanos(1))).isTrue();
    }

    @Test
    void aPlatformThreadGoesOn() {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < TimeUnit.MILLISECONDS.toNanos(2)) {
            turn.next();
        }
        assertThat(turn.isOver(System.nanoTime())).as("it has no turn").isFalse();
    }
}
