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

/** Programs with datagram channels: two or three that are opened and perhaps bound, and then anything. */
final class DatagramPrograms {
    private static final int MOST = 30;

    private static final Arbitrary<Integer> END = Arbitraries.frequency(Tuple.of(4, 0), Tuple.of(4, 1), Tuple.of(1, 2));
    /** Another channel, or where nobody is. */
    private static final Arbitrary<Integer> TARGET =
            Arbitraries.frequency(Tuple.of(5, 0), Tuple.of(5, 1), Tuple.of(2, 2), Tuple.of(2, World.DATAGRAM_ENDS));

    private static final Arbitrary<Integer> SELECTABLE = END.map(end -> World.FIRST_DATAGRAM_END + end);
    private static final Arbitrary<Integer> SIZE = Arbitraries.frequencyOf(
            Tuple.of(6, Arbitraries.of(0, 1, 2, 3, 7, 8, 9, 64)),
            Tuple.of(6, Arbitraries.integers().between(0, 300)),
            Tuple.of(3, Arbitraries.integers().between(0, 9_000)),
            Tuple.of(
                    2,
                    Arbitraries.of(
                            65_000, Datagrams.LARGEST - 1, Datagrams.LARGEST, Datagrams.LARGEST + 1, 65_527, 65_528)),
            Tuple.of(1, Arbitraries.just(Datagrams.ANY_SIZE)));
    private static final Arbitrary<Integer> ROOM = Arbitraries.frequencyOf(
            Tuple.of(4, Arbitraries.just(Datagrams.ANY_SIZE)),
            Tuple.of(4, Arbitraries.of(0, 1, 2, 8, 9, 64)),
            Tuple.of(4, Arbitraries.integers().between(0, 300)));
    private static final Arbitrary<Integer> OPS = Arbitraries.frequencyOf(
            Tuple.of(8, Arbitraries.of(1, 5, 4, 0, 1, 5)),
            Tuple.of(1, Arbitraries.integers().between(0, 31)));
    private static final Arbitrary<Shape> SHAPE = Arbitraries.of(Shape.class);
    private static final Arbitrary<Boolean> SELDOM = Arbitraries.frequency(Tuple.of(5, false), Tuple.of(1, true));
    private static final Arbitrary<Datagrams.How> HOW = Arbitraries.frequency(
            Tuple.of(4, Datagrams.How.ALONE), Tuple.of(3, Datagrams.How.CONNECTED), Tuple.of(1, Datagrams.How.ADAPTOR));

    private DatagramPrograms() {}

    static Arbitrary<List<Step>> programs() {
        Arbitrary<List<Step>> warm = Arbitraries.frequencyOf(
                Tuple.of(4, Arbitraries.just(List.of(new DatagramOpenings.Warm(0, 1)))),
                Tuple.of(1, Arbitraries.just(List.of())));
        return combine(
                        opening(0),
                        opening(1),
                        opening(2),
                        warm,
                        connecting(),
                        step().list().ofMaxSize(MOST))
                .as((first, second, third, exchange, connect, steps) -> {
                    List<Step> all = new ArrayList<>();
                    for (List<Step> some : List.of(first, second, third, exchange, connect, steps)) {
                        all.addAll(some);
                    }
                    return all;
                });
    }

    /** A channel, with or without some option, that is bound, or not. */
    private static Arbitrary<List<Step>> opening(int end) {
        Arbitrary<List<Step>> open = FLAG.map(internet4 -> List.of(new DatagramOpenings.Open(end, internet4)));
        Arbitrary<List<Step>> flag =
                flags(Arbitraries.just(World.FIRST_DATAGRAM_END + end)).map(List::of);
        Arbitrary<List<Step>> options =
                Arbitraries.frequencyOf(Tuple.of(8, Arbitraries.just(List.of())), Tuple.of(1, flag));
        Arbitrary<List<Step>> bind = Arbitraries.frequencyOf(
                Tuple.of(
                        8,
                        Arbitraries.frequency(
                                        Tuple.of(3, DatagramOpenings.Where.LOOPBACK),
                                        Tuple.of(1, DatagramOpenings.Where.ALL_ADDRESSES))
                                .map(where -> List.of(new DatagramOpenings.Bind(end, where)))),
                Tuple.of(1, Arbitraries.just(List.of())));
        return combine(open, options, bind).as((opened, set, bound) -> {
            List<Step> all = new ArrayList<>(opened);
            all.addAll(set);
            all.addAll(bound);
            return all;
        });
    }

    private static Arbitrary<List<Step>> connecting() {
        Arbitrary<Step> there = Arbitraries.just(new DatagramOpenings.Connect(0, 1, false));
        Arbitrary<Step> back = Arbitraries.just(new DatagramOpenings.Connect(1, 0, false));
        return Arbitraries.frequencyOf(
                Tuple.of(2, Arbitraries.just(List.of())),
                Tuple.of(1, there.map(List::of)),
                Tuple.of(2, combine(there, back).as(List::of)));
    }

    private static Arbitrary<Step> step() {
        return oneOf(List.of(
                Programs.of(20, combine(END, TARGET, SIZE, SHAPE, HOW).as(Datagrams.Send::new)),
                Programs.of(16, combine(END, ROOM, SHAPE, HOW).as(Datagrams.Receive::new)),
                Programs.of(6, combine(END, ROOM).as(Datagrams.ReceiveAll::new)),
                Programs.of(
                        3,
                        combine(END, END, Arbitraries.integers().between(1, 40), SIZE)
                                .as(Datagrams.Talk::new)),
                Programs.of(18, Programs.selections(SELECTABLE, OPS)),
                Programs.of(6, combine(SELECTABLE, FLAG).as(Openings.Blocking::new)),
                Programs.of(8, openings()),
                Programs.of(8, waits()),
                Programs.of(4, questions()),
                Programs.of(2, flags(SELECTABLE))));
    }

    private static Arbitrary<Step> openings() {
        return oneOf(List.of(
                Programs.of(4, combine(END, TARGET, SELDOM).as(DatagramOpenings.Connect::new)),
                Programs.of(3, combine(END, SELDOM).as(DatagramOpenings.Disconnect::new)),
                Programs.of(2, combine(END, SELDOM).as(DatagramOpenings.Close::new)),
                Programs.of(1, combine(END, FLAG).as(DatagramOpenings.Open::new)),
                Programs.of(
                        1,
                        combine(END, Arbitraries.of(DatagramOpenings.Where.class))
                                .as(DatagramOpenings.Bind::new)),
                Programs.of(1, combine(END, END).as(DatagramOpenings.Warm::new))));
    }

    private static Arbitrary<Step> waits() {
        return oneOf(List.of(
                Programs.of(
                        6,
                        combine(END, END, SHAPE, HOW, Arbitraries.of(DatagramWaits.Event.class))
                                .as(DatagramWaits.BlockedReceive::new)),
                Programs.of(
                        4,
                        combine(SELECTOR, END, END, Arbitraries.of(DatagramWaits.SelectEvent.class))
                                .as(DatagramWaits.BlockedSelect::new)),
                Programs.of(
                        2,
                        combine(END, TARGET, Arbitraries.of(DatagramWaits.Begun.class))
                                .as(DatagramWaits.Interrupted::new))));
    }

    private static Arbitrary<Step> questions() {
        return oneOf(List.of(
                Programs.of(2, SELECTABLE.map(Questions.State::new)),
                Programs.of(2, SELECTABLE.map(Questions.AdaptorState::new)),
                Programs.of(1, SELECTABLE.map(Questions.Options::new))));
    }

    private static Arbitrary<Step> flags(Arbitrary<Integer> selectable) {
        Arbitrary<Integer> flag = Arbitraries.integers().between(0, Questions.FLAGS.size() - 1);
        Arbitrary<Integer> number = Arbitraries.integers().between(0, Questions.NUMBERS.size() - 1);
        return oneOf(List.of(
                Programs.of(1, combine(selectable, flag, FLAG).as(Questions.SetFlag::new)),
                Programs.of(
                        1,
                        combine(selectable, number, Arbitraries.integers().between(-1, 300))
                                .as(Questions.SetNumber::new))));
    }
}
