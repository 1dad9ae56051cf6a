// SPDX-License-Identifier: Apache-2.0
package io.accel.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A peer writes any number into either cursor at any time: either published bytes are read, or the connection is reset. */
class StreamWordsFuzzTest {
    private static final int RING = 64;

    /** Each step is a byte that says which, and its operand. */
    @FuzzTest
    void words(byte[] bytes) {
        LoopbackLink link = LoopbackLink.pair(RING)[0];
        StreamReceiver receiver = new StreamReceiver(link);
        StreamSender sender = new StreamSender(link, 1);
        ByteBuffer steps = ByteBuffer.wrap(bytes);
        long read = 0;
        long published = 0;
        long furthest = 0; // bytes that were seen once may be read, though the peer takes them back
        try {
            while (steps.remaining() > Long.BYTES) {
                int step = steps.get();
                switch (step & 3) {
                    case 0 -> {
                        published = (step & 4) == 0 ? published + steps.get() : steps.getLong();
                        furthest = Math.max(furthest, published);
                        link.forgePublished(published);
                    }
                    case 1 -> link.forgeReleased((step & 4) == 0 ? link.released() + steps.get() : steps.getLong());
                    case 2 -> {
                        int room = 1 + (steps.get() & 127);
                        int n = receiver.read(ByteBuffer.allocate(room));
                        assertThat(n).isBetween(-1, Math.min(room, RING));
                        read += Math.max(0, n);
                        assertThat(read).isLessThanOrEqualTo(furthest);
                    }
                    default ->
                        assertThat(sender.write(ByteBuffer.allocate(1 + (steps.get() & 127))))
                                .isBetween(0, RING);
                }
                assertThat(receiver.available()).isBetween(0, RING);
            }
        } catch (CorruptLinkException e) {
            assertThat(e).hasMessageContaining("cursor");
        } catch (IOException e) {
            throw new AssertionError("it is the peer's nonsense alone that ends a connection here", e);
        }
    }
}
