// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.accel.FallbackReason;
import io.accel.PathInfo;
import io.accel.core.jdk.JdkAccess;
import io.accel.core.observe.CaptureRequest;
import io.accel.core.observe.CaptureSource;
import io.accel.core.socket.Captures;
import io.accel.profile.Profile;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The paths of Unix-domain streams, the reports about them, and their packets in a capture. */
@Timeout(60)
class UnixPathsTest {
    private static final long PATIENCE_SECONDS = 30;

    private final Deque<Closeable> open = new ArrayDeque<>();

    @TempDir
    private Path dir;

    private record Pair(AccelSocketChannel client, AccelSocketChannel server) {
        void talk(String text) throws IOException {
            send(client, server, text);
            send(server, client, text);
        }

        private static void send(SocketChannel from, SocketChannel to, String text) throws IOException {
            ByteBuffer bytes = StandardCharsets.US_ASCII.encode(text);
            while (bytes.hasRemaining()) {
                from.write(bytes);
            }
            ByteBuffer got = ByteBuffer.allocate(text.length());
            while (got.hasRemaining()) {
                assertThat(to.read(got)).isPositive();
            }
            assertThat(got.flip()).isEqualTo(StandardCharsets.US_ASCII.encode(text));
        }
    }

    @AfterEach
    void closeAll() throws IOException {
        for (Closeable each : open) {
            each.close();
        }
    }

    private <C extends Closeable> C closing(C one) {
        open.push(one);
        return one;
    }

    private AccelSelectorProvider provider(String... settings) throws IOException {
        Map<String, String> all = new HashMap<>();
        all.put("unix.streams", "true");
        all.put("handover.after", "0");
        all.put("shm.dir", Files.createDirectories(dir.resolve("shm")).toString());
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            all.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        return new AccelSelectorProvider(Profile.load("balanced", all));
    }

    private ServerSocketChannel listener(SelectorProvider provider) throws IOException {
        return closing(provider.openServerSocketChannel(StandardProtocolFamily.UNIX))
                .bind(UnixDomainSocketAddress.of(dir.resolve("app.sock")));
    }

    private SocketChannel client(SelectorProvider provider) throws IOException {
        return closing(provider.openSocketChannel(StandardProtocolFamily.UNIX));
    }

    private Pair pair(SelectorProvider ofClient, ServerSocketChannel listener) throws IOException {
        SocketChannel client = client(ofClient);
        client.connect(listener.getLocalAddress());
        return new Pair((AccelSocketChannel) client, (AccelSocketChannel) closing(listener.accept()));
    }

    private static void awaitMoved(Pair pair) {
        await().atMost(PATIENCE_SECONDS, TimeUnit.SECONDS).untilAsserted(() -> {
            pair.talk("x");
            assertThat(pair.client().path()).hasToString("shm");
            assertThat(pair.server().path()).hasToString("shm");
        });
    }

    private static void assertByRule(PathInfo path, String rule) {
        assertThat(path.path()).isEqualTo("kernel");
        assertThat(path.reason()).isEqualTo(FallbackReason.RULE);
        assertThat(path.detail()).startsWith(rule);
    }

    @Test
    void withoutTheSettingTheyAreTheJdks() throws IOException {
        assertThat(client(provider("unix.streams=false"))).isNotInstanceOf(AccelSocketChannel.class);
        assertThat(client(new AccelSelectorProvider(Profile.load("balanced", Map.of()))))
                .isNotInstanceOf(AccelSocketChannel.class);
    }

    @Test
    void bothEndsSayWhichPathTheyHave() throws IOException {
        AccelSelectorProvider provider = provider();
        Pair pair = pair(provider, listener(provider));
        assertThat(pair.client().path().reason()).isEqualTo(FallbackReason.TOO_LITTLE);
        awaitMoved(pair);
    }

    @Test
    void aRuleOfAPathLeavesThemToTheKernelAtTheClient() throws IOException {
        AccelSelectorProvider ruled = provider("rule.7=kernel client unix:" + dir + "/*.sock");
        Pair pair = pair(ruled, listener(provider()));
        for (int i = 0; i < 100; i++) {
            pair.talk("x");
        }
        assertByRule(pair.client().path(), "rule.7=kernel client unix:");
        assertThat(pair.server().path().reason()).isEqualTo(FallbackReason.PEER_NOT_ACCELERATED);
    }

    @Test
    void aRuleOfAPathLeavesThemToTheKernelAtTheServer() throws IOException {
        AccelSelectorProvider ruled = provider("rule.7=kernel server unix:**");
        Pair pair = pair(provider(), listener(ruled));
        await().atMost(PATIENCE_SECONDS, TimeUnit.SECONDS).untilAsserted(() -> {
            pair.talk("x");
            assertThat(pair.client().path().reason()).isEqualTo(FallbackReason.PEER_NOT_ACCELERATED);
        });
        assertByRule(pair.server().path(), "rule.7=kernel server unix:**");
    }

    @Test
    void rulesOfOtherPathsAndOfAddressesDoNotMatter() throws IOException {
        AccelSelectorProvider provider = provider(
                "rule.1=kernel * *:*", "rule.2=kernel * unix:/nowhere/*", "rule.3=kernel * unix:" + dir + "/app");
        awaitMoved(pair(provider, listener(provider)));
    }

    @Test
    void aPathIsThatOfTheFileWhicheverWayItIsWritten() throws IOException {
        Path roundabout = dir.resolve("shm").resolve("..").resolve("app.sock");
        AccelSelectorProvider ruled = provider("rule.1=kernel * unix:" + dir + "/app.sock");
        ServerSocketChannel listener = closing(ruled.openServerSocketChannel(StandardProtocolFamily.UNIX))
                .bind(UnixDomainSocketAddress.of(roundabout));
        Pair pair = pair(ruled, listener);
        assertByRule(pair.client().path(), "rule.1=");
        assertByRule(pair.server().path(), "rule.1=");
    }

    @Test
    void withoutARendezvousAClientThatMustBeAcceleratedIsRefused() throws IOException {
        ServerSocketChannel jdks = listener(JdkAccess.kernelProvider());
        SocketChannel client = client(provider("fallback=fail"));
        assertThatThrownBy(() -> client.connect(jdks.getLocalAddress()))
                .isExactlyInstanceOf(ConnectException.class)
                .hasMessageStartingWith("not accelerated, and fallback=fail: PEER_NOT_ACCELERATED: no rendezvous in ");
        assertThat(client.isOpen()).isFalse();
    }

    /** In the same process, where the rendezvous of the first is still open. */
    @Test
    void aListenerWithoutAccelInTheSamePlaceIsNotTheOneThatWasThere() throws IOException {
        AccelSelectorProvider provider = provider("fallback=fail");
        ServerSocketChannel first = listener(provider);
        Path file = ((UnixDomainSocketAddress) first.getLocalAddress()).getPath();
        Files.move(file, dir.resolve("moved"));
        listener(JdkAccess.kernelProvider());
        SocketChannel client = client(provider);
        assertThatThrownBy(() -> client.connect(UnixDomainSocketAddress.of(file)))
                .isExactlyInstanceOf(ConnectException.class)
                .hasMessageStartingWith("not accelerated, and fallback=fail: PEER_NOT_ACCELERATED: no rendezvous in ");
    }

    @Test
    void aRuleExcusesFromWhatFallbackAsksFor() throws IOException {
        ServerSocketChannel jdks = listener(JdkAccess.kernelProvider());
        AccelSelectorProvider provider = provider("fallback=fail", "rule.1=kernel * unix:" + dir + "/**");
        SocketChannel client = client(provider);
        assertThat(client.connect(jdks.getLocalAddress())).isTrue();
        assertByRule(((AccelSocketChannel) client).path(), "rule.1=");
    }

    @Test
    void aClientThatMustBeAcceleratedIsServed() throws IOException {
        AccelSelectorProvider provider = provider("fallback=fail");
        awaitMoved(pair(provider, listener(provider)));
    }

    @Test
    void aListenerThatMustBeAcceleratedIsRefusedWithoutItsDirectory() throws IOException {
        AccelSelectorProvider provider =
                provider("fallback=fail", "shm.dir=" + dir.resolve("nowhere").resolve("shm"));
        ServerSocketChannel listener = closing(provider.openServerSocketChannel(StandardProtocolFamily.UNIX));
        assertThatThrownBy(() -> listener.bind(UnixDomainSocketAddress.of(dir.resolve("app.sock"))))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("listener not accelerated, and fallback=fail: SHM_DIR: ");
        assertThat(listener.isOpen()).isFalse();
    }

    /** As TCP packets between two addresses that no network has; one names the socket's file and the other the connection. */
    @Test
    void aCaptureShowsThem() throws Exception {
        AccelSelectorProvider provider = provider();
        Pair pair = pair(provider, listener(provider));
        awaitMoved(pair);
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        CountDownLatch begun = new CountDownLatch(1);
        FutureTask<CaptureSource.Totals> capture = new FutureTask<>(
                () -> Captures.get().capture(new CaptureRequest(Set.of(1), 2, 0), "test", sink(file, begun)));
        Thread thread = new Thread(capture, "capture");
        thread.start();
        try {
            assertThat(begun.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            pair.talk("here and there");
            CaptureSource.Totals totals = capture.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertThat(totals.kept()).isEqualTo(2);
        } finally {
            thread.interrupt();
            thread.join();
        }
        String packets = file.toString(StandardCharsets.ISO_8859_1);
        assertThat(packets.split("here and there", -1)).hasSize(3);
        long inode = ((Number) Files.getAttribute(dir.resolve("app.sock"), "unix:ino")).longValue();
        String name = new String(ByteBuffer.allocate(Long.BYTES).putLong(inode).array(), StandardCharsets.ISO_8859_1);
        assertThat(packets).contains("\u00fd\u0001").contains("\u00fd\u0002").contains(name);
    }

    private static CaptureSource.Sink sink(ByteArrayOutputStream file, CountDownLatch begun) {
        return new CaptureSource.Sink() {
            @Override
            public void take(ByteBuffer part) {
                byte[] bytes = new byte[part.remaining()];
                part.get(bytes);
                file.writeBytes(bytes);
                begun.countDown();
            }

            @Override
            public boolean isWanted() {
                return true;
            }
        };
    }
}
