// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.selector;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Path;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The readiness of channels. */
@Tag("selector")
class ReadinessTest extends ContractSupport {
    /** More than a young connection's ring holds, and less than the kernel takes. */
    private static final int MUCH = 200_000;
    /** Less than has to be free for a channel to be writable. */
    private static final int PIECE = 1_000;

    private Selector selector;

    @BeforeEach
    void openSelector() throws IOException {
        selector = selector();
    }

    @Test
    void readableOnceBytesAreThereAndAsLongAsTheyAre() throws IOException {
        Pair pair = pair();
        SelectionKey key = register(pair.server(), selector, OP_READ);
        assertThat(selector.selectNow()).isZero();
        Bytes.write(pair.client(), Bytes.ascii("abc"));
        for (String next : new String[] {"a", "b", "c"}) {
            awaitReady(key, OP_READ);
            assertThat(key.isReadable()).isTrue();
            assertThat(key.isWritable() || key.isConnectable() || key.isAcceptable())
                    .isFalse();
            assertThat(Bytes.readAscii(pair.server(), 1)).isEqualTo(next);
        }
        selector.selectedKeys().clear();
        assertThat(selector.selectNow()).isZero();
    }

    @Test
    void readinessIsReportedAgainWhenNotActedUpon() throws IOException {
        Pair pair = pair();
        SelectionKey key = register(pair.server(), selector, OP_READ);
        Bytes.write(pair.client(), Bytes.ascii("x"));
        awaitReady(key, OP_READ);
        for (int i = 0; i < 5; i++) {
            selector.selectedKeys().clear();
            assertThat(selector.select(LIMIT_MILLIS)).isEqualTo(1);
            selector.selectedKeys().clear();
            assertThat(selector.selectNow()).isEqualTo(1);
        }
    }

    /**
     * The client has not written, so that its two directions may take different paths. A selection that may wait need not ask the
     * kernel if it finds something without it; the next selections do.
     */
    @Test
    void bothDirectionsAreFoundInTheEnd() throws IOException {
        Pair pair = pair();
        Bytes.write(pair.server(), Bytes.ascii("x"));
        SelectionKey key = register(pair.client(), selector, OP_READ | OP_WRITE);
        awaitReady(key, OP_READ);
        selector.selectedKeys().clear();
        assertThat(selector.wakeup().select()).isEqualTo(1);
        assertThat(key.isReadable()).isTrue();
        if (Path.current().isKernels()) {
            assertThat(key.isWritable()).isTrue();
        }
        int unused = selector.selectNow();
        assertThat(key.readyOps()).isEqualTo(OP_READ | OP_WRITE);
    }

    /** The JDK's selection returns at once, with nothing, as long as the channel could be written to. */
    @Test
    void interestInAConnectThatIsOver() throws Exception {
        Pair pair = pair();
        Bytes.write(pair.client(), Bytes.ascii("x"));
        SelectionKey key = register(pair.client(), selector, OP_CONNECT);
        Task<Integer> selection = start(selector::select);
        if (Path.current() != Path.JDK) {
            selection.awaitInside("select");
            selector.wakeup();
        }
        assertThat(selection.result()).isZero();
        assertThat(key.readyOps()).isZero();
    }

    /**
     * New readiness is added to a key's ready set, but the JDK's key takes the interest set instead once the kernel says that the
     * connection is gone.
     */
    @Test
    void aSelectedKeyOfAConnectionThatWasReset() throws IOException {
        Pair pair = pair();
        SelectionKey key = register(pair.client(), selector, OP_READ | OP_WRITE);
        pair.server().close();
        eventually().until(() -> selector.selectNow() >= 0 && key.readyOps() == (OP_READ | OP_WRITE));
        key.interestOps(OP_READ);
        assertThatThrownBy(() -> Bytes.writeForever(pair.client())).hasMessage("Broken pipe");
        int unused = selector.selectNow();
        assertThat(key.readyOps()).isEqualTo(Path.current() == Path.JDK ? OP_READ : OP_READ | OP_WRITE);
    }

    @Test
    void bytesThatCameBeforeTheRegistrationCount() throws IOException {
        Pair pair = pair();
        Bytes.write(pair.client(), Bytes.ascii("early"));
        awaitReady(register(pair.server(), selector, OP_READ), OP_READ);
    }

    /** The bytes may have come by any path, which may change with each write. */
    @Test
    void oneSelectionFindsWhatHasCome() throws IOException {
        Pair pair = pair();
        pair.server().setOption(StandardSocketOptions.TCP_NODELAY, true);
        Bytes.write(pair.server(), Bytes.ascii("x"));
        for (int round = 0; round < times(400); round++) {
            SelectionKey key = register(pair.client(), selector, OP_READ);
            if (Path.current() == Path.RDMA) {
                awaitReady(key, OP_READ); // over a network it may come later
            } else {
                awaitBytes(pair.client());
                assertThat(selector.selectNow()).as("round %d", round).isEqualTo(1);
            }
            key.cancel();
            assertThat(selector.selectNow()).isZero();
            pair.client().configureBlocking(true);
            assertThat(Bytes.readAscii(pair.client(), 1)).isEqualTo("x");
            byte[] before = Bytes.random(round, 1_000 + round);
            Bytes.write(pair.server(), before);
            Bytes.write(pair.server(), Bytes.ascii("x"));
            Bytes.assertSame(Bytes.read(pair.client(), before.length), before);
        }
    }

    /**
     * Where the kernel carries them, another processor may still be about to hand over the bytes that were just written. Asking
     * changes nothing.
     */
    private static void awaitBytes(SocketChannel channel) throws IOException {
        while (channel.socket().getInputStream().available() == 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void bytesLeftByABlockingReadCount() throws IOException {
        Pair pair = pair();
        Bytes.write(pair.client(), Bytes.ascii("two parts"));
        assertThat(Bytes.readAscii(pair.server(), 3)).isEqualTo("two");
        awaitReady(register(pair.server(), selector, OP_READ), OP_READ);
        assertThat(Bytes.readAscii(pair.server(), 6)).isEqualTo(" parts");
    }

    @Test
    void endOfStreamIsReadable() throws IOException {
        Pair pair = pair();
        SelectionKey key = register(pair.server(), selector, OP_READ);
        pair.client().shutdownOutput();
        for (int i = 0; i < 3; i++) {
            awaitReady(key, OP_READ);
            assertThat(pair.server().read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
    }

    @Test
    void closedPeerIsReadable() throws IOException {
        Pair pair = pair();
        SelectionKey key = register(pair.server(), selector, OP_READ);
        Bytes.write(pair.client(), Bytes.ascii("z"));
        pair.client().close();
        awaitReady(key, OP_READ);
        assertThat(Bytes.readAscii(pair.server(), 1)).isEqualTo("z");
        awaitReady(key, OP_READ);
        assertThat(pair.server().read(ByteBuffer.allocate(1))).isEqualTo(-1);
    }

    @Test
    void resetIsReadable() throws IOException {
        Pair pair = pair();
        SelectionKey key = register(pair.server(), selector, OP_READ);
        pair.client().setOption(StandardSocketOptions.SO_LINGER, 0);
        pair.client().close();
        awaitReady(key, OP_READ);
        assertThatThrownBy(() -> pair.server().read(ByteBuffer.allocate(1))).isInstanceOf(IOException.class);
    }

    @Test
    void inputShutDownHereIsReadable() throws IOException {
        Pair pair = pair();
        SelectionKey key = register(pair.server(), selector, OP_READ);
        pair.server().shutdownInput();
        awaitReady(key, OP_READ);
        assertThat(pair.server().read(ByteBuffer.allocate(1))).isEqualTo(-1);
    }

    @Test
    void writableFromTheStart() throws IOException {
        Pair pair = pair();
        SelectionKey key = register(pair.client(), selector, OP_WRITE);
        awaitReady(key, OP_WRITE);
        assertThat(key.isWritable()).isTrue();
        assertThat(key.isReadable()).isFalse();
    }

    @Test
    void writableAgainOnceThePeerHasRead() throws Exception {
        Pair pair = fullPair();
        SelectionKey key = register(pair.client(), selector, OP_WRITE);
        awaitNoRoom(pair.client());
        Task<Void> reader = run(() -> Bytes.readToEnd(pair.server()));
        awaitReady(key, OP_WRITE);
        assertThat(pair.client().write(ByteBuffer.allocate(10))).isPositive();
        pair.client().close();
        reader.result();
    }

    /**
     * Writes until neither a write nor the selector finds room: the kernel moves bytes to the receiver in its own time, and
     * then has room again. A selector that goes on reporting a full channel never gets to this point.
     */
    private void awaitNoRoom(SocketChannel channel) {
        eventually().until(() -> {
            Bytes.writeWhatFits(channel);
            selector.selectedKeys().clear();
            return selector.selectNow() == 0;
        });
    }

    /** A program that writes only when a selector says so, and only as much as there is room for; its peer reads later. */
    @Test
    void writableAsLongAsTheKernelHasRoom() throws IOException {
        Pair pair = pair();
        SelectionKey key = register(pair.client(), selector, OP_WRITE);
        int written = 0;
        while (written < MUCH) {
            selector.selectedKeys().clear();
            awaitReady(key, OP_WRITE);
            written += pair.client().write(ByteBuffer.allocate(PIECE));
        }
        pair.client().close();
        selector.selectNow();
        assertThat(Bytes.readToEnd(pair.server())).hasSize(written);
    }

    @Test
    void writableWhenAWriteWouldFail() throws IOException {
        Pair pair = fullPair();
        SelectionKey key = register(pair.client(), selector, OP_WRITE);
        pair.server().close();
        awaitReady(key, OP_WRITE);
        assertThatThrownBy(() -> pair.client().write(ByteBuffer.allocate(1))).isInstanceOf(IOException.class);
    }

    @Test
    void readableAndWritableAtOnce() throws IOException {
        Pair pair = pair();
        SelectionKey key = register(pair.server(), selector, OP_READ | OP_WRITE);
        Bytes.write(pair.client(), Bytes.ascii("x"));
        awaitReady(key, OP_READ);
        assertThat(key.readyOps()).isEqualTo(OP_READ | OP_WRITE);
        key.interestOps(OP_READ);
        awaitReady(key, OP_READ);
        assertThat(key.readyOps()).isEqualTo(OP_READ);
    }

    @Test
    void nothingIsReadyWithoutInterest() throws IOException {
        Pair pair = pair();
        SelectionKey key = register(pair.server(), selector, 0);
        Bytes.write(pair.client(), Bytes.ascii("x"));
        eventually().until(() -> pair.server().socket().getInputStream().available() > 0);
        assertThat(selector.select(50)).isZero();
        key.interestOps(OP_READ);
        awaitReady(key, OP_READ);
    }

    @Test
    void connectableWhenTheConnectionIsMade() throws IOException {
        ServerSocketChannel listener = listener();
        SocketChannel client = nonBlockingChannel();
        SelectionKey key = client.register(selector, OP_CONNECT);
        if (!client.connect(destination(listener))) {
            awaitReady(key, OP_CONNECT);
            assertThat(key.isConnectable()).isTrue();
            assertThat(client.finishConnect()).isTrue();
        }
        key.interestOps(OP_READ | OP_WRITE);
        awaitReady(key, OP_WRITE);
        SocketChannel server = closing(listener.accept());
        Bytes.write(server, Bytes.ascii("x"));
        awaitReady(key, OP_READ);
    }

    @Test
    void connectableWhenTheConnectionIsRefused() throws IOException {
        SocketChannel client = nonBlockingChannel();
        SelectionKey key = client.register(selector, OP_CONNECT);
        assertThatThrownBy(() -> {
                    if (!client.connect(nobodyListens())) {
                        awaitReady(key, OP_CONNECT);
                        client.finishConnect();
                    }
                })
                .isInstanceOf(ConnectException.class);
        assertThat(key.isValid()).isFalse();
    }

    @Test
    void acceptableAsLongAsSomebodyWaits() throws IOException {
        ServerSocketChannel listener = listener();
        SelectionKey key = register(listener, selector, OP_ACCEPT);
        assertThat(selector.selectNow()).isZero();
        for (int i = 0; i < 3; i++) {
            closing(SocketChannel.open(destination(listener)));
        }
        for (int i = 0; i < 3; i++) {
            awaitReady(key, OP_ACCEPT);
            assertThat(key.isAcceptable()).isTrue();
            assertThat(closing(listener.accept())).isNotNull();
        }
        selector.selectedKeys().clear();
        assertThat(selector.selectNow()).isZero();
        assertThat(listener.accept()).isNull();
    }
}
