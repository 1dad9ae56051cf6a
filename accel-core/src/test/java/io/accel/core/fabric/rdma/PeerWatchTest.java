// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.fabric.rdma.PeerWatch.Step;
import org.junit.jupiter.api.Test;

/** When a peer is asked for a sign of life, and when it is given up, by the clock. */
class PeerWatchTest {
    private static final long MS = 1_000_000L;
    private static final long KEEPALIVE = 5_000 * MS;
    private static final long GIVING_UP = 800 * MS;

    private final PeerWatch watch = new PeerWatch(KEEPALIVE, GIVING_UP, 0);

    @Test
    void aPeerThatOwesNothingMayBeSilentUntilTheKeepalive() {
        assertThat(watch.next(KEEPALIVE - 1, 0, false)).isEqualTo(Step.NOTHING);
        assertThat(watch.next(KEEPALIVE, 0, false)).isEqualTo(Step.ASK);
    }

    @Test
    void aPeerThatOwesCompletionsIsAskedAtOnce() {
        assertThat(watch.next(1, 0, true)).isEqualTo(Step.ASK);
    }

    @Test
    void isAskedOnceAndGivenUpWhenItDoesNotAnswer() {
        assertThat(watch.next(0, 0, true)).isEqualTo(Step.ASK);
        assertThat(watch.next(GIVING_UP, 0, true)).isEqualTo(Step.NOTHING);
        assertThat(watch.next(GIVING_UP + 1, 0, true)).isEqualTo(Step.GIVE_UP);
        assertThat(watch.silence(GIVING_UP + 1)).isEqualTo(GIVING_UP + 1);
    }

    @Test
    void anyCompletionIsASignOfLife() {
        assertThat(watch.next(0, 0, true)).isEqualTo(Step.ASK);
        assertThat(watch.next(GIVING_UP, 1, true)).isEqualTo(Step.NOTHING);
        assertThat(watch.next(GIVING_UP + 1, 1, true)).isEqualTo(Step.ASK);
        assertThat(watch.next(2 * GIVING_UP + 1, 1, true)).isEqualTo(Step.NOTHING);
    }

    @Test
    void silenceCountsFromTheLastSignOfLife() {
        long seen = KEEPALIVE / 2;
        assertThat(watch.next(seen, 7, false)).isEqualTo(Step.NOTHING);
        assertThat(watch.next(seen + KEEPALIVE - 1, 7, false)).isEqualTo(Step.NOTHING);
        assertThat(watch.next(seen + KEEPALIVE, 7, false)).isEqualTo(Step.ASK);
    }

    @Test
    void withoutKeepaliveOnlyWhoOwesIsAsked() {
        PeerWatch patient = new PeerWatch(0, GIVING_UP, 0);
        assertThat(patient.next(Long.MAX_VALUE / 2, 0, false)).isEqualTo(Step.NOTHING);
        assertThat(patient.next(Long.MAX_VALUE / 2, 0, true)).isEqualTo(Step.ASK);
        assertThat(patient.intervalNanos()).isEqualTo(10_000 * MS);
        assertThat(watch.intervalNanos()).isEqualTo(KEEPALIVE);
    }
}
