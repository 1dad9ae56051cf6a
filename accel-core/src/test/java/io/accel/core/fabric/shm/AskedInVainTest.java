// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A destination that was asked in vain again and again is left alone for a while. */
class AskedInVainTest {
    private final InetSocketAddress destination = ShmEnds.address("192.0.2.1");
    private final InetSocketAddress other = ShmEnds.address("192.0.2.1", 1);
    private final AskedInVain asked = new AskedInVain();

    private void ask(int times) {
        for (int i = 0; i < times; i++) {
            assertThat(asked.isWorthIt(destination, 0)).isTrue();
            asked.inVain(destination, 0);
        }
    }

    @Test
    void aPauseFollowsAFewAnswersThatSayNothing() {
        ask(AskedInVain.LIMIT);
        assertThat(asked.isWorthIt(destination, TimeUnit.SECONDS.toNanos(59))).isFalse();
        assertThat(asked.isWorthIt(other, 0)).isTrue();
        assertThat(asked.isWorthIt(destination, TimeUnit.SECONDS.toNanos(60))).isTrue();
        ask(AskedInVain.LIMIT);
        assertThat(asked.isWorthIt(destination, 0)).isFalse();
    }

    @Test
    void oneThatWasFoundCountsAnew() {
        ask(AskedInVain.LIMIT - 1);
        asked.found(destination);
        ask(AskedInVain.LIMIT);
    }
}
