// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.accel.nio.contract.ContractSupport;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A channel that is registered with no selector makes no garbage when it changes its mode. */
@Tag("stream")
class ModeGarbageTest extends ContractSupport {
    private static final int CHANGES = 10_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void changingTheModeMakesNone() throws IOException {
        SocketChannel channel = closing(SocketChannel.open());
        change(channel);
        long before = threads.getCurrentThreadAllocatedBytes();
        change(channel);
        assertThat((threads.getCurrentThreadAllocatedBytes() - before) / CHANGES)
                .as("bytes for a change to and fro")
                .isZero();
    }

    private static void change(SocketChannel channel) throws IOException {
        for (int i = 0; i < CHANGES; i++) {
            channel.configureBlocking(false);
            channel.configureBlocking(true);
        }
    }
}
