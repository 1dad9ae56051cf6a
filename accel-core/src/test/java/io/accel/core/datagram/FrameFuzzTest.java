// SPDX-License-Identifier: Apache-2.0
package io.accel.core.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.accel.core.stream.CorruptLinkException;
import io.accel.core.stream.LoopbackLink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** A peer that writes what it likes into the ring and its cursor: datagrams that lie there, or the end of the path. */
class FrameFuzzTest {
    private static final int RING = 256;

    /** The first byte says up to where is published, the rest is the ring. */
    @FuzzTest
    void ring(byte[] bytes) throws IOException {
        if (bytes.length < 2) {
            return;
        }
        LoopbackLink link = LoopbackLink.pair(RING)[1];
        DatagramReceiver receiver = new DatagramReceiver(link);
        int published = Byte.toUnsignedInt(bytes[0]) + 1;
        byte[] ring = Arrays.copyOf(Arrays.copyOfRange(bytes, 1, bytes.length), RING);
        link.receiveRing().copyIn(0, ByteBuffer.wrap(ring), 0, RING);
        link.forgePublished(published);
        long at = 0;
        try {
            while (true) {
                int length = receiver.next();
                if (length == DatagramReceiver.NONE) {
                    assertThat(at).isEqualTo(published);
                    return;
                }
                ByteBuffer taken = ByteBuffer.allocate(RING);
                receiver.take(taken);
                int from = (int) at + DatagramFrame.HEADER;
                assertThat(Arrays.copyOf(taken.array(), length))
                        .isEqualTo(Arrays.copyOfRange(ring, from, from + length));
                at += DatagramFrame.size(length);
                assertThat(at).isLessThanOrEqualTo(published);
            }
        } catch (CorruptLinkException e) {
            assertThat(e).hasMessageContaining("path given up");
        }
    }
}
