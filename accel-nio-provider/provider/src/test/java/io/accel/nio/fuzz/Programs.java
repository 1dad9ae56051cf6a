// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import static net.jqwik.api.Combinators.combine;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Tuple;
import net.jqwik.api.Tuple.Tuple2;

/** The programs: some steps before connections, connections, and then anything. */
final class Programs {
    private static final int BEFORE = 3;
    private static final int MOST = 25;
    private static final int LARGE = 600_000;

    private static final Arbitrary<Integer> ENDS = Arbitraries.integers().between(0, 2 * World.CONNECTIONS - 1);
    /** The ends of one connection rather than another's, so that something happens to it. */
    static final Arbitrary<Integer> END =
            Arbitraries.frequencyOf(Tuple.of(4, Arbitraries.integers().between(0, 1)), Tuple.of(1, ENDS));

    static final Arbitrary<Integer> CONNECTION =
            Arbitraries.frequencyOf(Tuple.of(4, Arbitraries.just(0)), Tuple.of(1, Arbitraries.just(1)));
    static final Arbitrary<Integer> SELECTABLE = Arbitraries.frequencyOf(
            Tuple.of(5, END),
            Tuple.of(1, Arbitraries.integers().between(2 * World.CONNECTIONS, 3 * World.CONNECTIONS - 1)));
    static final Arbitrary<Integer> SELECTOR = Arbitraries.frequency(Tuple.of(4, 0), Tuple.of(1, 1));
    private static final Arbitrary<Integer> SIZE = Arbitraries.frequencyOf(
            Tuple.of(3, Arbitraries.of(0, 1, 2, 3, 7, 8, 9, 64)),
            Tuple.of(3, Arbitraries.integers().between(0, 300)),
            Tuple.of(2, Arbitraries.integers().between(0, World.ROOM)));
    private static final Arbitrary<Integer> LARGE_SIZE = Arbitraries.frequencyOf(
            Tuple.of(2, SIZE), Tuple.of(3, Arbitraries.integers().between(0, LARGE)));
    static final Arbitrary<Integer> OPS = Arbitraries.frequencyOf(
            Tuple.of(8, Arbitraries.of(1, 5, 4, 0, 1, 5)),
            Tuple.of(1, Arbitraries.just(16)),
            Tuple.of(1, Arbitraries.integers().between(0, 31)));
    private static final Arbitrary<Shape> SHAPE = Arbitraries.of(Shape.class);
    static final Arbitrary<Boolean> FLAG = Arbitraries.of(false, true);
    private static final Arbitrary<Openings.How> HOW = Arbitraries.of(Openings.How.class);

    private Programs() {}

    static Arbitrary<List<Step>> programs() {
        return combine(
                        early().list().ofMaxSize(BEFORE),
                        opening(0),
                        opening(1),
                        step().list().ofMaxSize(MOST))
                .as((before, first, second, steps) -> {
                    List<Step> all = new ArrayList<>(before);
                    all.addAll(first);
                    all.addAll(second);
                    all.addAll(steps);
                    return all;
                });
    }

    /** A connection that is accepted at once, or perhaps later, or none. */
    private static Arbitrary<List<Step>> opening(int connection) {
        Arbitrary<Step> connect = HOW.map(how -> new Openings.Connect(connection, how));
        Arbitrary<Step> accept = HOW.map(how -> new Openings.Accept(connection, how));
        Arbitrary<List<Step>> both = combine(connect, accept).as(List::of);
        Arbitrary<List<Step>> one = connect.map(List::of);
        return connection == 0
                ? Arbitraries.frequencyOf(
                        Tuple.of(12, both), Tuple.of(2, one), Tuple.of(1, Arbitraries.just(List.of())))
                : Arbitraries.frequencyOf(
                        Tuple.of(2, Arbitraries.just(List.of())), Tuple.of(2, both), Tuple.of(1, one));
    }

    private static Arbitrary<Step> early() {
        return oneOf(List.of(
                of(2, combine(SELECTABLE, FLAG).as(Openings.Blocking::new)),
                of(2, combine(SELECTABLE, SELECTOR, OPS).as(Selections.Register::new)),
                of(2, setFlag()),
                of(1, SELECTABLE.map(Openings.Bind::new)),
                of(2, questions()),
                of(1, waits()),
                of(1, transfers()),
                of(1, endings())));
    }

    private static Arbitrary<Step> step() {
        return oneOf(List.of(
                of(30, transfers()),
                of(8, adaptors()),
                of(20, selections(SELECTABLE, OPS)),
                of(8, combine(SELECTABLE, FLAG).as(Openings.Blocking::new)),
                of(10, endings()),
                of(8, waits()),
                of(6, questions()),
                of(3, setFlag()),
                of(1, SELECTABLE.map(Openings.Bind::new)),
                of(3, combine(CONNECTION, HOW).as(Openings.Accept::new)),
                of(2, combine(CONNECTION, HOW).as(Openings.Connect::new)),
                of(1, HOW.map(Openings.ConnectToNobody::new))));
    }

    static Arbitrary<Step> transfers() {
        return oneOf(List.of(
                of(10, combine(END, SIZE, SHAPE).as(Transfers.Write::new)),
                of(10, combine(END, SIZE, SHAPE).as(Transfers.Read::new)),
                of(
                        4,
                        combine(CONNECTION, Arbitraries.integers().between(1, 12), SIZE)
                                .as(Transfers.Talk::new)),
                of(3, combine(CONNECTION, LARGE_SIZE, LARGE_SIZE, SHAPE).as(Transfers.Exchange::new)),
                of(1, combine(END, SIZE).as(Transfers.TransferTo::new)),
                of(1, combine(END, SIZE).as(Transfers.TransferFrom::new))));
    }

    private static Arbitrary<Step> adaptors() {
        return oneOf(List.of(
                of(4, combine(END, SIZE, FLAG).as(Adaptors.StreamRead::new)),
                of(4, combine(END, SIZE).as(Adaptors.StreamWrite::new)),
                of(2, END.map(Adaptors.Available::new)),
                of(1, combine(END, SIZE).as(Adaptors.StreamSkip::new))));
    }

    /** Steps with selectors and keys, for the things with these numbers and with these interests. */
    static Arbitrary<Step> selections(Arbitrary<Integer> selectable, Arbitrary<Integer> ops) {
        return oneOf(List.of(
                of(8, combine(selectable, SELECTOR, ops).as(Selections.Register::new)),
                of(3, combine(selectable, SELECTOR, ops).as(Selections.Interest::new)),
                of(
                        3,
                        combine(selectable, SELECTOR, Arbitraries.of(Selections.KeyAction.class))
                                .as(Selections.Key::new)),
                of(5, combine(SELECTOR, FLAG).as(Selections.Look::new)),
                of(
                        6,
                        combine(SELECTOR, Arbitraries.of(Selections.How.class), FLAG)
                                .as(Selections.Select::new)),
                of(1, SELECTOR.map(Selections.CloseSelector::new))));
    }

    private static Arbitrary<Step> endings() {
        return oneOf(List.of(
                of(8, combine(END, Arbitraries.of(Endings.Ending.class)).as(Endings.Finish::new)),
                of(2, END.map(Endings.WriteUntilItFails::new)),
                of(1, CONNECTION.map(Endings.CloseListener::new))));
    }

    private static Arbitrary<Step> waits() {
        return oneOf(List.of(
                of(
                        8,
                        combine(END, Arbitraries.of(Waits.Reader.class), Arbitraries.of(Waits.Event.class))
                                .as(Waits.BlockedRead::new)),
                of(1, combine(END, Arbitraries.of(Waits.Event.class)).as(Waits.BlockedWrite::new)),
                of(2, combine(END, Arbitraries.of(Together.Event.class)).as(Together::new)),
                of(
                        1,
                        combine(CONNECTION, FLAG, Arbitraries.of(Waits.AcceptEvent.class))
                                .as(Waits.BlockedAccept::new)),
                of(
                        4,
                        combine(SELECTOR, END, Arbitraries.of(Waits.SelectEvent.class))
                                .as(Waits.BlockedSelect::new)),
                of(2, combine(END, Arbitraries.of(Waits.Begun.class)).as(Waits.Interrupted::new))));
    }

    private static Arbitrary<Step> questions() {
        return oneOf(List.of(
                of(2, SELECTABLE.map(Questions.State::new)),
                of(2, SELECTABLE.map(Questions.AdaptorState::new)),
                of(1, SELECTABLE.map(Questions.Options::new))));
    }

    private static Arbitrary<Step> setFlag() {
        Arbitrary<Integer> flag = Arbitraries.integers().between(0, Questions.FLAGS.size() - 1);
        Arbitrary<Integer> number = Arbitraries.integers().between(0, Questions.NUMBERS.size() - 1);
        return oneOf(List.of(
                of(1, combine(SELECTABLE, flag, FLAG).as(Questions.SetFlag::new)),
                of(
                        1,
                        combine(SELECTABLE, number, Arbitraries.integers().between(-1, 300))
                                .as(Questions.SetNumber::new))));
    }

    static Tuple2<Integer, Arbitrary<Step>> of(int weight, Arbitrary<? extends Step> steps) {
        return Tuple.of(weight, steps.map(step -> step));
    }

    static Arbitrary<Step> oneOf(List<Tuple2<Integer, Arbitrary<Step>>> kinds) {
        return Arbitraries.frequencyOf(kinds);
    }
}
