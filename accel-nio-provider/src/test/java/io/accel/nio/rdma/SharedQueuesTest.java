// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.rdma;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.accel.nio.AccelSelectorProvider;
import io.accel.nio.AccelSocketChannel;
import io.accel.profile.Profile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * The channels of a selector share what their device has of completion queues, and go on working when one of them leaves that selector. All
 * that waits sleeps: nothing but a doorbell can wake it.
 */
@EnabledIfEnvironmentVariable(
        named = "ACCEL_LAB_HOST",
        matches = "A",
        disabledReason = "not in the lab: samples/lab/junit runs this there")
@Timeout(300)
class SharedQueuesTest {
    private static final String ADDRESS = "10.78.0.1";
    private static final int MESSAGE = 3_000;
    private static final int ROUNDS = 20;
    private static final long PATIENCE_MILLIS = 60_000;

    private final AccelSelectorProvider provider = new AccelSelectorProvider(Profile.load(
            "low-cpu",
            Map.of(
                    "fabric.order", "rdma",
                    "handover.after", "4/64KiB",
                    "handover.idle", "forever",
                    "connect.probe-timeout", "60s",
                    "handshake.timeout", "60s")));
    private final List<SocketChannel> clients = new ArrayList<>();
    private Selector selector;
    private Echo echo;

    /** A server on one selector and one thread. */
    private static final class Echo {
        private final Selector selector;
        private final ServerSocketChannel listener;
        private final FutureTask<Void> task = new FutureTask<>(this::run, null);

        Echo(AccelSelectorProvider provider) throws IOException {
            selector = provider.openSelector();
            listener = provider.openServerSocketChannel();
            listener.bind(new InetSocketAddress(ADDRESS, 0));
            listener.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
            Thread thread = new Thread(task, "echo");
            thread.setDaemon(true);
            thread.start();
        }

        private void run() {
            try {
                ByteBuffer bytes = ByteBuffer.allocate(4 * MESSAGE);
                while (selector.isOpen()) {
                    selector.select(key -> serve(key, bytes));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void serve(SelectionKey key, ByteBuffer bytes) {
            try {
                if (key.isAcceptable()) {
                    listener.accept().configureBlocking(false).register(selector, SelectionKey.OP_READ);
                    return;
                }
                SocketChannel channel = (SocketChannel) key.channel();
                if (channel.read(bytes.clear()) < 0) {
                    channel.close();
                    return;
                }
                bytes.flip();
                while (bytes.hasRemaining()) { // there is always room for one message
                    channel.write(bytes);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        InetSocketAddress address() throws IOException {
            return (InetSocketAddress) listener.getLocalAddress();
        }

        void stop() throws Exception {
            selector.wakeup();
            listener.close();
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
            selector.close();
            task.get(20, TimeUnit.SECONDS);
        }
    }

    @BeforeEach
    void open() throws Exception {
        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> count("qp") <= 1); // the kernel's own
        echo = new Echo(provider);
        selector = provider.openSelector();
    }

    @AfterEach
    void close() throws Exception {
        for (SocketChannel client : clients) {
            client.close();
        }
        selector.close();
        echo.stop();
        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> count("qp") <= 1 && count("cq") <= 1);
    }

    /** How many the device has of a kind. */
    private static int count(String kind) throws Exception {
        Process process = new ProcessBuilder("rdma", "resource", "show").start();
        try {
            String all = new String(process.getInputStream().readAllBytes(), UTF_8);
            Matcher found = Pattern.compile(" " + kind + " (\\d+) ").matcher(all + " ");
            assertThat(found.find()).as("%s in %s", kind, all).isTrue();
            return Integer.parseInt(found.group(1));
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** Connects, and has the connections move to the device, of the selector both ends. */
    private void connect(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            SocketChannel client = provider.openSocketChannel();
            clients.add(client);
            client.connect(echo.address());
            client.configureBlocking(false);
            client.register(selector, SelectionKey.OP_READ);
        }
        for (SocketChannel client : clients) {
            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
            while (!((AccelSocketChannel) client).path().isAccelerated()) {
                roundTrip(client, selector, 1);
                assertThat(System.nanoTime() - deadline)
                        .as("the path is %s", ((AccelSocketChannel) client).path())
                        .isNegative();
            }
            roundTrip(client, selector, 2);
        }
    }

    private static void roundTrip(SocketChannel client, Selector waiting, int seed) throws IOException {
        ByteBuffer sent = message(seed);
        while (sent.hasRemaining()) {
            client.write(sent);
        }
        ByteBuffer got = ByteBuffer.allocate(MESSAGE);
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        while (got.hasRemaining()) {
            if (client.read(got) < 0) {
                throw new AssertionError("ended after " + got.position());
            }
            if (got.hasRemaining() && waiting != null) {
                waiting.select(PATIENCE_MILLIS);
                waiting.selectedKeys().clear();
            }
            assertThat(System.nanoTime() - deadline).as("no answer").isNegative();
        }
        assertThat(got.flip()).isEqualTo(message(seed));
    }

    private static ByteBuffer message(int seed) {
        ByteBuffer bytes = ByteBuffer.allocate(MESSAGE);
        for (int i = 0; i < MESSAGE; i++) {
            bytes.put(i, (byte) (31 * i + seed));
        }
        return bytes;
    }

    /** Has a thread exchange messages over some connections that stay, until the result is asked for. */
    private FutureTask<Void> keepTalking(List<SocketChannel> over) {
        FutureTask<Void> task = new FutureTask<>(() -> {
            for (int round = 0; round < ROUNDS; round++) {
                for (SocketChannel one : over) {
                    roundTrip(one, selector, round);
                }
            }
            return null;
        });
        Thread thread = new Thread(task, "those that stay");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    @Test
    void theChannelsOfOneSelectorShareQueues() throws Exception {
        connect(10);
        assertThat(count("qp")).isGreaterThanOrEqualTo(20);
        assertThat(count("cq")).as("of 10 connections, both ends").isLessThanOrEqualTo(1 + 2 * 2);
        for (int round = 0; round < ROUNDS; round++) {
            for (SocketChannel client : clients) {
                roundTrip(client, selector, round);
            }
        }
    }

    /** Whether the selector that it has left is in use or not. */
    @Test
    void aChannelThatMovesToAnotherSelectorGoesOn() throws Exception {
        connect(3);
        SocketChannel moved = clients.get(1);
        moved.keyFor(selector).cancel();
        selector.selectNow();
        try (AbstractSelector other = provider.openSelector()) {
            moved.register(other, SelectionKey.OP_READ);
            for (int round = 0; round < ROUNDS; round++) {
                roundTrip(moved, other, round);
            }
            FutureTask<Void> rest = keepTalking(List.of(clients.get(0), clients.get(2)));
            for (int round = 0; round < ROUNDS; round++) {
                roundTrip(moved, other, round);
            }
            rest.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            moved.keyFor(other).cancel();
            other.selectNow();
            moved.register(selector, SelectionKey.OP_READ);
            roundTrip(moved, selector, 7);
        }
    }

    @Test
    void aChannelThatIsMadeBlockingGoesOn() throws Exception {
        connect(3);
        SocketChannel moved = clients.get(1);
        moved.keyFor(selector).cancel();
        selector.selectNow();
        moved.configureBlocking(true);
        for (int round = 0; round < ROUNDS; round++) {
            roundTrip(moved, null, round);
        }
        FutureTask<Void> rest = keepTalking(List.of(clients.get(0), clients.get(2)));
        for (int round = 0; round < ROUNDS; round++) {
            roundTrip(moved, null, round);
        }
        rest.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        assertThat(((AccelSocketChannel) moved).path().isAccelerated()).isTrue();
    }

    /** The selector is closed, and with it all that watched the queue; the channel outlives it. */
    @Test
    void aChannelOutlivesItsSelector() throws Exception {
        connect(2);
        selector.close();
        SocketChannel left = clients.get(0);
        left.configureBlocking(true);
        for (int round = 0; round < ROUNDS; round++) {
            roundTrip(left, null, round);
        }
        clients.get(1).close();
        roundTrip(left, null, 3);
        try (AbstractSelector other = provider.openSelector()) {
            left.configureBlocking(false).register(other, SelectionKey.OP_READ);
            roundTrip(left, other, 4);
        }
    }
}
