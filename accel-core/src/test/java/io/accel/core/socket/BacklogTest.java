// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BacklogTest {
    private final Backlog<Integer> backlog = new Backlog<>();
    private final List<Integer> served = new ArrayList<>();

    private BacklogTest() {
        for (int i = 0; i < 4; i++) {
            backlog.add(i);
        }
    }

    private void serveTheRest() {
        backlog.serve(served::add, Backlog.DROPPING);
        assertThat(backlog.isEmpty()).isTrue();
    }

    @Test
    void allAreServedInTheirOrder() {
        serveTheRest();
        assertThat(served).containsExactly(0, 1, 2, 3);
    }

    private boolean failAtOne(int one, Throwable failure) {
        if (one == 1) {
            BacklogTest.<RuntimeException>sneak(failure);
        }
        return served.add(one);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void sneak(Throwable failure) throws E {
        throw (E) failure;
    }

    static Stream<Throwable> failures() {
        return Stream.of(
                new IllegalStateException("of a test"),
                new InternalError("of a test"),
                new OutOfMemoryError("of a test"),
                new StackOverflowError("of a test"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void anErrorConcernsNobodyElse(Throwable failure) {
        List<Object> told = new ArrayList<>();
        backlog.serve(one -> failAtOne(one, failure), (one, e) -> {
            told.add(one);
            told.add(e);
            return false;
        });
        assertThat(served).containsExactly(0, 2, 3);
        assertThat(told).containsExactly(1, failure);
        assertThat(backlog.isEmpty()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("failures")
    void whoIsKeptAfterAnErrorComesAgainAfterTheOthers(Throwable failure) {
        backlog.serve(one -> failAtOne(one, failure), Backlog.KEEPING);
        assertThat(served).containsExactly(0, 2, 3);
        serveTheRest();
        assertThat(served).containsExactly(0, 2, 3, 1);
    }

    @Test
    void whoIsNotDoneWithComesAgainAfterTheOthers() {
        backlog.serve(one -> one > 0 && served.add(one), Backlog.DROPPING);
        serveTheRest();
        assertThat(served).containsExactly(1, 2, 3, 0);
    }

    @Test
    void whoComesMeanwhileIsServedNextTime() {
        backlog.serve(
                one -> {
                    backlog.add(one + 10);
                    return served.add(one);
                },
                Backlog.DROPPING);
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
