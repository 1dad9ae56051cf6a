// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The bytes that come over the anchor when a switch's announcement is due there: the announcement, or in its place the record of a peer
 * that could not make one, and then anything.
 */
class SetAsideFuzzTest {
    @FuzzTest
    void behindAnAnnouncement(byte[] bytes) throws IOException {
        if (bytes.length < 2) {
            return;
        }
        int first = 1 + (bytes[0] & 63) % (bytes.length - 1);
        SetAside aside = new SetAside();
        ResumeRecord record = new ResumeRecord(ResumeRecordFuzzTest.NONCE);
        aside.await(record);
        aside.addBehindAnnouncement(ByteBuffer.wrap(bytes, 1, first).slice());
        aside.add(ByteBuffer.wrap(bytes, 1 + first, bytes.length - 1 - first).slice(), true);
        aside.releaseHeld();
        int begin = ResumeRecord.mayBeginWith(bytes[1]) ? 1 : 2;
        byte[] behind = Arrays.copyOfRange(bytes, begin, bytes.length);
        int place = ResumeRecordFuzzTest.place(behind);
        ByteBuffer program = ByteBuffer.allocate(bytes.length);
        int n = aside.read(program);
        assertThat(Arrays.copyOf(program.array(), n))
                .isEqualTo(place < 0 ? behind : ResumeRecordFuzzTest.without(behind, place));
        assertThat(aside.isEmpty()).isTrue();
    }
}
