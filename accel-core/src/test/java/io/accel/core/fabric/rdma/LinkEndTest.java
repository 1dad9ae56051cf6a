// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.fabric.rdma.LinkEnd.Step;
import org.junit.jupiter.api.Test;

/** How connections end, by the clock. */
class LinkEndTest {
    private static final long MS = 1_000_000L;
    private static final long LINGER = 100 * MS;

    private final LinkEnd end = new LinkEnd(LINGER);

    @Test
    void deliversDisconnectsAndWaitsForThePeerToHear() {
        assertThat(end.next(0, false, true)).isEqualTo(Step.NOTHING);
        end.begin(0);
        assertThat(end.next(1, false, false)).isEqualTo(Step.WAIT);
        assertThat(end.next(2, false, true)).isEqualTo(Step.DISCONNECT);
        assertThat(end.next(3, false, true)).isEqualTo(Step.WAIT);
        end.disconnected();
        assertThat(end.next(4, false, true)).isEqualTo(Step.DESTROY);
    }

    @Test
    void lingersWhileThereIsProgressAndNoLonger() {
        end.begin(0);
        long now = 0;
        for (int i = 0; i < 50; i++) {
            now += LINGER - MS;
            assertThat(end.next(now, true, false)).isEqualTo(Step.WAIT);
        }
        assertThat(end.next(now + LINGER - 1, false, false)).isEqualTo(Step.WAIT);
        assertThat(end.next(now + LINGER, false, false)).isEqualTo(Step.DISCONNECT);
        assertThat(end.next(now + LINGER + 999 * MS, false, false)).isEqualTo(Step.WAIT);
        assertThat(end.next(now + LINGER + 1_000 * MS, false, false)).isEqualTo(Step.DESTROY);
    }

    @Test
    void aPeerThatIsGoneAlreadyNeedsNoFarewell() {
        end.disconnected();
        assertThat(end.next(0, false, false)).isEqualTo(Step.NOTHING);
        end.begin(1);
        assertThat(end.next(2, false, false)).isEqualTo(Step.DESTROY);
    }

    @Test
    void aRemovedDeviceIsLetGoOfThoughTheProgramKeepsTheConnection() {
        end.removed(0);
        assertThat(end.next(1, false, true)).isEqualTo(Step.WAIT);
        assertThat(end.next(80 * MS, false, true)).isEqualTo(Step.DETACH);
        assertThat(end.next(501 * MS, false, true)).isEqualTo(Step.NOTHING);
        end.begin(600 * MS);
        assertThat(end.next(601 * MS, false, true)).isEqualTo(Step.DESTROY);
    }

    @Test
    void looksLessAndLessOftenWhileNothingHappens() {
        long before = end.pause();
        for (int i = 0; i < 10; i++) {
            end.next(i, false, false);
        }
        assertThat(end.pause()).isGreaterThan(before).isLessThanOrEqualTo(32 * MS);
        end.next(11, true, false);
        assertThat(end.pause()).isEqualTo(MS);
    }
}
