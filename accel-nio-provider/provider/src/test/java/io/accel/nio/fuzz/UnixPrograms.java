// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import static io.accel.nio.fuzz.Programs.FLAG;
import static io.accel.nio.fuzz.Programs.SELECTOR;
import static io.accel.nio.fuzz.Programs.oneOf;
import static net.jqwik.api.Combinators.combine;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Tuple;

/** Programs with Unix-domain channels: like those with streams, without the operations that such channels do not have. */
final class UnixPrograms {
    private static final int MOST = 30;

    private static final Arbitrary<Openings.How> HOW =
            Arbitraries.of(Openings.How.BLOCKING, Openings.How.POLLED, Openings.How.SELECTED);
    private static final Arbitrary<Endings.Ending> ENDING = Arbitraries.of(
            Endings.Ending.SHUT_OUTPUT, Endings.Ending.SHUT_INPUT, Endings.Ending.CLOSE, Endings.Ending.RESET);
    private static final Arbitrary<Waits.Reader> READER = Arbitraries.of(Waits.Reader.ONE, Waits.Reader.SEVERAL);
    private static final Arbitrary<Waits.Event> EVENT = Arbitraries.of(
            Waits.Event.CLOSE,
            Waits.Event.INTERRUPT,
            Waits.Event.SHUT,
            Waits.Event.PEER_WRITES,
            Waits.Event.PEER_SHUTS_OUTPUT,
            Waits.Event.PEER_CLOSES);

    private UnixPrograms() {}

    static Arbitrary<List<Step>> programs() {
        return combine(opening(0), opening(1), step().list().ofMaxSize(MOST)).as((first, second, steps) -> {
            List<Step> all = new ArrayList<>(first);
            all.addAll(second);
            all.addAll(steps);
            return all;
        });
    }

    /** A connection that has carried bytes, or was only accepted, or none. */
    private static Arbitrary<List<Step>> opening(int connection) {
        Arbitrary<List<Step>> accepted = combine(HOW, HOW)
                .as((connects, accepts) ->
                        List.of(new Openings.Connect(connection, connects), new Openings.Accept(connection, accepts)));
        Arbitrary<List<Step>> hasTalked = accepted.map(steps -> {
            List<Step> all = new ArrayList<>(steps);
            all.add(new Transfers.Talk(connection, 8, 3 + connection));
            return all;
        });
        Arbitrary<List<Step>> none = Arbitraries.just(List.of());
        return connection == 0
                ? Arbitraries.frequencyOf(Tuple.of(8, hasTalked), Tuple.of(4, accepted))
                : Arbitraries.frequencyOf(Tuple.of(2, none), Tuple.of(1, hasTalked), Tuple.of(1, accepted));
    }

    private static Arbitrary<Step> step() {
        return oneOf(List.of(
                Programs.of(30, Programs.transfers()),
                Programs.of(20, Programs.selections(Programs.SELECTABLE, Programs.OPS)),
                Programs.of(8, combine(Programs.SELECTABLE, FLAG).as(Openings.Blocking::new)),
                Programs.of(8, combine(Programs.END, ENDING).as(Endings.Finish::new)),
                Programs.of(2, Programs.END.map(Endings.WriteUntilItFails::new)),
                Programs.of(1, Programs.CONNECTION.map(Endings.CloseListener::new)),
                Programs.of(6, combine(Programs.END, READER, EVENT).as(Waits.BlockedRead::new)),
                Programs.of(
                        4,
                        combine(SELECTOR, Programs.END, Arbitraries.of(Waits.SelectEvent.class))
                                .as(Waits.BlockedSelect::new)),
                Programs.of(
                        2,
                        combine(Programs.END, Arbitraries.of(Waits.Begun.READ, Waits.Begun.WRITE, Waits.Begun.SELECT))
                                .as(Waits.Interrupted::new)),
                Programs.of(3, Programs.SELECTABLE.map(Questions.State::new)),
                Programs.of(1, Programs.SELECTABLE.map(Questions.Options::new)),
                Programs.of(3, combine(Programs.CONNECTION, HOW).as(Openings.Accept::new)),
                Programs.of(2, combine(Programs.CONNECTION, HOW).as(Openings.Connect::new))));
    }
}
