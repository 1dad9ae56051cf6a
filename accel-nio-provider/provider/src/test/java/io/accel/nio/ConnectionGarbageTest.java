// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.accel.core.jdk.JdkAccess;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The objects that Accel makes for a connection that ends before anybody asks for a link, beside those that the JDK makes for it. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ConnectionGarbageTest {
    private static final int CONNECTIONS = 1_000;
    /** The round with the least garbage counts: in the first rounds the code is not fully compiled. */
    private static final int ROUNDS = 8;
    /** Bytes at both ends together, 200 at each: a wrapper and a plain stream. With all that a link needs they took 1,400. */
    private static final int MOST_BYTES_MORE = 400;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void aShortConnectionMakesLittleMoreThanTheKernels() throws IOException {
        long kernels = bytesOfOne(JdkAccess.kernelProvider());
        assertThat(bytesOfOne(new AccelSelectorProvider()) - kernels)
                .as("bytes that connecting, accepting and closing make beside the JDK's " + kernels)
                .isBetween(0L, (long) MOST_BYTES_MORE);
    }

    private long bytesOfOne(SelectorProvider provider) throws IOException {
        try (ServerSocketChannel listener = provider.openServerSocketChannel()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            long least = Long.MAX_VALUE;
            for (int i = 0; i < ROUNDS; i++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                connect(provider, listener);
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            return least / CONNECTIONS;
        }
    }

    private static void connect(SelectorProvider provider, ServerSocketChannel listener) throws IOException {
        for (int i = 0; i < CONNECTIONS; i++) {
            try (SocketChannel client = provider.openSocketChannel()) {
                client.connect(listener.getLocalAddress());
                listener.accept().close();
            }
        }
    }
}
