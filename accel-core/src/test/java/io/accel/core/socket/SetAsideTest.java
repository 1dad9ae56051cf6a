// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is set aside comes out as it went in, and its cost grows with its size and no faster. */
class SetAsideTest {
    private static final int PIECE = 1 << 16;
    private static final int PIECES = 128;

    @Test
    void manyPiecesAreNotCopiedAgainForEachOther() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assumeTrue(threads.isThreadAllocatedMemorySupported());
        SetAside aside = new SetAside();
        ByteBuffer piece = ByteBuffer.allocate(PIECE);
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < PIECES; i++) {
            aside.addProgramBytes(piece.duplicate());
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(aside.size()).isEqualTo(PIECE * PIECES);
        assertThat(allocated).as("bytes allocated for %s", PIECE * PIECES).isLessThan(4L * PIECE * PIECES);
    }

    /** In pieces of any size, some of which are read meanwhile. */
    @Test
    void bytesComeOutInTheirOrder() throws IOException {
        Random random = new Random(11);
        SetAside aside = new SetAside();
        int given = 0;
        int taken = 0;
        for (int i = 0; i < 10_000; i++) {
            byte[] piece = new byte[random.nextInt(50)];
            for (int j = 0; j < piece.length; j++) {
                piece[j] = (byte) given++;
            }
            aside.addProgramBytes(ByteBuffer.wrap(piece));
            ByteBuffer read = ByteBuffer.allocate(random.nextInt(52));
            int n = aside.read(read);
            for (int j = 0; j < n; j++) {
                assertThat(read.get(j)).isEqualTo((byte) taken++);
            }
            assertThat(aside.size()).isEqualTo(given - taken);
            assertThat(aside.isEmpty()).isEqualTo(given == taken);
        }
    }
}
