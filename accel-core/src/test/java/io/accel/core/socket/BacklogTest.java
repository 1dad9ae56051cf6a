// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BacklogTest {
    private final Backlog<Integer> backlog = new Backlog<>();
    private final List<Integer> served = new ArrayList<>();

    private BacklogTest() {
        for (int i = 0; i < 4; i++) {
            backlog.add(i);
        }
    }

    private void serveTheRest() {
        backlog.serve(served::add);
        assertThat(backlog.isEmpty()).isTrue();
    }

    @Test
    void allAreServedInTheirOrder() {
        serveTheRest();
        assertThat(served).containsExactly(0, 1, 2, 3);
    }

    @Test
    void anErrorLosesNobody() {
        assertThatThrownBy(() -> backlog.serve(one -> {
                    if (one == 1) {
                        throw new OutOfMemoryError("of a test");
                    }
                    return served.add(one);
                }))
                .isInstanceOf(OutOfMemoryError.class);
        serveTheRest();
        assertThat(served).containsExactly(0, 1, 2, 3);
    }

    @Test
    void anExceptionConcernsNobodyElse() {
        backlog.serve(one -> {
            if (one == 1) {
                throw new IllegalStateException("of a test");
            }
            return served.add(one);
        });
        serveTheRest();
        assertThat(served).containsExactly(0, 2, 3);
    }

    @Test
    void whoIsNotDoneWithComesAgainAfterTheOthers() {
        backlog.serve(one -> one > 0 && served.add(one));
        serveTheRest();
        assertThat(served).containsExactly(1, 2, 3, 0);
    }

    @Test
    void whoComesMeanwhileIsServedNextTime() {
        backlog.serve(one -> {
            backlog.add(one + 10);
            return served.add(one);
        });
        assertThat(served).containsExactly(0, 1, 2, 3);
        serveTheRest();
        assertThat(served).containsExactly(0, 1, 2, 3, 10, 11, 12, 13);
    }

    @Test
    void whoIsTakenOutIsNotServed() {
        assertThat(backlog.remove(2)).isTrue();
        assertThat(backlog.remove(2)).isFalse();
        serveTheRest();
        assertThat(served).containsExactly(0, 1, 3);
    }
}
