// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.fuzz;

import static io.accel.nio.fuzz.Programs.FLAG;
import static io.accel.nio.fuzz.Programs.oneOf;
import static net.jqwik.api.Combinators.combine;

import io.accel.nio.fuzz.Pieces.Piece;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Tuple;

/** Programs with a connection and two datagram channels, and operations on them of which some have a buffer that fails. */
final class BufferPrograms {
    private static final int MOST = 30;
    private static final int MOST_PIECES = 5;

    private static final Arbitrary<Integer> END = Arbitraries.of(0, 1);
    private static final Arbitrary<Integer> SIZE = Arbitraries.frequencyOf(
            Tuple.of(4, Arbitraries.of(0, 1, 2, 8, 64)),
            Tuple.of(4, Arbitraries.integers().between(0, 300)),
            Tuple.of(2, Arbitraries.integers().between(0, 9_000)));
    /** Most buffers do not fail, so that bytes are on their way when one does. */
    private static final Arbitrary<Material> MATERIAL = Arbitraries.frequencyOf(
            Tuple.of(
                    8,
                    Arbitraries.of(
                            Material.HEAP,
                            Material.DIRECT,
                            Material.SLICE,
                            Material.MAPPING,
                            Material.MAPPING_SLICE,
                            Material.SHARED,
                            Material.CONFINED)),
            Tuple.of(2, Arbitraries.of(Material.class)));

    private static final Arbitrary<List<Piece>> PIECES =
            combine(MATERIAL, SIZE).as(Piece::new).list().ofMinSize(1).ofMaxSize(MOST_PIECES);

    private BufferPrograms() {}

    static Arbitrary<List<Step>> programs() {
        Arbitrary<Boolean> connects = FLAG;
        return combine(FLAG, connects, step().list().ofMinSize(1).ofMaxSize(MOST))
                .as((talks, connected, steps) -> {
                    List<Step> all = new ArrayList<>();
                    all.add(new Openings.Connect(0, Openings.How.BLOCKING));
                    all.add(new Openings.Accept(0, Openings.How.BLOCKING));
                    if (talks) {
                        all.add(new Transfers.Talk(0, 6, 3));
                    }
                    for (int end = 0; end < 2; end++) {
                        all.add(new DatagramOpenings.Open(end, false));
                        all.add(new DatagramOpenings.Bind(end, DatagramOpenings.Where.LOOPBACK));
                    }
                    all.add(new DatagramOpenings.Warm(0, 1));
                    if (connected) {
                        all.add(new DatagramOpenings.Connect(0, 1, false));
                        all.add(new DatagramOpenings.Connect(1, 0, false));
                    }
                    all.addAll(steps);
                    return all;
                });
    }

    private static Arbitrary<Step> step() {
        return oneOf(List.of(
                Programs.of(16, combine(END, PIECES, FLAG).as(BufferSteps.Write::new)),
                Programs.of(16, combine(END, PIECES, FLAG).as(BufferSteps.Read::new)),
                Programs.of(10, combine(END, END, PIECES, FLAG, FLAG).as(BufferSteps.Send::new)),
                Programs.of(10, combine(END, PIECES, FLAG, FLAG).as(BufferSteps.Receive::new)),
                Programs.of(
                        4,
                        combine(Arbitraries.of(0, 1, World.FIRST_DATAGRAM_END, World.FIRST_DATAGRAM_END + 1), FLAG)
                                .as(Openings.Blocking::new)),
                Programs.of(
                        2,
                        combine(Arbitraries.just(0), Arbitraries.integers().between(1, 4), SIZE)
                                .as(Transfers.Talk::new)),
                Programs.of(
                        1,
                        combine(
                                        END,
                                        Arbitraries.of(
                                                Endings.Ending.SHUT_OUTPUT,
                                                Endings.Ending.SHUT_INPUT,
                                                Endings.Ending.CLOSE))
                                .as(Endings.Finish::new))));
    }
}
