// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import java.nio.ByteBuffer;

/** Private data of either end: an offer, a refusal, or neither, which is refused. */
class OfferFuzzTest {
    @FuzzTest
    void privateData(byte[] bytes) {
        assertThat(Offer.refused(ByteBuffer.wrap(bytes)).reason()).isNotNull();
        Offer offer;
        try {
            offer = Offer.decode(ByteBuffer.wrap(bytes));
        } catch (FallbackException e) {
            assertThat(e.reason()).isIn(FallbackReason.BAD_HANDSHAKE, FallbackReason.VERSION_MISMATCH);
            return;
        }
        assertThat(offer.ringSize()).isBetween(Offer.LEAST_RING, Offer.MOST_RING);
        assertThat(Integer.bitCount(offer.ringSize())).isOne();
        assertThat(offer.receives()).isBetween(ReceiveCredits.LEAST, 0xffff);
        assertThat(offer.port()).isBetween(0, 0xffff);
        try {
            assertThat(Offer.decode(offer.encode())).isEqualTo(offer);
        } catch (FallbackException e) {
            throw new AssertionError("refuses what it has said itself", e);
        }
    }
}
