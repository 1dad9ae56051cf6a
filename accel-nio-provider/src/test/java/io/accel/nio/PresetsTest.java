package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.profile.Profile;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The presets differ in what they do, not only in what they say. */
class PresetsTest {
    /** What a link begins with: where its direction left the kernel, on a cache line of its own. */
    private static final int OWN = 64;

    @Test
    void throughputTakesMoreBeforeTheWriterWaits() throws IOException {
        assertThat(takenWithoutAReader("throughput")).isEqualTo((256 << 10) - OWN);
        assertThat(takenWithoutAReader("balanced")).isEqualTo((64 << 10) - OWN);
        assertThat(takenWithoutAReader("low-cpu")).isEqualTo((32 << 10) - OWN);
    }

    @Test
    void latencyGoesOnLookingAndTheOthersSleep() throws IOException {
        long latency = processorNanosOfAWait("latency");
        assertThat(latency).isGreaterThan(3 * processorNanosOfAWait("balanced"));
        assertThat(latency).isGreaterThan(3 * processorNanosOfAWait("low-cpu"));
    }

    @Test
    void offIsTheJdk() throws IOException {
        AccelSelectorProvider provider = provider("off");
        try (SocketChannel channel = provider.openSocketChannel();
                ServerSocketChannel listener = provider.openServerSocketChannel();
                Selector selector = provider.openSelector()) {
            assertThat(channel.provider()).isSameAs(provider.kernel());
            assertThat(listener.provider()).isSameAs(provider.kernel());
            assertThat(selector.provider()).isSameAs(provider.kernel());
        }
    }

    private static long takenWithoutAReader(String preset) throws IOException {
        try (Pair pair = new Pair(provider(preset))) {
            pair.client.configureBlocking(false);
            ByteBuffer bytes = ByteBuffer.allocate(4 << 20);
            while (pair.client.write(bytes) > 0) {
                // as long as it takes any
            }
            return bytes.position();
        }
    }

    private static long processorNanosOfAWait(String preset) throws IOException {
        // Others that want the core are no reason to sleep here.
        AccelSelectorProvider provider = new AccelSelectorProvider(
                Profile.load(preset, Map.of("handover.after", "connect", "poll.yield", "never")));
        try (Pair pair = new Pair(provider);
                Selector selector = provider.openSelector()) {
            pair.server.configureBlocking(false);
            pair.server.register(selector, SelectionKey.OP_READ);
            pair.client.write(ByteBuffer.allocate(1));
            selector.select(10_000);
            selector.selectedKeys().clear();
            pair.server.read(ByteBuffer.allocate(1));
            long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            assertThat(selector.select(500)).isZero();
            return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before;
        }
    }

    private static AccelSelectorProvider provider(String preset) {
        return new AccelSelectorProvider(Profile.load(preset, Map.of("handover.after", "connect")));
    }

    private static final class Pair implements AutoCloseable {
        final SocketChannel client;
        final SocketChannel server;

        Pair(AccelSelectorProvider provider) throws IOException {
            try (ServerSocketChannel listener = provider.openServerSocketChannel()) {
                listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                client = provider.openSocketChannel();
                client.connect(listener.getLocalAddress());
                server = listener.accept();
            }
            assertThat(((AccelSocketChannel) client).path().path()).isEqualTo("shm");
        }

        @Override
        public void close() throws IOException {
            client.close();
            server.close();
        }
    }
}
