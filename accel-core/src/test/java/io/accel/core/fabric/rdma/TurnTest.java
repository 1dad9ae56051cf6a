// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the RDMA thread meets at one of its handshakes or connections keeps it from none of the others. */
@Timeout(10)
class TurnTest {
    private static final List<String> ALL = List.of("first", "second", "third");

    private final List<String> served = new ArrayList<>();
    private final List<String> failed = new ArrayList<>();
    private final List<Throwable> lost = new ArrayList<>();

    static Stream<Throwable> errors() {
        return Stream.of(
                new NoClassDefFoundError("a class that is missing"),
                new OutOfMemoryError("Direct buffer memory"),
                new StackOverflowError(),
                new AssertionError("of the acceptor"),
                new IllegalStateException("of the acceptor"));
    }

    private static void raise(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) e;
    }

    @ParameterizedTest
    @MethodSource("errors")
    void thoseBehindOneThatFailsAreServed(Throwable error) {
        Turn.each(
                ALL,
                one -> {
                    if (one.equals("second")) {
                        raise(error);
                    }
                    served.add(one);
                },
                (one, e) -> {
                    assertThat(e).isSameAs(error);
                    failed.add(one);
                },
                lost::add);
        assertThat(served).containsExactly("first", "third");
        assertThat(failed).containsExactly("second");
        assertThat(lost).isEmpty();
    }

    /** Also if it cannot even be ended in order. */
    @ParameterizedTest
    @MethodSource("errors")
    void anErrorBehindAnErrorIsNobodyElsesEither(Throwable error) {
        Turn.each(ALL, one -> raise(error), (one, e) -> raise(error), lost::add);
        assertThat(lost).containsExactly(error, error, error);
    }

    /** As a handshake does that is over. */
    @ParameterizedTest
    @MethodSource("errors")
    void oneThatFailsIsTakenAwayAndDoesNotComeAgain(Throwable error) {
        Set<String> all = ConcurrentHashMap.newKeySet();
        all.addAll(ALL);
        for (int turn = 0; turn < 3; turn++) {
            Turn.each(
                    all,
                    one -> {
                        if (one.equals("first")) {
                            raise(error);
                        }
                    },
                    (one, e) -> {
                        all.remove(one);
                        failed.add(one);
                    },
                    lost::add);
        }
        assertThat(failed).containsExactly("first");
        assertThat(all).containsExactlyInAnyOrder("second", "third");
    }
}
