// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** A peer's record among any other bytes of the anchor, in any pieces: the program gets exactly the other bytes. */
class ResumeRecordFuzzTest {
    static final long NONCE = 0x0102_0304_0506_0708L;
    private static final int KEY = 16;

    /** The first byte says how long pieces are; the rest comes. */
    @FuzzTest
    void stream(byte[] bytes) {
        if (bytes.length < 2) {
            return;
        }
        int longest = 1 + (bytes[0] & 31);
        byte[] came = Arrays.copyOfRange(bytes, 1, bytes.length);
        ResumeRecord record = new ResumeRecord(NONCE);
        ByteArrayOutputStream program = new ByteArrayOutputStream();
        int at = 0;
        for (int piece = 0; at < came.length; piece++) {
            int n = Math.min(came.length - at, 1 + (came[piece % came.length] & 31) % longest);
            give(record.sift(ByteBuffer.wrap(came, at, n).slice()), program);
            at += n;
        }
        int place = place(came);
        assertThat(record.isFound()).isEqualTo(place >= 0);
        assertThat(record.hasSeenMore()).isEqualTo(place != 0);
        if (place >= 0) {
            assertThat(record.received()).isEqualTo(ByteBuffer.wrap(came).getLong(place + KEY));
            assertThat(record.isFirst()).isEqualTo(place == 0);
            assertThat(program.toByteArray()).isEqualTo(without(came, place));
        } else {
            give(record.end(), program);
            assertThat(program.toByteArray()).isEqualTo(came);
        }
    }

    private static void give(ByteBuffer bytes, ByteArrayOutputStream to) {
        while (bytes.hasRemaining()) {
            to.write(bytes.get());
        }
    }

    /** The index at which the first whole record begins; -1 if there is none. */
    static int place(byte[] came) {
        byte[] key = Arrays.copyOf(ResumeRecord.of(NONCE, 0).array(), KEY);
        for (int i = 0; i + ResumeRecord.SIZE <= came.length; i++) {
            if (Arrays.equals(came, i, i + KEY, key, 0, KEY)) {
                return i;
            }
        }
        return -1;
    }

    static byte[] without(byte[] came, int place) {
        return ByteBuffer.allocate(came.length - ResumeRecord.SIZE)
                .put(came, 0, place)
                .put(came, place + ResumeRecord.SIZE, came.length - place - ResumeRecord.SIZE)
                .array();
    }
}
