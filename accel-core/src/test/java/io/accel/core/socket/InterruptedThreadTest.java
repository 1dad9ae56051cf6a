// SPDX-License-Identifier: Apache-2.0
package io.accel.core.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The JDK's channel closes itself when its thread is interrupted. That is a reset while the announcement of a switch, which is not the
 * program's byte, lies unread in the kernel.
 */
@Timeout(30)
class InterruptedThreadTest {
    /** Makes the client receive over the link, and learn of that from the link alone. */
    private static Lab.Pair unannounced(Lab lab) throws Exception {
        Lab.Pair pair = lab.connectOnly();
        Streams.write(lab.accelerator.waits(), pair.server(), ByteBuffer.allocate(8));
        Incoming in = pair.client().incoming();
        assertThat(in.enter()).isNull();
        try {
            assertThat(in.took(0, ByteBuffer.allocate(0))).isZero();
        } finally {
            in.leave();
        }
        Streams.read(lab.accelerator.waits(), pair.client(), ByteBuffer.allocate(8));
        assertThat(in.isAnnouncementDue()).isTrue();
        return pair;
    }

    private static void assertEndIsOrderly(Lab.Pair pair) throws Exception {
        SocketChannel server = Lab.channel(pair.server());
        assertThat(server.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        pair.close();
    }

    @Test
    void closesInOrder() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of())) {
            Lab.Pair pair = unannounced(lab);
            Thread.currentThread().interrupt();
            Lab.close(pair.client());
            assertThat(Thread.interrupted())
                    .as("the interrupt is still to be seen")
                    .isTrue();
            assertEndIsOrderly(pair);
        }
    }

    /** The JDK's channel closes before Accel knows. */
    @Test
    void writesToTheKernelAndClosesInOrder() throws Exception {
        try (Lab lab = new Lab("balanced", Map.of())) {
            Lab.Pair pair = unannounced(lab);
            assertThat(pair.client().outgoing().fix()).isNull();
            Thread.currentThread().interrupt();
            assertThat(pair.client().outgoing().enter(true)).isNull();
            pair.client().outgoing().leave();
            Lab.channel(pair.client()).close();
            assertThat(Thread.interrupted())
                    .as("the interrupt is still to be seen")
                    .isTrue();
            assertEndIsOrderly(pair);
        }
    }
}
