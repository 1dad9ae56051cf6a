// SPDX-License-Identifier: Apache-2.0
package io.accel.core.stream;

import java.io.IOException;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** The stream protocol against its model: any sizes, any order of operations, small rings that wrap all the time. */
class StreamPropertiesTest {
    enum Kind {
        WRITE,
        APPEND,
        READ,
        LEND,
        GIVE_BACK,
        FINISH,
        SENDER_RESETS,
        SENDER_DIES,
        RECEIVER_CLOSES,
        RECEIVER_RESETS,
        RECEIVER_DIES
    }

    record Step(Kind kind, List<Integer> lengths, boolean direct) {
        void run(StreamModel model) throws IOException {
            switch (kind) {
                case WRITE -> model.write(lengths, direct);
                case APPEND -> model.append(lengths, direct);
                case LEND -> model.lend(1 + lengths.get(0) / 8, 1 + lengths.get(lengths.size() - 1));
                case GIVE_BACK -> model.giveBack(lengths.size() - 1);
                case READ -> model.read(lengths, direct);
                case FINISH -> model.finish();
                case SENDER_RESETS -> model.senderResets();
                case SENDER_DIES -> model.senderDies();
                case RECEIVER_CLOSES -> model.receiverCloses(false);
                case RECEIVER_RESETS -> model.receiverCloses(true);
                case RECEIVER_DIES -> model.receiverDies();
            }
        }
    }

    @Property(tries = 3_000)
    void carriesEveryByteOnceAndInOrder(
            @ForAll("rings") int ring, @ForAll @IntRange(max = 64) int lowWater, @ForAll("transfers") List<Step> steps)
            throws IOException {
        run(ring, lowWater, steps);
    }

    @Property(tries = 3_000)
    void endsAsTcpDoes(
            @ForAll("rings") int ring,
            @ForAll @IntRange(max = 64) int lowWater,
            @ForAll("transfersWithEnds") List<Step> steps)
            throws IOException {
        run(ring, lowWater, steps);
    }

    private static void run(int ring, int lowWater, List<Step> steps) throws IOException {
        StreamModel model = new StreamModel(ring, lowWater);
        for (Step step : steps) {
            step.run(model);
            model.check();
        }
        model.drain();
        model.check();
    }

    @Provide
    Arbitrary<Integer> rings() {
        return Arbitraries.of(1, 2, 4, 8, 16, 64, 256);
    }

    @Provide
    Arbitrary<List<Step>> transfers() {
        return steps(Arbitraries.of(Kind.WRITE, Kind.APPEND, Kind.READ, Kind.LEND, Kind.GIVE_BACK))
                .ofMinSize(10)
                .ofMaxSize(120);
    }

    @Provide
    Arbitrary<List<Step>> transfersWithEnds() {
        return steps(Arbitraries.frequencyOf(
                        net.jqwik.api.Tuple.of(12, Arbitraries.of(Kind.WRITE, Kind.READ, Kind.LEND, Kind.GIVE_BACK)),
                        net.jqwik.api.Tuple.of(1, Arbitraries.of(Kind.class))))
                .ofMaxSize(60);
    }

    private static net.jqwik.api.arbitraries.ListArbitrary<Step> steps(Arbitrary<Kind> kinds) {
        Arbitrary<List<Integer>> lengths =
                Arbitraries.integers().between(0, 100).list().ofMinSize(1).ofMaxSize(4);
        return Combinators.combine(kinds, lengths, Arbitraries.of(true, false))
                .as(Step::new)
                .list();
    }
}
