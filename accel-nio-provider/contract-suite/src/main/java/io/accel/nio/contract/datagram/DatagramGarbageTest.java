// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.accel.nio.contract.DatagramSupport;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What receiving makes garbage of does not depend on how large a datagram may be. */
@Tag("datagram")
class DatagramGarbageTest extends DatagramSupport {
    private static final int ROUNDS = 200;
    /** A buffer for the largest datagram is thirty times as much. */
    private static final long MOST_PER_ROUND = 2_048;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private interface Round {
        void run() throws IOException;
    }

    @Test
    void ofReadingNothingIntoSeveralBuffers() throws IOException {
        DatagramChannel channel = connectedEnds().nonBlocking().right();
        ByteBuffer[] buffers = {ByteBuffer.allocate(10), ByteBuffer.allocate(20)};
        assertThat(allocated(() -> assertThat(channel.read(buffers)).isZero())).isLessThan(MOST_PER_ROUND);
    }

    @Test
    void ofReadingIntoSeveralBuffers() throws IOException {
        Ends ends = connectedEnds();
        byte[] text = new byte[15];
        ByteBuffer[] buffers = {ByteBuffer.allocate(10), ByteBuffer.allocate(20)};
        assertThat(allocated(() -> {
                    ends.left().write(ByteBuffer.wrap(text));
                    buffers[0].clear();
                    buffers[1].clear();
                    assertThat(ends.right().read(buffers)).isEqualTo(15);
                }))
                .isLessThan(MOST_PER_ROUND);
    }

    @Test
    void ofReceivingIntoALargePacket() throws IOException {
        Ends ends = connectedEnds();
        DatagramSocket socket = ends.right().socket();
        byte[] text = new byte[15];
        DatagramPacket packet = new DatagramPacket(new byte[LARGEST], LARGEST);
        assertThat(allocated(() -> {
                    ends.left().write(ByteBuffer.wrap(text));
                    socket.receive(packet);
                    assertThat(packet.getLength()).isEqualTo(15);
                }))
                .isLessThan(MOST_PER_ROUND);
    }

    /** Bytes that a round allocates, after others that have loaded and kept what they need. */
    private long allocated(Round round) throws IOException {
        for (int i = 0; i < ROUNDS; i++) {
            round.run();
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < ROUNDS; i++) {
            round.run();
        }
        return (threads.getCurrentThreadAllocatedBytes() - before) / ROUNDS;
    }
}
