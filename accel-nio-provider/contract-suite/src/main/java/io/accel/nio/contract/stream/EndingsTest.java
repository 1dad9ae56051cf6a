// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.KernelConnections;
import io.accel.nio.contract.MachineClock;
import io.accel.nio.contract.Path;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What each end is told, in which words, when the peer has ended a connection. */
@Tag("stream")
class EndingsTest extends ContractSupport {
    /** Fewer bytes than any path has room for. */
    private static final int MANY = 10_000;

    /** Ends the server's side with a reset, and waits until the client's kernel, or fabric, knows. */
    private SocketChannel reset(Pair pair, byte... unread) throws IOException {
        Bytes.write(pair.server(), unread);
        pair.server().setOption(StandardSocketOptions.SO_LINGER, 0);
        pair.server().close();
        return awaitNews(pair.client());
    }

    private SocketChannel awaitNews(SocketChannel client) throws IOException {
        client.configureBlocking(false);
        try (Selector selector = Selector.open()) {
            client.register(selector, SelectionKey.OP_READ);
            assertThat(selector.select(LIMIT_MILLIS)).isEqualTo(1);
        }
        client.configureBlocking(true);
        return client;
    }

    /** Until "unread" has come, a close ends in order, and only bytes that come after it are refused. */
    private static void awaitUnread(SocketChannel server) {
        eventually().until(() -> server.socket().getInputStream().available() == "unread".length());
    }

    @Test
    void aResetThatAReadMeets() throws IOException {
        SocketChannel client = reset(pair());
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> client.read(one()))
                    .isExactlyInstanceOf(SocketException.class)
                    .hasMessage("Connection reset");
            assertThatThrownBy(() -> client.read(one().asReadOnlyBuffer())).isExactlyInstanceOf(SocketException.class);
            ByteBuffer refused = one();
            assertThatThrownBy(() -> client.write(refused))
                    .isExactlyInstanceOf(IOException.class)
                    .hasMessage("Broken pipe");
            assertThat(refused.remaining()).isEqualTo(1);
        }
        assertThat(client.write(ByteBuffer.allocate(0))).isZero();
        assertThatThrownBy(() -> client.read(ByteBuffer.allocate(0))).isExactlyInstanceOf(SocketException.class);
        assertThat(client.isOpen()).isTrue();
    }

    @Test
    void aKeyOfAConnectionThatWasResetCountsOnce() throws IOException {
        Pair pair = pair();
        SocketChannel client = pair.client();
        client.write(one());
        pair.server().close(); // with a byte unread: a reset
        client.configureBlocking(false);
        try (Selector selector = Selector.open()) {
            SelectionKey key = client.register(selector, SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            assertThatThrownBy(() -> Bytes.writeSingleBytesForever(client)).isExactlyInstanceOf(IOException.class);
            if (Path.current() == Path.RDMA) {
                // The server has sent nothing through the device, so the kernel, and another network, reports its end.
                eventually().until(() -> client.read(one()) != 0);
            }
            assertThat(client.read(one())).isEqualTo(-1);
            assertThat(selector.selectNow()).isEqualTo(1);
            assertThat(key.readyOps()).isEqualTo(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            assertThat(selector.selectNow()).as("nothing new").isZero();
        }
    }

    @Test
    void aResetThatAWriteMeets() throws IOException {
        SocketChannel client = reset(pair());
        assertThat(client.write(ByteBuffer.allocate(0))).isZero();
        writeMeetsReset(client);
        assertThatThrownBy(() -> client.write(one())).hasMessage("Broken pipe");
        assertThat(client.read(one())).isEqualTo(-1);
        assertThat(client.read(one())).isEqualTo(-1);
    }

    /** The next write meets the reset; a write over RDMA that does not meet it yet is accepted, as if it came before the reset. */
    private static void writeMeetsReset(SocketChannel client) {
        assertThatThrownBy(() -> {
                    int n = client.write(one());
                    assertThat(Path.current())
                            .as("path on which %d byte was written", n)
                            .isEqualTo(Path.RDMA);
                    Bytes.writeForever(client);
                })
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("Connection reset by peer");
    }

    /**
     * A reader has met the end, not the reset, so its buffer is looked at; this holds also where the two directions take
     * different paths.
     */
    @Test
    void readsWithoutRoomAfterAResetThatAWriteMet() throws IOException {
        for (boolean hasTalked : new boolean[] {false, true}) {
            Pair pair = hasTalked ? pairThatHasTalked() : pair();
            Bytes.write(pair.client(), Bytes.ascii("unread"));
            SocketChannel client = reset(pair);
            writeMeetsReset(client);
            for (int i = 0; i < 3; i++) {
                assertThat(client.read(one())).isEqualTo(-1);
                ByteBuffer none = ByteBuffer.allocate(0);
                assertThat(client.read(none)).isZero();
                assertThat(client.read(new ByteBuffer[] {none, none})).isZero();
                assertThat(client.read(new ByteBuffer[] {none, one()})).isEqualTo(-1);
                assertThatThrownBy(() -> client.read(one().asReadOnlyBuffer()))
                        .isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> client.read(new ByteBuffer[] {one(), one().asReadOnlyBuffer()}))
                        .isInstanceOf(IllegalArgumentException.class);
            }
        }
    }

    @Test
    void aResetBehindUnreadBytes() throws IOException {
        SocketChannel client = reset(pair(), (byte) 1, (byte) 2);
        assertThat(client.read(one())).isEqualTo(1);
        assertThat(client.read(ByteBuffer.allocate(9))).isEqualTo(1);
        assertThatThrownBy(() -> client.read(one())).hasMessage("Connection reset");
    }

    @Test
    void aResetInTheAdaptorsStreams() throws IOException {
        Pair pair = pair();
        InputStream in = pair.client().socket().getInputStream();
        OutputStream out = pair.client().socket().getOutputStream();
        SocketChannel client = reset(pair);
        assertThat(client.isBlocking()).isTrue();
        assertThatThrownBy(in::read).isExactlyInstanceOf(SocketException.class).hasMessage("Connection reset");
        assertThatThrownBy(in::read).hasMessage("Connection reset");
        assertThatThrownBy(() -> out.write(1)).isInstanceOf(IOException.class).hasMessage("Broken pipe");
        assertThat(in.available()).isZero();
    }

    @Test
    void aResetByAnEndWhoseInputWasShutDown() throws IOException {
        for (int i = 0; i < 20; i++) {
            Pair pair = pair();
            Bytes.write(pair.client(), Bytes.ascii("unread"));
            awaitUnread(pair.server());
            pair.server().shutdownInput();
            pair.server().close();
            SocketChannel client = awaitNews(pair.client());
            assertThatThrownBy(() -> client.read(one())).hasMessage("Connection reset");
        }
    }

    /** The end came first: no unread byte is lost. */
    @Test
    void aResetBehindTheEnd() throws IOException {
        Pair pair = pair();
        Bytes.write(pair.client(), Bytes.ascii("unread"));
        Bytes.write(pair.server(), Bytes.ascii("farewell"));
        pair.server().shutdownOutput();
        pair.server().close();
        SocketChannel client = awaitNews(pair.client());
        assertThat(Bytes.readAscii(client, 8)).isEqualTo("farewell");
        assertThat(client.read(one())).isEqualTo(-1);
        assertThatThrownBy(() -> Bytes.writeForever(client))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("Broken pipe");
        assertThat(client.read(one())).isEqualTo(-1);
    }

    /**
     * In non-blocking mode such a write gets as far as the kernel, which has then reported the reset, whatever the program was told. Over a
     * network the byte may come long before the reset: a write that has met no reset is tried again later.
     */
    @ParameterizedTest(name = "after it has written: {0}")
    @ValueSource(booleans = {false, true})
    void aResetThatAWriteToAShutOutputMeets(boolean hasWritten) throws Exception {
        int most = Path.current() == Path.RDMA ? 10 : 1;
        List<String> ends = new ArrayList<>();
        while (!ends.contains("the end") && ends.size() < most) {
            Pair pair = pair();
            if (hasWritten) {
                Bytes.write(pair.client(), Bytes.ascii("question"));
                assertThat(Bytes.readAscii(pair.server(), 8)).isEqualTo("question");
            }
            pair.client().shutdownOutput();
            SocketChannel client = reset(pair, (byte) 1);
            if (Path.current().isKernels() && KernelConnections.areKnown()) {
                // The selector may have reported the byte alone.
                eventually().until(() -> !KernelConnections.lists(client.socket()));
            }
            Thread.sleep(20L * ends.size());
            client.configureBlocking(false);
            assertThatThrownBy(() -> client.write(one())).isInstanceOf(ClosedChannelException.class);
            assertThat(client.read(ByteBuffer.allocate(9))).isEqualTo(1);
            ends.add(endOf(client));
        }
        assertThat(ends).contains("the end");
    }

    private static String endOf(SocketChannel client) throws IOException {
        try {
            int n = client.read(one());
            return n < 0 ? "the end" : n + " bytes";
        } catch (SocketException e) {
            return e.getMessage();
        }
    }

    /** As before, with a peer that has sent nothing, so that its end comes another way than the writer's bytes go. */
    @Test
    void aResetBehindTheEndOfAPeerThatNeverWrote() throws IOException {
        Pair pair = pair();
        SocketChannel client = pair.client();
        Bytes.write(client, Bytes.ascii("unread"));
        awaitUnread(pair.server());
        pair.server().shutdownOutput();
        pair.server().close();
        awaitNews(client);
        assertThatThrownBy(() -> {
                    client.write(one());
                    assertThat(Path.current())
                            .as("where the end may be here before the reset")
                            .isEqualTo(Path.RDMA);
                    Bytes.writeForever(client);
                })
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("Broken pipe");
        assertThat(client.read(one())).isEqualTo(-1);
    }

    /** The peer has not said yet that nobody reads. */
    @Test
    void theFirstWriteAfterThePeersCloseIsAccepted() throws IOException {
        Pair pair = pair();
        pair.server().close();
        SocketChannel client = awaitNews(pair.client());
        assertThat(client.write(one())).isEqualTo(1);
        assertThatThrownBy(() -> Bytes.writeForever(client))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("Broken pipe");
        assertThat(client.read(one())).isEqualTo(-1);
        assertThatThrownBy(() -> client.write(one())).hasMessage("Broken pipe");
        assertThat(client.shutdownOutput().isOpen()).isTrue();
    }

    /** The ends that have written before: a direction may take another path before its first byte than behind it. */
    private enum Written {
        NEITHER,
        DEAF,
        PEER,
        BOTH
    }

    /** An end that neither reads nor writes any more, but was not closed; its peer has read what it wrote, or has not. */
    @ParameterizedTest
    @EnumSource
    void anEndThatHasShutDownBothDirectionsRefusesWhatComes(Written written) throws IOException {
        for (boolean inputFirst : new boolean[] {false, true}) {
            for (boolean isServer : new boolean[] {false, true}) {
                Pair pair = pair();
                SocketChannel deaf = isServer ? pair.server() : pair.client();
                SocketChannel peer = isServer ? pair.client() : pair.server();
                if (written == Written.PEER || written == Written.BOTH) {
                    exchange(peer, deaf);
                }
                if (written == Written.DEAF || written == Written.BOTH) {
                    exchange(deaf, peer);
                    if (written == Written.BOTH) {
                        exchange(peer, deaf); // over RDMA the first bytes of either end make it known to the other
                    }
                    Bytes.write(deaf, Bytes.ascii("farewell"));
                }
                if (inputFirst) {
                    deaf.shutdownInput().shutdownOutput();
                } else {
                    deaf.shutdownOutput().shutdownInput();
                }
                awaitNews(peer);
                if (refuses(written)) {
                    assertRefused(peer);
                }
                assertThat(Bytes.readToEnd(peer))
                        .hasSize(written == Written.DEAF || written == Written.BOTH ? "farewell".length() : 0);
                assertThat(deaf.read(one())).isEqualTo(-1);
                assertThat(deaf.isOpen()).isTrue();
            }
        }
    }

    /**
     * If the peer sends through the kernel, and the deaf end has sent over RDMA, the deaf end may need the kernel's connection.
     * In runs whose directions go back and forth, this may hold for any peer.
     */
    private static boolean refuses(Written written) {
        if (Path.current() != Path.RDMA) {
            return true;
        }
        return switch (written) {
            case NEITHER, PEER -> true;
            case BOTH -> "connect".equals(System.getProperty("accel.handover.after"));
            case DEAF -> false;
        };
    }

    /**
     * One write is accepted, and the answer to it shows the close. Until the answer has come, some more writes may be accepted,
     * but not as many bytes as a buffer holds.
     */
    private static void assertRefused(SocketChannel channel) throws IOException {
        assertThat(channel.write(one())).isEqualTo(1);
        AtomicInteger accepted = new AtomicInteger(1);
        AtomicReference<IOException> refusal = new AtomicReference<>();
        eventually().until(() -> {
            try {
                accepted.addAndGet(channel.write(one()));
            } catch (IOException e) {
                refusal.set(e);
            }
            return refusal.get() != null;
        });
        assertThat(refusal.get()).isExactlyInstanceOf(IOException.class).hasMessage("Broken pipe");
        assertThat(accepted.get()).isLessThan(MANY);
    }

    /** So an end whose peer is deaf is ready for everything that it is asked about, like an end whose peer has closed. */
    @Test
    void aWriteThatADeafEndRefusesMakesTheKeyReadyForAll() throws IOException {
        for (boolean hasWritten : new boolean[] {false, true}) {
            Pair pair = pair();
            if (hasWritten) {
                exchange(pair.server(), pair.client());
            }
            pair.server().shutdownInput().shutdownOutput();
            awaitNews(pair.client());
            assertThat(pair.client().write(one())).isEqualTo(1);
            try (Selector selector = Selector.open()) {
                SelectionKey key = register(pair.client(), selector, SelectionKey.OP_READ | SelectionKey.OP_WRITE);
                int ready = 0; // the kernel may report the end, and the link the refusal: see ReadinessTest
                MachineClock.Moment start = MachineClock.Moment.now();
                while (ready != (SelectionKey.OP_READ | SelectionKey.OP_WRITE)) {
                    assertThat(start.isOver(LIMIT_SECONDS))
                            .as("ready for %d only: it has taken %s", ready, start)
                            .isFalse();
                    selector.selectedKeys().clear();
                    selector.select(LIMIT_MILLIS);
                    ready |= key.readyOps();
                }
            }
        }
    }

    private Pair pairThatHasTalked() throws IOException {
        Pair pair = pair();
        exchange(pair.client(), pair.server());
        exchange(pair.server(), pair.client());
        return pair;
    }

    private static void exchange(SocketChannel from, SocketChannel to) throws IOException {
        for (int i = 0; i < 8; i++) {
            Bytes.write(from, Bytes.ascii("question"));
            assertThat(Bytes.readAscii(to, 8)).isEqualTo("question");
        }
    }

    /**
     * The kernel resets a connection that was closed with bytes that the peer has no room for, as soon as the peer writes: bytes
     * that had not come yet are lost. A peer that writes over a link is not refused before it has read them.
     */
    @Test
    void aWriteToAnEndThatHasClosedBehindAFullBuffer() throws IOException {
        Pair pair = pairThatHasTalked();
        SocketChannel client = pair.client();
        int written = Bytes.fill(pair.server());
        pair.server().close();
        assertThat(client.write(one())).isEqualTo(1);
        ByteBuffer room = ByteBuffer.allocate(1 << 16);
        int read = 0;
        try {
            for (int n = 0; n >= 0; n = client.read(room.clear())) {
                read += n;
            }
            assertThat(Path.current().isKernels()).as("all was read").isFalse();
            assertThat(read).isEqualTo(written);
        } catch (SocketException e) {
            assertThat(e).hasMessage("Connection reset");
            assertThat(read).isLessThan(written);
        }
    }

    /** The kernel's end waits behind a full buffer, so the peer's kernel first hears of the reset. A link reports the end. */
    @Test
    void aResetBehindAnEndThatHasNotCome() throws IOException {
        Pair pair = pairThatHasTalked();
        SocketChannel client = pair.client();
        int unused = Bytes.fill(pair.server());
        pair.server().shutdownOutput();
        Bytes.write(client, Bytes.ascii("unread"));
        pair.server().close();
        assertThatThrownBy(() -> Bytes.writeForever(client))
                .isExactlyInstanceOf(IOException.class)
                .message()
                .isIn(
                        "Connection reset by peer",
                        Path.current().isKernels() ? "Connection reset by peer" : "Broken pipe");
    }

    @Test
    void thePeersFarewellIsReadBehindAWrite() throws IOException {
        Pair pair = pair();
        Bytes.write(pair.server(), Bytes.ascii("farewell"));
        pair.server().close();
        SocketChannel client = awaitNews(pair.client());
        assertThat(client.write(one())).isEqualTo(1);
        assertThat(Bytes.readAscii(client, 8)).isEqualTo("farewell");
        assertThat(client.read(one())).isEqualTo(-1);
    }

    @Test
    void theEndOfInputThatWasShutDownIsTheStreamsEnd() throws IOException {
        SocketChannel client = pair().client();
        InputStream in = client.socket().getInputStream();
        client.shutdownInput();
        assertThat(in.read()).isEqualTo(-1);
        assertThat(in.read(new byte[8])).isEqualTo(-1);
        assertThatThrownBy(() -> client.socket().getInputStream()).isInstanceOf(SocketException.class);
    }

    private static ByteBuffer one() {
        return ByteBuffer.allocate(1);
    }
}
