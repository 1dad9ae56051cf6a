// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The arithmetic of receives, completions and the control cell. */
class CreditsTest {
    @Test
    void dataLeavesReceivesToCreditsAndStates() {
        ReceiveCredits credits = new ReceiveCredits(32);
        int data = 0;
        while (credits.allowData()) {
            credits.use();
            data++;
        }
        assertThat(data).isEqualTo(32 - ReceiveCredits.STATES - ReceiveCredits.CREDITS);
        int credit = 0;
        while (credits.allowCredit()) {
            credits.use();
            credit++;
        }
        assertThat(credit).isEqualTo(ReceiveCredits.CREDITS);
        for (int state = 0; state < ReceiveCredits.STATES; state++) {
            assertThat(credits.allowState()).isTrue();
            credits.use();
        }
        assertThat(credits.allowState()).isFalse();

        assertThat(credits.grant(48, 32)).isTrue();
        assertThat(credits.allowData()).isTrue();
    }

    @Test
    void grantsThatCannotBeAreRefused() {
        ReceiveCredits credits = new ReceiveCredits(32);
        assertThat(credits.grant(31, 32)).isFalse();
        assertThat(credits.grant(33, 32)).as("more than there is room for").isFalse();
        credits.use();
        assertThat(credits.grant(33, 32)).isTrue();
        assertThat(credits.grant(Long.MAX_VALUE, 32)).isFalse();
        assertThat(credits.grant(Long.MIN_VALUE, 32)).isFalse();
    }

    @Test
    void aCompletionStandsForAllBeforeIt() {
        SendLedger ledger = new SendLedger(32, 8, 1 << 20);
        for (int i = 0; i < 10; i++) {
            ledger.post(i == 9, 100, (i + 1) * 100L);
        }
        assertThat(ledger.outstanding()).isEqualTo(10);
        assertThat(ledger.hasRoom(22)).isTrue();
        assertThat(ledger.hasRoom(23)).isFalse();
        assertThat(ledger.complete(9)).isEqualTo(1_000);
        assertThat(ledger.outstanding()).isZero();
    }

    @Test
    void completionsOfNothingAreAnError() {
        SendLedger ledger = new SendLedger(32, 8, 1 << 20);
        assertThatThrownBy(() -> ledger.complete(0)).isInstanceOf(IllegalStateException.class);
        ledger.post(true, 1, 1);
        ledger.complete(0);
        assertThatThrownBy(() -> ledger.complete(0)).isInstanceOf(IllegalStateException.class);
    }

    /** Otherwise the tail of a stream, or a full queue, would wait for a completion that never comes. */
    @Test
    void neitherAQuarterOfTheQueueNorTheBytesGoUnsignaled() {
        SplittableRandom random = new SplittableRandom(7);
        for (int depth : new int[] {32, 33, 256, 4096}) {
            SendLedger ledger = new SendLedger(depth, 1_024, 65_536);
            long unsignaled = 0;
            int requests = 0;
            long cursor = 0;
            for (int i = 0; i < 50_000; i++) {
                int bytes = random.nextInt(random.nextBoolean() ? 100 : 40_000);
                boolean signaled = ledger.isSignalDue(bytes);
                cursor += bytes;
                long number = ledger.next();
                assertThat(ledger.hasRoom(1)).isTrue();
                ledger.post(signaled, bytes, cursor);
                unsignaled = signaled ? 0 : unsignaled + bytes;
                requests = signaled ? 0 : requests + 1;
                assertThat(unsignaled).isLessThan(65_536);
                assertThat(requests).isLessThanOrEqualTo(depth / 4);
                if (signaled) {
                    assertThat(ledger.complete(number)).isEqualTo(cursor);
                }
            }
        }
    }

    @Test
    void aCellIsReadOnlyWhenAllOfItIsThere() {
        ByteBuffer mine = ByteBuffer.allocateDirect(64);
        ByteBuffer theirs = ByteBuffer.allocateDirect(64);
        ControlCell writer = new ControlCell(mine, 32);
        ControlCell reader = new ControlCell(theirs, 32);
        assertThat(reader.read()).as("no news").isFalse();
        SplittableRandom random = new SplittableRandom(3);
        long consumed = 0;
        long posted = 32;
        for (int round = 0; round < 2_000; round++) {
            consumed += random.nextInt(1 << 20);
            posted += 1 + random.nextInt(100);
            writer.write(consumed, posted);
            long knownConsumed = reader.consumed();
            long knownPosted = reader.posted();
            // Whatever prefix of it has arrived, byte by byte: either nothing is read, or all of it.
            for (int arrived = 0; arrived < ControlCell.SIZE; arrived++) {
                theirs.put(arrived, mine.get(arrived));
                if (reader.read()) {
                    break;
                }
                assertThat(reader.consumed()).isEqualTo(knownConsumed);
                assertThat(reader.posted()).isEqualTo(knownPosted);
            }
            theirs.put(0, mine, 0, ControlCell.SIZE);
            reader.read();
            assertThat(reader.consumed()).isEqualTo(consumed);
            assertThat(reader.posted()).isEqualTo(posted);
        }
    }
}
