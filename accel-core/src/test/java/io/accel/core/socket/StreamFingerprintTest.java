// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.core.fabric.Beginnings;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** The fingerprint of a direction's first bytes tells them from others, however they were cut. */
class StreamFingerprintTest {
    private static final int MORE = Beginnings.LIMIT + 1000;

    private final byte[] bytes = new byte[MORE];
    private final Random random = new Random(1);

    StreamFingerprintTest() {
        random.nextBytes(bytes);
    }

    @Test
    void hasTheSumOfEachLengthThatCanBeCompared() {
        for (int longest : new int[] {1, 3, 64, 65, 200, 5000}) {
            StreamFingerprint print = new StreamFingerprint();
            for (int at = 0; at < MORE; ) {
                int n = Math.min(1 + random.nextInt(longest), MORE - at);
                ByteBuffer piece = random.nextBoolean() ? ByteBuffer.allocate(n + 7) : ByteBuffer.allocateDirect(n + 7);
                piece.position(5).put(bytes, at, n);
                print.note(at, random.nextBoolean() ? piece : piece.asReadOnlyBuffer(), 5, n);
                at += n;
                assertThat(print.count()).isEqualTo(Math.min(at, Beginnings.LIMIT));
            }
            assertThat(print.isOpen()).isFalse();
            for (int length = 0; length <= Beginnings.LIMIT; length++) {
                if (Beginnings.isComparable(length, print.count())) {
                    assertThat(print.sum(length)).as("of %s", length).isEqualTo(sum(length));
                }
            }
        }
    }

    private int sum(int length) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, 0, length);
        return (int) sum.getValue();
    }

    @Test
    void twoEndsCompareAsMuchAsBothHave() {
        assertThat(Beginnings.common(0, 9)).isZero();
        assertThat(Beginnings.common(63, 5)).isEqualTo(5);
        assertThat(Beginnings.common(64, 4096)).isEqualTo(64);
        assertThat(Beginnings.common(100, 127)).isEqualTo(64);
        assertThat(Beginnings.common(4096, 128)).isEqualTo(128);
        assertThat(Beginnings.isComparable(100, 4096)).isFalse();
        assertThat(Beginnings.isComparable(-64, 4096)).isFalse();
        assertThat(Beginnings.isComparable(128, 127)).isFalse();
    }

    @Test
    void whoHasMissedBytesAddsNone() {
        StreamFingerprint print = new StreamFingerprint();
        print.note(0, ByteBuffer.wrap(bytes), 0, 10);
        print.note(11, ByteBuffer.wrap(bytes), 11, 10);
        assertThat(print.count()).isEqualTo(10);
        assertThat(print.sum(10)).isEqualTo(sum(10));
        assertThatThrownBy(() -> print.sum(11)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void nothingIsAddedToAFrozenOne() {
        StreamFingerprint print = new StreamFingerprint();
        print.note(0, ByteBuffer.wrap(bytes), 0, 10);
        print.freeze();
        print.note(10, ByteBuffer.wrap(bytes), 10, 10);
        assertThat(print.count()).isEqualTo(10);
        assertThat(print.isOpen()).isFalse();
    }
}
