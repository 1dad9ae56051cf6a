// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ResumeRecordTest {
    private static final long NONCE = 0x0102_0304_0506_0708L;

    private static void give(ByteBuffer bytes, ByteArrayOutputStream to) {
        while (bytes.hasRemaining()) {
            to.write(bytes.get());
        }
    }

    /** Pieces of all sizes, with beginnings of a record among the program's bytes. */
    @Test
    void isFoundWhereverItStands() {
        SplittableRandom random = new SplittableRandom(3);
        for (int round = 0; round < 20_000; round++) {
            byte[] before = bytes(random);
            byte[] after = bytes(random);
            ByteBuffer stream = ByteBuffer.allocate(before.length + ResumeRecord.SIZE + after.length)
                    .put(before)
                    .put(ResumeRecord.of(NONCE, 77))
                    .put(after)
                    .flip();
            ResumeRecord sought = new ResumeRecord(NONCE);
            ByteArrayOutputStream got = new ByteArrayOutputStream();
            while (stream.hasRemaining()) {
                int n = Math.min(stream.remaining(), 1 + random.nextInt(40));
                give(sought.sift(stream.slice(stream.position(), n)), got);
                stream.position(stream.position() + n);
            }
            assertThat(sought.isFound()).isTrue();
            assertThat(sought.received()).isEqualTo(77);
            assertThat(sought.isFirst()).isEqualTo(before.length == 0);
            byte[] all = ByteBuffer.allocate(before.length + after.length)
                    .put(before)
                    .put(after)
                    .array();
            assertThat(got.toByteArray()).isEqualTo(all);
        }
    }

    private static byte[] bytes(SplittableRandom random) {
        ByteBuffer bytes = ByteBuffer.allocate(200);
        for (int parts = random.nextInt(4); parts > 0; parts--) {
            ByteBuffer record = ResumeRecord.of(random.nextBoolean() ? NONCE : NONCE + 1, 5);
            bytes.put(record.limit(random.nextInt(16)));
            bytes.put((byte) 0x55); // which is nowhere in the record's key
        }
        byte[] all = new byte[bytes.flip().remaining()];
        bytes.get(all);
        return all;
    }

    @Test
    void anotherLinksIsTheProgramsBusiness() {
        ResumeRecord sought = new ResumeRecord(NONCE);
        ByteBuffer other = ResumeRecord.of(NONCE + 1, 5);
        assertThat(sought.sift(other.duplicate())).isEqualTo(other);
        assertThat(sought.isFound()).isFalse();
    }

    @Test
    void whatWasHeldComesAtTheEnd() {
        ResumeRecord sought = new ResumeRecord(NONCE);
        ByteBuffer begun = ResumeRecord.of(NONCE, 5).limit(20);
        assertThat(sought.sift(begun.duplicate()).hasRemaining()).isFalse();
        assertThat(sought.end()).isEqualTo(begun);
        assertThat(sought.end().hasRemaining()).isFalse();
    }
}
