// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The private data of a handshake, also such that no Accel sends. */
class OfferTest {
    /** What a connect request has room for. */
    private static final int LIMIT = 56;

    private static final Offer OFFER = new Offer(
            0x7fff_1234_5678_9000L,
            0xcafe,
            1 << 18,
            256,
            -42,
            65_535,
            true,
            Long.MIN_VALUE + 3,
            new Carried(65_535, 4096, -7));

    @Test
    void comesBackAsItWas() throws FallbackException {
        ByteBuffer bytes = OFFER.encode();
        assertThat(bytes.remaining()).isEqualTo(Offer.SIZE).isLessThanOrEqualTo(LIMIT);
        assertThat(Offer.decode(bytes)).isEqualTo(OFFER);
        assertThat(Offer.decode(padded(OFFER.encode()))).isEqualTo(OFFER);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5, 6, 33, 53})
    void whatIsCutOffIsRefused(int length) {
        assertThatThrownBy(() -> Offer.decode(OFFER.encode().limit(length)))
                .isInstanceOfSatisfying(
                        FallbackException.class, e -> assertThat(e.reason()).isEqualTo(FallbackReason.BAD_HANDSHAKE));
    }

    @Test
    void anotherVersionIsNamed() {
        ByteBuffer bytes = OFFER.encode().putShort(4, (short) 7);
        assertThatThrownBy(() -> Offer.decode(bytes))
                .isInstanceOfSatisfying(
                        FallbackException.class, e -> assertThat(e.reason()).isEqualTo(FallbackReason.VERSION_MISMATCH))
                .hasMessageContaining("version 7");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 11, 27, 31, 255})
    void impossibleRingsAreRefused(int logarithm) {
        ByteBuffer bytes = OFFER.encode().put(20, (byte) logarithm);
        assertThatThrownBy(() -> Offer.decode(bytes)).hasMessageContaining("a ring of 2^" + logarithm);
    }

    @Test
    void tooFewReceivesAreRefused() {
        ByteBuffer bytes = OFFER.encode().putShort(22, (short) (ReceiveCredits.LEAST - 1));
        assertThatThrownBy(() -> Offer.decode(bytes)).hasMessageContaining("receives");
    }

    @Test
    void anythingElseIsRefusedAndNeverWorse() throws FallbackException {
        SplittableRandom random = new SplittableRandom(1);
        for (int round = 0; round < 20_000; round++) {
            ByteBuffer bytes = padded(OFFER.encode());
            for (int i = random.nextInt(1, 6); i > 0; i--) {
                bytes.put(random.nextInt(bytes.limit()), (byte) random.nextInt());
            }
            bytes.limit(random.nextInt(bytes.capacity() + 1));
            try {
                Offer taken = Offer.decode(bytes);
                assertThat(taken.ringSize()).isBetween(Offer.LEAST_RING, Offer.MOST_RING);
                assertThat(taken.receives()).isGreaterThanOrEqualTo(ReceiveCredits.LEAST);
            } catch (FallbackException e) {
                assertThat(e.reason()).isIn(FallbackReason.BAD_HANDSHAKE, FallbackReason.VERSION_MISMATCH);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(FallbackReason.class)
    void aRefusalCarriesItsReason(FallbackReason reason) {
        assertThat(Offer.refused(padded(Offer.refusal(reason))).reason()).isEqualTo(reason);
    }

    @Test
    void aRefusalBySomebodyElseIsNoAccel() {
        for (ByteBuffer bytes : new ByteBuffer[] {ByteBuffer.allocate(0), ByteBuffer.allocate(148)}) {
            assertThat(Offer.refused(bytes).reason()).isEqualTo(FallbackReason.PEER_NOT_ACCELERATED);
        }
    }

    /** As a device hands it over: with zeros behind, and not from the buffer's start. */
    private static ByteBuffer padded(ByteBuffer bytes) {
        ByteBuffer padded = ByteBuffer.allocate(LIMIT);
        return padded.put(bytes).rewind();
    }
}
