// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a work request's identifier says of its link comes back, and of no other link that had the place. */
@Timeout(10)
class RequestIdTest {
    private static final long[] NUMBERS = {
        0, 1, 255, Integer.MAX_VALUE, 1L << 31, (1L << 32) - 1, 1L << 32, Long.MAX_VALUE
    };

    @Test
    void namesThePlaceAndTheLink() {
        for (int place : new int[] {0, 1, 77, RequestId.PLACES - 1}) {
            for (int turn : new int[] {0, 1, 0x7fff, 0x8000, 0xffff}) {
                long link = RequestId.ofLink(place, turn);
                long next = RequestId.ofLink(place, turn + 1);
                long beside = RequestId.ofLink((place + 1) % RequestId.PLACES, turn);
                for (long number : NUMBERS) {
                    long id = RequestId.send(link, number);
                    assertThat(RequestId.isReceive(id)).isFalse();
                    assertThat(RequestId.place(id)).isEqualTo(place);
                    assertThat((int) id).isEqualTo((int) number);
                    assertThat(RequestId.isOf(id, link)).isTrue();
                    assertThat(RequestId.isOf(id, next)).isFalse();
                    assertThat(RequestId.isOf(id, beside)).isFalse();
                }
                long receive = RequestId.receive(link);
                assertThat(RequestId.isReceive(receive)).isTrue();
                assertThat(RequestId.place(receive)).isEqualTo(place);
                assertThat(RequestId.isOf(receive, link)).isTrue();
                assertThat(RequestId.isOf(receive, next)).isFalse();
            }
        }
    }

    @Test
    void theLowHalfOfANumberIsEnough() {
        SendLedger ledger = new SendLedger(32, 8, 1 << 20);
        for (long number = 0; number < 1_000; number++) {
            assertThat(ledger.next()).isEqualTo(number);
            ledger.post(true, 1, number);
            if (number % 30 == 29) {
                assertThat(ledger.numberOf((int) number)).isEqualTo(number);
                long unused = ledger.complete(number);
            }
        }
    }
}
