// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.accel.core.jdk.JdkAccess;
import io.accel.profile.Profile;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The garbage of connections and sockets that live for one message there and one back, beside that of the JDK's. */
@Timeout(120)
class ShortLivesTest {
    private static final int ROUND = 500;
    private static final int WARM_UP_ROUNDS = 8;
    private static final int ROUNDS = 5;
    /** A connection's two ends. */
    private static final int MOST_OF_A_CONNECTION = 1_700;

    private static final int MOST_OF_A_QUERY = 300;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final ByteBuffer message = ByteBuffer.allocateDirect(64);
    private final SelectorProvider jdk = JdkAccess.kernelProvider();

    @TempDir
    private Path dir;

    private interface Life {
        void pass() throws IOException;
    }

    private SelectorProvider accel(String preset) {
        return new AccelSelectorProvider(Profile.load(preset, Map.of("shm.dir", dir.toString())));
    }

    @ParameterizedTest
    @ValueSource(strings = {"balanced", "latency", "low-cpu"})
    void ofAConnection(String preset) throws IOException {
        long jdks = ofConnection(jdk);
        long ours = ofConnection(accel(preset));
        assertThat(ours - jdks)
                .as("bytes of garbage of a connection, both ends: %d, and the JDK's %d", ours, jdks)
                .isLessThan(MOST_OF_A_CONNECTION);
    }

    private long ofConnection(SelectorProvider provider) throws IOException {
        try (ServerSocketChannel listener = provider.openServerSocketChannel()) {
            listener.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0));
            InetSocketAddress at = (InetSocketAddress) listener.getLocalAddress();
            return garbage(() -> {
                SocketChannel client = provider.openSocketChannel();
                client.setOption(StandardSocketOptions.SO_LINGER, 0); // a port that waits could not be used again
                client.connect(at);
                try (SocketChannel server = listener.accept()) {
                    client.write(message.clear());
                    server.read(message.clear());
                    server.write(message.flip());
                    client.read(message.clear());
                    client.close(); // first
                }
            });
        }
    }

    @Test
    void ofAQuery() throws IOException {
        long jdks = ofQuery(jdk);
        long ours = ofQuery(accel("balanced"));
        assertThat(ours - jdks)
                .as("bytes of garbage of a query: %d, and the JDK's %d", ours, jdks)
                .isLessThan(MOST_OF_A_QUERY);
    }

    private long ofQuery(SelectorProvider provider) throws IOException {
        try (DatagramChannel server = provider.openDatagramChannel()) {
            server.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0));
            InetSocketAddress at = (InetSocketAddress) server.getLocalAddress();
            return garbage(() -> {
                try (DatagramChannel client = provider.openDatagramChannel()) {
                    client.send(message.clear(), at);
                    server.send(message, server.receive(message.clear()));
                    client.receive(message.clear());
                }
            });
        }
    }

    /** The least of some rounds, after the code was compiled. */
    private long garbage(Life life) throws IOException {
        long least = Long.MAX_VALUE;
        for (int round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < ROUND; i++) {
                life.pass();
            }
            long each = (threads.getCurrentThreadAllocatedBytes() - before) / ROUND;
            least = round < 0 ? least : Math.min(least, each);
        }
        return least;
    }
}
