// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.accel.profile.Keys;
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
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The presets differ in what they do, not only in what they say. */
class PresetsTest {
    /** The beginning of a link: the place where its direction left the kernel, on a cache line of its own. */
    private static final int OWN = 64;
    /** How much later than the earliest time a link may be given back, on a slow machine. */
    private static final int LATE_SECONDS = 30;

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

    /** A first link costs 10 ms, of which a message saves a part. Whether it comes then depends on the machine. */
    @Test
    void connectionsStayWithTheKernelUntilTheyHavePaidForALink() throws IOException {
        assertStaysFor("latency", 249);
        assertStaysFor("throughput", 1_999);
        assertStaysFor("balanced", 1_999);
        assertStaysFor("low-cpu", 4_999);
    }

    /** So many writes of one byte do not pay for a link in a process that has had none. */
    private static void assertStaysFor(String preset, int writes) throws IOException {
        Profile profile = Profile.load(preset, Map.of());
        assertThat(profile.get(Keys.HANDOVER_AFTER).isPriced()).as(preset).isTrue();
        assertThat(profile.get(Keys.HANDOVER_SAVING) * (writes + 1)).as(preset).isEqualTo(10_000_000);
        try (Pair pair = new Pair(new AccelSelectorProvider(profile), false)) {
            for (int i = 0; i < writes; i++) {
                pair.send(1);
            }
            // A connection that had asked before this one would have moved before it.
            try (Pair later = new Pair(provider("latency"))) {
                later.awaitMoved();
            }
            assertThat(pair.isMoved()).as(preset).isFalse();
        }
    }

    /** The others keep theirs for a minute, or for ever; {@code -Dall} waits for that, too. */
    @Test
    @Timeout(150)
    void idleConnectionsGiveTheirMemoryBackWhenThePresetSays() throws IOException {
        try (Pair lowCpu = new Pair(provider("low-cpu"));
                Pair balanced = new Pair(provider("balanced"));
                Pair throughput = new Pair(provider("throughput"));
                Pair latency = new Pair(provider("latency"))) {
            long start = System.nanoTime();
            lowCpu.send(1);
            balanced.send(1);
            throughput.send(1);
            latency.send(1);
            assertGivesBackAfter(lowCpu, start, 10);
            assertThat(balanced.isMoved()).isTrue();
            assertThat(throughput.isMoved()).isTrue();
            if (System.getProperty("all") != null) {
                assertGivesBackAfter(balanced, start, 60);
                assertGivesBackAfter(throughput, start, 60);
            }
            assertThat(latency.isMoved()).isTrue();
        }
    }

    private static void assertGivesBackAfter(Pair pair, long start, int seconds) {
        await().atMost(Duration.ofSeconds(seconds + LATE_SECONDS)).until(() -> !pair.isMoved());
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofSeconds(seconds));
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

    /** In one write, which takes all bytes for which there is room: some time later the kernel takes further bytes. */
    private static int takenWithoutAReader(String preset) throws IOException {
        try (Pair pair = new Pair(provider(preset))) {
            pair.client.configureBlocking(false);
            return pair.client.write(ByteBuffer.allocate(4 << 20));
        }
    }

    private static long processorNanosOfAWait(String preset) throws IOException {
        // Other threads that want the core are no reason to sleep here.
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
        final ServerSocketChannel listener;
        final SocketChannel client;
        final SocketChannel server;

        Pair(AccelSelectorProvider provider) throws IOException {
            this(provider, true);
        }

        Pair(AccelSelectorProvider provider, boolean moved) throws IOException {
            // A connection moves only while its listener is open.
            listener = provider.openServerSocketChannel();
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            client = provider.openSocketChannel();
            client.connect(listener.getLocalAddress());
            server = listener.accept();
            if (moved) {
                assertThat(isMoved()).isTrue();
            }
        }

        boolean isMoved() {
            return ((AccelSocketChannel) client).path().path().equals("shm");
        }

        void awaitMoved() {
            await().until(this::isMoved);
        }

        /** In one write, which the peer reads. */
        void send(int bytes) throws IOException {
            assertThat(client.write(ByteBuffer.allocate(bytes))).isEqualTo(bytes);
            ByteBuffer read = ByteBuffer.allocate(bytes);
            while (read.hasRemaining()) {
                assertThat(server.read(read)).isPositive();
            }
        }

        @Override
        public void close() throws IOException {
            listener.close();
            client.close();
            server.close();
        }
    }
}
