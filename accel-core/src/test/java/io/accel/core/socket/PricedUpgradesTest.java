// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.FallbackReason;
import io.accel.core.handover.Machine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections whose links have to pay off, on a machine whose load the test says. */
@Timeout(60)
class PricedUpgradesTest {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(50);
    private static final long QUARTER_NANOS = 250_000_000L;

    private final Machine machine = new Machine();
    private final Lab lab;
    private final BlockingWaits waits;

    PricedUpgradesTest() throws IOException {
        // A message is taken to save so much that twenty pay for a link.
        lab = new Lab("balanced", Map.of("handover.after", "auto", "handover.saving", "500us"), machine);
        waits = lab.accelerator.waits();
    }

    @AfterEach
    void close() throws IOException {
        lab.close();
    }

    private Lab.Pair pair() throws IOException {
        return new Lab.Pair(lab.client(), lab.accept());
    }

    private void roundTrip(Lab.Pair pair) throws IOException {
        Streams.write(waits, pair.client(), ByteBuffer.wrap(new byte[] {1}));
        assertThat(Streams.read(waits, pair.server(), ByteBuffer.allocate(2))).isEqualTo(1);
        Streams.write(waits, pair.server(), ByteBuffer.wrap(new byte[] {1}));
        assertThat(Streams.read(waits, pair.client(), ByteBuffer.allocate(2))).isEqualTo(1);
    }

    /** Round trips until something holds, with a pause between them. */
    private void talk(Lab.Pair pair, long pauseNanos, BooleanSupplier until) throws IOException {
        long start = System.nanoTime();
        while (!until.getAsBoolean()) {
            assertThat(System.nanoTime() - start).as("%s", pair.client().path()).isLessThan(PATIENCE_NANOS);
            roundTrip(pair);
            if (pauseNanos > 0) {
                LockSupport.parkNanos(pauseNanos);
            }
        }
    }

    private void talkFor(Lab.Pair pair, long nanos) throws IOException {
        long start = System.nanoTime();
        talk(pair, 0, () -> System.nanoTime() - start > nanos);
    }

    private static boolean isMoved(Lab.Pair pair) {
        return pair.client().path().isAccelerated() && pair.server().path().isAccelerated();
    }

    @Test
    void aConnectionMovesWhenItHasPaidForItsLink() throws Exception {
        Lab.Pair pair = pair();
        for (int i = 0; i < 9; i++) {
            roundTrip(pair);
        }
        LockSupport.parkNanos(QUARTER_NANOS);
        assertThat(pair.client().path().reason()).isEqualTo(FallbackReason.TOO_LITTLE);
        talk(pair, 0, () -> isMoved(pair));
        pair.close();
    }

    @Test
    void aConnectionThatEndsAfterAFewMessagesNeverAsks() throws Exception {
        for (int i = 0; i < 50; i++) {
            Lab.Pair pair = pair();
            roundTrip(pair);
            roundTrip(pair);
            pair.close();
        }
        assertThat(lab.mappings()).isZero();
    }

    @Test
    void othersFollowTheFirst() throws Exception {
        Lab.Pair first = pair();
        Lab.Pair second = pair();
        talk(first, 0, () -> isMoved(first));
        talkFor(second, QUARTER_NANOS);
        assertThat(isMoved(second)).as("the first link is on trial").isFalse();
        long start = System.nanoTime();
        while (!isMoved(second)) {
            assertThat(System.nanoTime() - start).isLessThan(PATIENCE_NANOS);
            roundTrip(first);
            roundTrip(second);
        }
        first.close();
        second.close();
    }

    @Test
    void aYoungProcessOnCrowdedProcessorsStaysWithTheKernel() throws Exception {
        machine.crowded = true;
        machine.process = TimeUnit.SECONDS.toNanos(19);
        Lab.Pair pair = pair();
        talkFor(pair, 3 * QUARTER_NANOS);
        assertThat(pair.client().path().reason()).isEqualTo(FallbackReason.TOO_LITTLE);
        machine.process = TimeUnit.SECONDS.toNanos(20);
        talk(pair, 0, () -> isMoved(pair));
        pair.close();
    }

    /** The peer's process is the one that is crowded. */
    @Test
    void whoIsAskedAnswersNotYetWhileItsProcessIsYoungAndCrowded() throws Exception {
        PricedUpgrades asked = lab.accelerator.upgrades();
        assertThat(asked.serves()).isTrue();
        machine.crowded = true;
        for (int i = 0; i < 5; i++) {
            LockSupport.parkNanos(QUARTER_NANOS / 4);
            boolean unused = asked.serves();
        }
        assertThat(asked.serves()).isFalse();
        machine.process = TimeUnit.SECONDS.toNanos(20);
        assertThat(asked.serves()).isTrue();
    }

    /**
     * A program that talks less as soon as it has its link looks like one whose link is slower. It goes back, and moves again, since the kernel is
     * not faster for it.
     */
    @Test
    void aConnectionThatIsSlowerGoesBackAndComesAgainIfItIsNotTheLink() throws Exception {
        Lab.Pair pair = pair();
        talk(pair, 0, () -> isMoved(pair));
        talk(pair, 1_000_000, () -> pair.client().path().reason() == FallbackReason.NOT_FASTER);
        talk(pair, 1_000_000, () -> isMoved(pair));
        pair.close();
    }

    /** The kernel is faster each time: the connection asks after a second at first, and then less and less often. */
    @Test
    void aConnectionWhoseLinkIsSlowerStaysWithTheKernel() throws Exception {
        Lab.Pair pair = pair();
        talk(pair, 0, () -> isMoved(pair));
        talk(pair, 1_000_000, () -> pair.client().path().reason() == FallbackReason.NOT_FASTER);
        talkFor(pair, 10 * QUARTER_NANOS);
        assertThat(pair.client().path().reason()).isEqualTo(FallbackReason.NOT_FASTER);
        pair.close();
    }

    @Test
    void aClosedConnectionGivesItsTurnToAnother() throws Exception {
        Lab.Pair first = pair();
        talk(first, 0, () -> isMoved(first));
        first.close();
        Lab.Pair second = pair();
        talk(second, 0, () -> isMoved(second));
        second.close();
    }
}
