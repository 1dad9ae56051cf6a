// SPDX-License-Identifier: Apache-2.0
package io.accel.core.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.accel.FallbackReason;
import io.accel.core.fabric.FallbackException;
import java.nio.ByteBuffer;

/** A listener's answer is refused, or is exactly one of the answers of {@link Hello}. */
class AnswerFuzzTest {
    @FuzzTest
    void answer(byte[] bytes) {
        if (bytes.length < Hello.ANSWER) {
            return;
        }
        int status;
        try {
            status = Hello.checkAnswer(ByteBuffer.wrap(bytes));
        } catch (FallbackException e) {
            assertThat(e.reason()).isIn(FallbackReason.BAD_HANDSHAKE, FallbackReason.VERSION_MISMATCH);
            return;
        }
        boolean known = status == Hello.GO || status == Hello.PENDING || status == Hello.DONE;
        if (Hello.isChallenge(status)) {
            assertThat(known || Hello.isGoLarger(status)).isFalse();
            int again = Hello.challenge(Hello.challengedSent(status), Hello.challengedReceived(status));
            assertThat(again).isEqualTo(status);
        } else if (Hello.isGoLarger(status)) {
            assertThat(known).isFalse();
            int size = Hello.goRingSize(status);
            assertThat(Integer.bitCount(size)).isOne();
        } else if (!known) {
            FallbackReason reason = FallbackReason.ofCode(status);
            assertThat(reason == FallbackReason.BAD_HANDSHAKE || reason.code() == status)
                    .isTrue();
        }
    }
}
