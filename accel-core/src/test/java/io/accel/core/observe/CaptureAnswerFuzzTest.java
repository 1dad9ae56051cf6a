// SPDX-License-Identifier: Apache-2.0
package io.accel.core.observe;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The answer of a process to {@code accel capture}, which may be root's, is a file that begins as such a file does, in the parts in which
 * it was sent, and the way in which it ended. Everything else is an {@link IOException}.
 */
class CaptureAnswerFuzzTest {
    @FuzzTest
    void answer(byte[] bytes) {
        ByteBuffer sent = ByteBuffer.wrap(bytes);
        CaptureAnswer answer = new CaptureAnswer(length -> {
            assertThat(length).isBetween(0, CaptureAnswer.LONGEST_PART);
            if (sent.remaining() < length) {
                throw new EOFException("that was all");
            }
            ByteBuffer taken = sent.slice(sent.position(), length);
            sent.position(sent.position() + length);
            return taken;
        });
        ByteBuffer again = ByteBuffer.allocate(bytes.length);
        try {
            ByteBuffer part;
            while ((part = answer.next()) != null) {
                assertThat(answer.totals()).isNull();
                again.putInt(part.remaining()).put(part);
            }
        } catch (IOException e) {
            assertThat(e.getMessage())
                    .matches(
                            "that was all|another capture .*|the process (sends nonsense: a part of .* bytes|sends nonsense: .* packets"
                                    + "|runs an older Accel, .*)");
            assertThat(answer.totals()).isNull();
            checkSame(again, bytes);
            return;
        }
        CaptureSource.Totals totals = answer.totals();
        assertThat(totals.kept()).isNotNegative();
        assertThat(totals.dropped()).isNotNegative();
        again.putInt(StatsService.END_OF_CAPTURE).putLong(totals.kept()).putLong(totals.dropped());
        assertThat(again.position()).isEqualTo(sent.position());
        checkSame(again, bytes);
    }

    private static void checkSame(ByteBuffer again, byte[] bytes) {
        assertThat(again.flip()).isEqualTo(ByteBuffer.wrap(bytes, 0, again.limit()));
        if (again.hasRemaining()) {
            assertThat(again.getInt(Integer.BYTES))
                    .as("what the file begins with")
                    .isEqualTo(CaptureAnswer.SECTION);
        }
    }
}
