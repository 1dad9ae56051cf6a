// SPDX-License-Identifier: Apache-2.0
package io.accel.core.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.stream.CorruptLinkException;
import io.accel.core.stream.LoopbackLink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** The datagram protocol against its model: any sizes, any order, small rings that wrap and overflow all the time. */
class DatagramPropertiesTest {
    enum Kind {
        SEND,
        RECEIVE,
        SKIP
    }

    record Step(Kind kind, int length, int pieces, boolean direct) {
        void run(DatagramModel model) throws IOException {
            switch (kind) {
                case SEND -> model.send(length, pieces, direct);
                case RECEIVE -> model.receive(length, pieces, direct);
                case SKIP -> model.skip();
            }
        }
    }

    @Property(tries = 3_000)
    void carriesEachDatagramOnceWholeAndInOrderOrDropsIt(@ForAll("rings") int ring, @ForAll("steps") List<Step> steps)
            throws IOException {
        DatagramModel model = new DatagramModel(ring);
        for (Step step : steps) {
            step.run(model);
            model.check();
        }
        while (model.underWay() > 0) {
            model.receive(200, 0, false);
            model.check();
        }
        model.receive(1, 0, false);
        // However full it was: what was emptied takes the longest that the three quarters hold.
        model.send(Math.max(0, ring * 3 / 4 - 8), 0, true);
        assertThat(model.underWay()).isEqualTo(1);
    }

    /** Wherever in the ring a datagram begins. */
    @Property(tries = 300)
    void everyLengthAroundTheRingsSize(@ForAll @IntRange(max = 70) int length, @ForAll @IntRange(max = 20) int before)
            throws IOException {
        DatagramModel model = new DatagramModel(64);
        for (int i = 0; i < before; i++) {
            model.send(i % 9, 0, false);
            model.skip();
        }
        model.send(length, 0, false);
        model.receive(100, 0, false);
        model.check();
    }

    /** The longest that there are, in the smallest ring that a profile can give. */
    @Example
    void theLongestFitIntoAnEmptiedRingWhereverTheyBegin() throws IOException {
        DatagramModel model = new DatagramModel(128 * 1024);
        int round = 0;
        for (int length : new int[] {0, 1, 7, 8, 9, 65_506, 65_507, 65_508, 65_526, DatagramFrame.MOST}) {
            for (int shift = 0; shift < 40; shift++) {
                model.send(length, round % 3, round % 2 == 0);
                assertThat(model.underWay()).isEqualTo(1);
                model.receive(DatagramFrame.MOST, round % 3, round % 2 == 1);
                model.send(shift * 97, 0, true);
                model.skip();
                model.check();
                round++;
            }
        }
    }

    /** Both ends take what a correct peer writes at the longest, and not a byte more. */
    @Example
    void aFrameLongerThanAnyDatagramIsRefused() throws IOException {
        LoopbackLink[] ends = LoopbackLink.pair(128 * 1024);
        new DatagramSender(ends[0]).send(ByteBuffer.allocate(DatagramFrame.MOST + 1));
        DatagramReceiver receiver = new DatagramReceiver(ends[1]);
        org.assertj.core.api.Assertions.assertThatThrownBy(receiver::next).isInstanceOf(CorruptLinkException.class);
    }

    @Provide
    Arbitrary<Integer> rings() {
        return Arbitraries.of(8, 16, 32, 64, 256, 1024);
    }

    @Provide
    Arbitrary<List<Step>> steps() {
        return Combinators.combine(
                        Arbitraries.frequency(
                                net.jqwik.api.Tuple.of(5, Kind.SEND),
                                net.jqwik.api.Tuple.of(4, Kind.RECEIVE),
                                net.jqwik.api.Tuple.of(1, Kind.SKIP)),
                        Arbitraries.integers().between(0, 120),
                        Arbitraries.integers().between(0, 4),
                        Arbitraries.of(true, false))
                .as(Step::new)
                .list()
                .ofMinSize(10)
                .ofMaxSize(120);
    }
}
