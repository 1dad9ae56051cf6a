// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.accel.core.fabric.Link;
import java.nio.ByteBuffer;

/** What an RDMA peer writes while a connection lives: immediate words, and the words of its control cell. */
class WordsFuzzTest {
    private static final int DEPTH = 64;

    private final ByteBuffer memory = ByteBuffer.allocateDirect(ControlCell.SIZE);

    /** Each message is a byte that says which, and its word or words. */
    @FuzzTest
    void words(byte[] bytes) {
        ByteBuffer said = ByteBuffer.wrap(bytes);
        ControlCell cell = new ControlCell(memory, DEPTH);
        Inbound inbound = new Inbound();
        ReceiveCredits credits = new ReceiveCredits(DEPTH);
        long used = 0;
        while (said.remaining() > ControlCell.SIZE) {
            switch (said.get() & 3) {
                case 0 -> take(inbound, said.getInt());
                case 1 -> {
                    if (credits.allowState()) {
                        credits.use();
                        used++;
                    }
                }
                case 2 -> {
                    for (int i = 0; i < ControlCell.SIZE; i++) {
                        memory.put(i, said.get()); // as pieces of several writes may lie there
                    }
                    readCell(cell, credits, used);
                }
                default -> {
                    // An honest check word, behind which the counts are what they like.
                    new ControlCell(memory, 0).write(said.getLong(), said.getLong());
                    readCell(cell, credits, used);
                }
            }
        }
    }

    private static void take(Inbound inbound, int word) {
        long before = inbound.published();
        String wrong = inbound.take(word);
        if (wrong != null || before == Inbound.NONSENSE) {
            assertThat(inbound.published()).isEqualTo(Inbound.NONSENSE);
        } else {
            assertThat(inbound.published() - before).isBetween(0L, (long) Immediate.MAX_VALUE);
        }
        assertThat(inbound.states() & ~Link.SAID).isZero();
    }

    private static void readCell(ControlCell cell, ReceiveCredits credits, long used) {
        long consumed = cell.consumed();
        long posted = cell.posted();
        if (!cell.read()) {
            assertThat(cell.consumed()).isEqualTo(consumed);
            assertThat(cell.posted()).isEqualTo(posted);
        }
        boolean granted = credits.grant(cell.posted(), DEPTH);
        assertThat(granted && cell.posted() - used > DEPTH).isFalse();
    }
}
