// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.accel.core.jdk.JdkAccess;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Base of the suite's classes: channels that are closed, and threads that are ended, when the test is over.
 *
 * <p>Each test runs on a thread of its own, with a limit; see {@link WithinLimit}.
 */
@ExtendWith({ThroughRelay.class, WithinLimit.class})
@Timeout(1_300) // above any limit of WithinLimit on the slowest machine, instead of the module's own
public abstract class ContractSupport {
    /** How long something that must happen may take by {@link MachineClock}. */
    protected static final int LIMIT_SECONDS = 10;
    /** How long something that must happen may take, in milliseconds: a limit, never a delay. */
    protected static final long LIMIT_MILLIS = LIMIT_SECONDS * 1_000;

    private final Deque<Closeable> resources = new ConcurrentLinkedDeque<>();
    private final Deque<Task<?>> tasks = new ConcurrentLinkedDeque<>();

    /** The two ends of one connection. */
    public record Pair(SocketChannel client, SocketChannel server) {
        public Pair nonBlocking() throws IOException {
            client.configureBlocking(false);
            server.configureBlocking(false);
            return this;
        }
    }

    protected final <C extends Closeable> C closing(C resource) {
        resources.push(resource);
        return resource;
    }

    protected final SocketChannel channel() throws IOException {
        return closing(SocketChannel.open());
    }

    protected final SocketChannel nonBlockingChannel() throws IOException {
        SocketChannel channel = channel();
        channel.configureBlocking(false);
        return channel;
    }

    protected final ServerSocketChannel listener() throws IOException {
        return listener(anyPort());
    }

    protected final ServerSocketChannel listener(SocketAddress address) throws IOException {
        return closing(ServerSocketChannel.open()).bind(address);
    }

    protected final Selector selector() throws IOException {
        return closing(Selector.open());
    }

    /** A new connection, both ends in blocking mode. */
    protected final Pair pair() throws IOException {
        ServerSocketChannel listener = listener();
        Pair pair = pair(listener);
        listener.close();
        return pair;
    }

    protected final Pair pair(ServerSocketChannel listener) throws IOException {
        Set<String> before = MappedRings.names();
        SocketChannel client = closing(SocketChannel.open(destination(listener)));
        return onPath(new Pair(client, closing(listener.accept())), before);
    }

    /**
     * A new connection whose client has no room for another byte. Its buffers have a fixed size, since a kernel would
     * otherwise go on making room for a while; the peer has not read anything.
     */
    protected final Pair fullPair() throws IOException {
        ServerSocketChannel listener = closing(ServerSocketChannel.open());
        listener.setOption(StandardSocketOptions.SO_RCVBUF, 1 << 16).bind(anyPort());
        SocketChannel client = channel().setOption(StandardSocketOptions.SO_SNDBUF, 1 << 16);
        Set<String> before = MappedRings.names();
        client.connect(destination(listener));
        Pair pair = onPath(new Pair(client, closing(listener.accept())), before);
        listener.close();
        Bytes.fill(client);
        return pair;
    }

    /** Asserts that the connection has mapped the memory that its path needs, and nothing of another path. */
    private static Pair onPath(Pair pair, Set<String> before) throws IOException {
        MappedRings.assertOnPath(before, pair.client());
        return pair;
    }

    /** The address that a client connects to for a listener of {@link #host()}, or for one on all addresses. */
    protected static InetSocketAddress destination(ServerSocketChannel listener) throws IOException {
        int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
        return Route.current().to(new InetSocketAddress(host(), port));
    }

    /** The address of the client whose connection was accepted, as the client itself should know it. */
    protected static InetSocketAddress clientOf(SocketChannel accepted) throws IOException {
        return clientOf(accepted.getRemoteAddress());
    }

    /** The same for an address that the accepting end sees. */
    protected static InetSocketAddress clientOf(SocketAddress seen) throws IOException {
        return Route.current().clientOf((InetSocketAddress) seen);
    }

    /** Closes a listener, and returns when clients are refused at its address. */
    protected static void closeToAll(ServerSocketChannel listener) throws IOException {
        InetSocketAddress address = (InetSocketAddress) listener.getLocalAddress();
        listener.close();
        Route.current().closed(address);
    }

    protected final <T> Task<T> start(Callable<T> body) {
        Task<T> task = Task.start(body);
        tasks.push(task);
        return task;
    }

    protected final Task<Void> run(Task.Action action) {
        return start(Task.Action.call(action));
    }

    /** Begins to write single bytes, and returns when none has been taken for a while: the path may have changed meanwhile. */
    protected final Task<Void> waitingWriter(Task.Action write) {
        AtomicLong taken = new AtomicLong();
        Task<Void> writer = run(() -> {
            while (true) {
                write.run();
                taken.incrementAndGet();
            }
        });
        AtomicLong seen = new AtomicLong(-1);
        Awaitility.await().pollInterval(Duration.ofMillis(50)).until(() -> seen.getAndSet(taken.get()) == taken.get());
        return writer.awaitInside("write");
    }

    /** Starts a write, and waits until bytes of it have come to the other end and it waits for room for more. */
    protected final <T> Task<T> startedWriting(Callable<T> write, SocketChannel other) throws IOException {
        Task<T> writer = start(write).awaitInside("write");
        InputStream in = other.socket().getInputStream();
        eventually().until(() -> in.available() > 0);
        return writer;
    }

    protected final <T> Task<T> startVirtual(Callable<T> body) {
        Task<T> task = Task.startVirtual(body);
        tasks.push(task);
        return task;
    }

    /**
     * The number of rounds, or connections, in a test with many: in a short run a fraction of them, whose divisor is the system
     * property {@code contract.fraction}. One connection takes a tenth of a second in a guest of the RDMA lab.
     */
    protected static int times(int full) {
        return full / Integer.getInteger("contract.fraction", 1);
    }

    /**
     * This host's address for the suite: a loopback address, unless the system property {@code contract.address} names
     * another, as it must for RDMA.
     */
    protected static InetAddress host() {
        try {
            String address = System.getProperty("contract.address");
            return address == null ? InetAddress.getLoopbackAddress() : InetAddress.getByName(address);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("contract.address", e);
        }
    }

    /** An address of this host with a port that the system chooses. */
    protected static InetSocketAddress anyPort() {
        return new InetSocketAddress(host(), 0);
    }

    /** An address on which nothing listens, and nothing can listen while the test runs. */
    protected final InetSocketAddress nobodyListens() throws IOException {
        InetSocketAddress there = Route.current().toNobody();
        return there != null
                ? there
                : (InetSocketAddress) channel().bind(anyPort()).getLocalAddress();
    }

    /**
     * An address of this host on which nothing listens, for listeners that come and go: while the test runs the system does not
     * choose its port for anybody else, since a socket that does not listen has it.
     */
    protected final InetSocketAddress keptAddress() throws IOException {
        SocketChannel keeper = closing(JdkAccess.kernelProvider().openSocketChannel());
        // With the option of listeners, which then may bind to it as well.
        keeper.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        return (InetSocketAddress) keeper.bind(anyPort()).getLocalAddress();
    }

    /** A connect that does not end soon, and its channel. */
    public record WaitingConnect(SocketChannel client, Task<Boolean> connect) {}

    /**
     * A connect that waits: to the address that nobody answers on, which the system property {@code contract.silent} names, or
     * else to a listener whose backlog is full. Where neither is possible the test is aborted: a provider whose backlog does
     * not get full breaks no promise. A connect that just takes long, as a JVM's first may on a busy machine, does not count.
     */
    protected final WaitingConnect waitingConnect() throws Exception {
        String silent = System.getProperty("contract.silent");
        if (silent != null) {
            SocketChannel client = channel();
            InetSocketAddress address = new InetSocketAddress(silent, 9);
            return new WaitingConnect(
                    client, start(() -> client.connect(address)).awaitInside("connect"));
        }
        ServerSocketChannel listener = closing(ServerSocketChannel.open()).bind(anyPort(), 1);
        InetSocketAddress address = destination(listener);
        for (int i = 0; i < 20; i++) {
            SocketChannel client = channel();
            Task<Boolean> attempt = start(() -> client.connect(address));
            while (!attempt.finishesWithin(300)) {
                if (!KernelConnections.areKnown() || KernelConnections.isUnanswered(address.getPort())) {
                    return new WaitingConnect(client, attempt);
                }
            }
            assertThat(attempt.result()).isTrue();
        }
        return Assumptions.abort("no connect had to wait");
    }

    /** The limit is by {@link MachineClock}. */
    protected static ConditionFactory eventually() {
        MachineClock.Moment start = MachineClock.Moment.now();
        return Awaitility.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .atMost(Duration.ofSeconds(10 * LIMIT_SECONDS))
                .failFast(() -> assertThat(start.isOver(LIMIT_SECONDS))
                        .as("timed out: it has taken %s", start)
                        .isFalse());
    }

    protected static SelectionKey register(SelectableChannel channel, Selector selector, int ops) throws IOException {
        channel.configureBlocking(false);
        return channel.register(selector, ops);
    }

    /** Selects, as often as it takes, until the key is ready for one of the operations. */
    protected static void awaitReady(SelectionKey key, int ops) throws IOException {
        Selector selector = key.selector();
        MachineClock.Moment start = MachineClock.Moment.now();
        while (!start.isOver(LIMIT_SECONDS)) {
            selector.selectedKeys().clear();
            selector.select(100);
            if (selector.selectedKeys().contains(key) && (key.readyOps() & ops) != 0) {
                return;
            }
        }
        fail("%s did not become ready for %d: it has taken %s", key, ops, start);
    }

    @AfterEach
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    protected final void closeAll() throws IOException, InterruptedException {
        for (Closeable resource : resources) {
            resource.close();
        }
        Route.current().endTest();
        for (Task<?> task : tasks) {
            assertThat(task.end()).as("%s has ended", task.thread()).isTrue();
        }
    }
}
