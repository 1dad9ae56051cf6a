// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.core.fabric.Link;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The immediate word, and what a connection makes of words that no peer sends. */
class ImmediateTest {
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 65_536, 1 << 26, Immediate.MAX_VALUE})
    void wordsComeBackAsTheyWere(int value) {
        for (int op : new int[] {Immediate.DATA, Immediate.STATE, Immediate.CREDIT, 7}) {
            int word = Immediate.of(op, value);
            assertThat(Immediate.op(word)).isEqualTo(op);
            assertThat(Immediate.value(word)).isEqualTo(value);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Immediate.MAX_VALUE + 1, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void valuesThatDoNotFitAreRefused(int value) {
        assertThatThrownBy(() -> Immediate.of(Immediate.DATA, value)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void dataAndStatesAreTaken() {
        Inbound in = new Inbound();
        assertThat(in.take(Immediate.of(Immediate.DATA, 100))).isNull();
        assertThat(in.take(Immediate.of(Immediate.CREDIT, 0))).isNull();
        assertThat(in.take(Immediate.of(Immediate.DATA, 28))).isNull();
        assertThat(in.take(Immediate.of(Immediate.STATE, Link.FIN))).isNull();
        assertThat(in.take(Immediate.of(Immediate.STATE, Link.CLOSED))).isNull();
        assertThat(in.published()).isEqualTo(128);
        assertThat(in.states()).isEqualTo(Link.FIN | Link.CLOSED);
        assertThat(in.received()).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 5, 6, 7})
    void anUnknownOperationIsNonsenseForEver(int op) {
        Inbound in = new Inbound();
        assertThat(in.take(Immediate.of(op, 5))).contains("unknown message");
        assertThat(in.take(Immediate.of(Immediate.DATA, 5))).isNull();
        assertThat(in.published()).isEqualTo(Inbound.NONSENSE);
    }

    @Test
    void aPassingStateIsThereUntilItIsForgotten() {
        Inbound in = new Inbound();
        assertThat(in.take(Immediate.of(Immediate.STATE, Link.ATTACHED | Link.LEFT)))
                .isNull();
        assertThat(in.states()).isEqualTo(Link.ATTACHED | Link.LEFT);
        in.forget(Link.LEFT);
        assertThat(in.states()).isEqualTo(Link.ATTACHED);
        assertThat(in.take(Immediate.of(Immediate.STATE, Link.ATTACHED | Link.LEFT)))
                .isNull();
        assertThat(in.states()).isEqualTo(Link.ATTACHED | Link.LEFT);
    }

    @Test
    void anUnknownStateIsNonsenseAndNotTaken() {
        Inbound in = new Inbound();
        assertThat(in.take(Immediate.of(Immediate.STATE, Link.FIN | 256))).contains("states 0x101");
        assertThat(in.published()).isEqualTo(Inbound.NONSENSE);
        assertThat(in.states()).isZero();
    }
}
