// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.selector;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.KernelConnections;
import io.accel.nio.contract.Path;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Channels that are closed while a selector knows them, and the locks that a selection takes. */
@Tag("selector")
class RegisteredCloseTest extends ContractSupport {
    /** Long enough for the news of an end on this host. */
    private static final int QUIET_MILLIS = 50;

    private Selector selector;

    @BeforeEach
    void openSelector() throws IOException {
        selector = selector();
    }

    @Test
    void peerSeesTheEndBeforeTheNextSelection() throws IOException {
        Pair pair = pair();
        register(pair.server(), selector, OP_READ);
        Bytes.write(pair.server(), Bytes.ascii("bye"));
        pair.server().close();
        assertThat(Bytes.readAscii(pair.client(), 3)).isEqualTo("bye");
        assertThat(Bytes.readToEnd(pair.client())).isEmpty();
    }

    @Test
    void peerSeesTheEndWhileAnotherThreadSelects() throws Exception {
        Pair pair = pair();
        SelectionKey key = register(pair.server(), selector, OP_READ);
        Task<Integer> select = start(selector::select).awaitInside("select");
        pair.server().close();
        assertThat(Bytes.readToEnd(pair.client())).isEmpty();
        assertThat(key.isValid()).isFalse();
        selector.wakeup();
        assertThat(select.result()).isZero();
        assertThat(selector.keys()).isEmpty();
    }

    @Test
    void cancelledAndThenClosed() throws IOException {
        Pair pair = pair();
        SelectionKey key = register(pair.server(), selector, OP_READ | OP_WRITE);
        key.cancel();
        pair.server().close();
        assertThat(Bytes.readToEnd(pair.client())).isEmpty();
        assertThat(selector.selectNow()).isZero();
        assertThat(selector.keys()).isEmpty();
    }

    /**
     * In blocking mode the JDK's channel tells its peer nothing before that selection. Accel's is gone at once, on any path: see
     * docs/LIMITS.md.
     */
    @Test
    void cancelledAndThenClosedInBlockingMode() throws IOException {
        Pair pair = pair();
        SelectionKey key = register(pair.server(), selector, OP_READ);
        key.cancel();
        pair.server().configureBlocking(true);
        assertThat(pair.server().isRegistered()).isTrue();
        pair.server().close();
        if (Path.current() == Path.JDK) {
            try (Selector peers = Selector.open()) {
                register(pair.client(), peers, OP_READ);
                assertThat(peers.select(QUIET_MILLIS)).isZero();
            }
            assertThat(selector.selectNow()).isZero();
            pair.client().configureBlocking(true);
        }
        assertThat(Bytes.readToEnd(pair.client())).isEmpty();
        assertThat(selector.selectNow()).isZero();
        assertThat(selector.keys()).isEmpty();
    }

    @Test
    void lingerZeroResetsAfterTheNextSelection() throws IOException {
        Pair pair = pair();
        register(pair.server(), selector, OP_READ);
        pair.server().setOption(StandardSocketOptions.SO_LINGER, 0);
        pair.server().close();
        selector.selectNow();
        assertThatThrownBy(() -> Bytes.readToEnd(pair.client()))
                .isInstanceOf(IOException.class)
                .hasMessage("Connection reset");
    }

    /**
     * The kernel takes bytes until the selector lets go of the channel. A link accepts one write, as the kernel does for a peer
     * that is gone.
     */
    @Test
    void writesBetweenTheCloseAndTheNextSelection() throws IOException {
        Pair pair = pair();
        Bytes.write(pair.client(), Bytes.ascii("x"));
        assertThat(Bytes.readAscii(pair.server(), 1)).isEqualTo("x");
        register(pair.server(), selector, OP_READ);
        pair.server().close();
        assertThat(pair.client().write(Bytes.ascii("1"))).isEqualTo(1);
        if (Path.current() == Path.JDK || Path.current() == Path.KERNEL) {
            assertThat(pair.client().write(Bytes.ascii("2"))).isEqualTo(1);
        }
        selector.selectNow();
        assertThatThrownBy(() -> Bytes.writeForever(pair.client()))
                .isExactlyInstanceOf(IOException.class)
                .hasMessageMatching("Broken pipe|Connection reset by peer");
    }

    /** Bytes that its program has not read make the close a reset, but only when the selector lets go of it. */
    @Test
    void unreadBytesResetAfterTheNextSelection() throws IOException {
        Pair pair = pair();
        register(pair.server(), selector, OP_READ);
        Bytes.write(pair.client(), Bytes.ascii("unread"));
        pair.server().close();
        assertThat(pair.client().write(Bytes.ascii("1"))).isEqualTo(1);
        selector.selectNow();
        assertThatThrownBy(() -> Bytes.writeForever(pair.client())).isInstanceOf(IOException.class);
    }

    /** After that selection the kernel refuses bytes that come. A link, which had ended in order, accepts one write. */
    @Test
    void unreadBytesRefuseWritesAfterTheNextSelection() throws IOException {
        Pair pair = pair();
        register(pair.server(), selector, OP_READ);
        Bytes.write(pair.client(), Bytes.ascii("unread"));
        eventually().until(() -> pair.server().socket().getInputStream().available() == 6);
        pair.server().close();
        selector.selectNow();
        if (Path.current().isKernels()) {
            eventually().until(() -> !KernelConnections.lists(pair.client().socket()));
            assertThatThrownBy(() -> pair.client().write(Bytes.ascii("1")))
                    .isExactlyInstanceOf(IOException.class)
                    .hasMessage("Broken pipe");
        }
        assertThatThrownBy(() -> Bytes.writeForever(pair.client())).isInstanceOf(IOException.class);
    }

    @Test
    void pendingConnectionIsClosed() throws IOException {
        ServerSocketChannel listener = listener();
        SocketChannel client = nonBlockingChannel();
        client.register(selector, SelectionKey.OP_CONNECT);
        client.connect(destination(listener));
        client.close();
        selector.selectNow();
        assertThat(selector.keys()).isEmpty();
        Pair pair = pair();
        awaitReady(register(pair.client(), selector, OP_WRITE), OP_WRITE);
    }

    @Test
    void closedListenersPortIsFreeAfterTheNextSelection() throws IOException {
        SocketAddress address = keptAddress();
        ServerSocketChannel listener = listener(address);
        register(listener, selector, OP_ACCEPT);
        listener.close();
        selector.selectNow();
        Pair pair = pair(listener(address));
        Bytes.write(pair.client(), Bytes.ascii("x"));
        assertThat(Bytes.readAscii(pair.server(), 1)).isEqualTo("x");
    }

    @Test
    void closingTheSelectorFinishesTheClose() throws IOException {
        SocketAddress address = keptAddress();
        ServerSocketChannel listener = listener(address);
        register(listener, selector, OP_ACCEPT);
        listener.close();
        selector.close();
        listener(address);
    }

    @Test
    void exceptionOfAClosedChannelsKeyIsTheKeys() throws IOException {
        Pair pair = pair();
        SelectionKey key = register(pair.client(), selector, OP_WRITE);
        awaitReady(key, OP_WRITE);
        pair.client().close();
        assertThatThrownBy(key::isWritable).isInstanceOf(CancelledKeyException.class);
        assertThat(key.channel()).isSameAs(pair.client());
    }

    @Test
    void selectionLocksTheSelector() throws Exception {
        assertWaitsFor(selector);
    }

    @Test
    void selectionLocksTheSelectedKeySet() throws Exception {
        Set<SelectionKey> selectedKeys = selector.selectedKeys();
        assertWaitsFor(selectedKeys);
    }

    @Test
    void secondThreadThatSelectsWaitsForTheFirst() throws Exception {
        Task<Integer> first = start(selector::select).awaitInside("select");
        Task<Integer> second = start(selector::selectNow);
        eventually().until(() -> second.thread().getState() == Thread.State.BLOCKED);
        selector.wakeup();
        assertThat(first.result()).isZero();
        assertThat(second.result()).isZero();
    }

    private void assertWaitsFor(Object monitor) throws Exception {
        Task<Integer> select;
        synchronized (monitor) {
            select = start(selector::selectNow);
            eventually().until(() -> select.thread().getState() == Thread.State.BLOCKED);
            assertThat(select.isDone()).isFalse();
        }
        assertThat(select.result()).isZero();
    }
}
