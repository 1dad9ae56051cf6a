// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The soak would notice lost bytes. */
class SoakPartsTest {
    private static final int LENGTH = 150_000;

    private static ByteBuffer noise(long seed, long position) {
        ByteBuffer bytes = ByteBuffer.allocate(LENGTH);
        Noise.fill(seed, position, bytes);
        return bytes.flip();
    }

    @Test
    void rightBytesPassAndAnyOtherDoesNot() throws Exception {
        ByteBuffer bytes = noise(-5, 70_000);
        Noise.check(-5, 70_000, bytes);
        assertThat(bytes.remaining()).isEqualTo(LENGTH);
        bytes.put(LENGTH - 1, (byte) (bytes.get(LENGTH - 1) + 1));
        assertThatThrownBy(() -> Noise.check(-5, 70_000, bytes))
                .isInstanceOf(WrongBytesException.class)
                .hasMessageContaining("byte " + (70_000 + LENGTH - 1));
    }

    @Test
    void aPieceMovedOrOfAnotherStreamIsWrong() {
        for (long moved : new long[] {1, 64, 4096, 65_536}) {
            assertThatThrownBy(() -> Noise.check(3, 0, noise(3, moved))).isInstanceOf(WrongBytesException.class);
        }
        assertThatThrownBy(() -> Noise.check(3, 0, noise(4, 0))).isInstanceOf(WrongBytesException.class);
    }

    @Test
    void aConversationComesBackFromItsHeader() throws Exception {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 100; i++) {
            Conversation conversation = Conversation.random(random, i % 2 == 0, i % 3 == 0);
            ByteBuffer header = ByteBuffer.allocate(Conversation.HEADER);
            conversation.write(header);
            assertThat(Conversation.read(header.flip())).isEqualTo(conversation);
        }
        assertThatThrownBy(() -> Conversation.read(ByteBuffer.allocate(Conversation.HEADER)))
                .isInstanceOf(WrongBytesException.class);
    }

    @Test
    void whatGrowsIsNamed() {
        Held before = new Held(4 << 20, 100 << 20, 20, 200);
        assertThat(new Held(5 << 20, 120 << 20, 22, 230).growthSince(before, "it", true))
                .isEmpty();
        assertThat(new Held(40 << 20, 300 << 20, 90, 900).growthSince(before, "it", false))
                .hasSize(4)
                .allMatch(sentence -> sentence.startsWith("it's "));
    }

    @Test
    void codeThatIsStillToBeCompiledMayTakeMoreMemory() {
        Held before = new Held(4 << 20, 100 << 20, 20, 200);
        Held after = new Held(4 << 20, 150 << 20, 20, 200);
        assertThat(after.growthSince(before, "it", false)).isEmpty();
        assertThat(after.growthSince(before, "it", true))
                .containsExactly("it's resident memory went from 104,857,600 to 157,286,400");
    }

    @Test
    void aResidentsFailureIsALossAndAVictimsIsNotUnlessBytesAreWrong() {
        Tally tally = new Tally();
        tally.failed(false, false, "cut");
        assertThat(tally.lost.get()).isZero();
        assertThat(tally.cut.get()).isEqualTo(1);
        tally.failed(true, false, "cut");
        tally.failed(false, true, "wrong");
        assertThat(tally.lost.get()).isEqualTo(2);
    }
}
