// SPDX-License-Identifier: Apache-2.0
package io.accel.core.handover;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.handover.UpgradeGate.State;
import org.junit.jupiter.api.Test;

class UpgradeGateTest {
    private static final long SECOND = 1_000_000_000L;

    private final Machine machine = new Machine();
    private final UpgradeGate gate = new UpgradeGate(machine, 5);
    private long now;

    /** Time passes, and the gate looks. */
    private void pass(long nanos, double compilers) {
        for (long end = now + nanos; now < end; ) {
            now += UpgradeGate.LOOK_NANOS;
            long used = machine.compilers + (long) (compilers * UpgradeGate.LOOK_NANOS);
            machine.compilers = used;
            gate.look(now);
        }
    }

    private boolean admits(Object one) {
        return gate.admits(one, now);
    }

    @Test
    void oneConnectionGoesFirst() {
        assertThat(admits("first")).as("nothing is known of the machine").isFalse();
        pass(SECOND, 0.1);
        assertThat(admits("first")).isTrue();
        assertThat(gate.state()).isEqualTo(State.TRYING);
        assertThat(admits("second")).isFalse();
        gate.judged(false, now);
        assertThat(admits("second")).isTrue();
        assertThat(admits("third")).isTrue();
    }

    /** Compilers that have a processor of their own cost the program nothing. */
    @Test
    void whereProcessorsAreIdleNobodyWaitsForTheCompilers() {
        pass(SECOND, 1);
        assertThat(admits("first")).isTrue();
    }

    @Test
    void aCrowdedProcessWaitsUntilTheFirstLinkIsASmallPartOfItsTime() {
        machine.crowded = true;
        machine.process = 19 * SECOND;
        pass(SECOND, 0);
        assertThat(admits("first")).isFalse();
        machine.process = 20 * SECOND;
        assertThat(admits("first")).isTrue();
    }

    @Test
    void inACrowdOthersWaitWhileTheCompilersAreBusy() {
        pass(SECOND, 0);
        assertThat(admits("first")).isTrue();
        gate.judged(false, now);
        machine.crowded = true;
        pass(SECOND, 0.9);
        assertThat(admits("second")).isFalse();
        pass(SECOND, 0.2);
        assertThat(admits("second")).isTrue();
    }

    /** A peer asks now and then: that there was a crowd when it last asked is no reason to refuse it now. */
    @Test
    void aCrowdOfLongAgoDoesNotCount() {
        machine.crowded = true;
        assertThat(gate.serves(now)).isFalse();
        machine.crowded = false;
        now += UpgradeGate.LOOK_NANOS;
        assertThat(gate.serves(now)).as("a moment later").isFalse();
        now += UpgradeGate.KNOWN_NANOS + 1;
        assertThat(gate.serves(now)).isTrue();
    }

    @Test
    void aConnectionWithoutALinkLeavesItsTurnToAnother() {
        pass(SECOND, 0);
        assertThat(admits("first")).isTrue();
        gate.failed("second");
        assertThat(admits("third")).isFalse();
        gate.failed("first");
        assertThat(admits("third")).isTrue();
    }

    @Test
    void aQuietProgramKeepsNobodyWaitingForLong() {
        pass(SECOND, 0);
        assertThat(admits("first")).isTrue();
        pass(UpgradeGate.MOST_TRYING_NANOS, 0);
        assertThat(admits("second")).isFalse();
        pass(SECOND, 0);
        assertThat(admits("second")).isTrue();
    }

    @Test
    void aSlowerCanaryShutsTheGateForLongerEachTime() {
        long shut = SECOND;
        pass(SECOND, 0);
        for (int i = 0; i < 10; i++) {
            assertThat(admits(i)).isTrue();
            gate.judged(true, now);
            assertThat(gate.state()).isEqualTo(State.SHUT);
            pass(shut - UpgradeGate.LOOK_NANOS, 0);
            assertThat(admits("other")).as("shut for %d ns", shut).isFalse();
            pass(UpgradeGate.LOOK_NANOS, 0);
            shut = Math.min(2 * shut, 60 * SECOND);
        }
        assertThat(admits("last")).isTrue();
        gate.judged(false, now);
        assertThat(admits("others")).isTrue();
    }

    /** One link may be slower on its own account; where several are, the process is better off without. */
    @Test
    void anOpenGateIsShutBySlowerLinksInARow() {
        pass(SECOND, 0);
        assertThat(admits("first")).isTrue();
        gate.judged(false, now);
        gate.judged(true, now);
        gate.judged(false, now);
        gate.judged(true, now);
        assertThat(gate.state()).isEqualTo(State.OPEN);
        gate.judged(true, now);
        assertThat(gate.state()).isEqualTo(State.SHUT);
    }
}
