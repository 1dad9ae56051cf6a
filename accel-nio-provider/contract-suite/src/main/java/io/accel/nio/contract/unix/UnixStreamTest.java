// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.unix;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.jdk.JdkAccess;
import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.MappedRings;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A Unix-domain stream carries all bytes, in order, however they are written, read and waited for. */
@Tag("unix")
@Tag("racing")
class UnixStreamTest extends UnixSupport {
    private static final int LARGE = 8 << 20;
    /** Fewer bytes than the kernel takes of a Unix-domain stream that nobody reads. */
    private static final int IN_FLIGHT = 96 << 10;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void carriesMuchInBothDirectionsAtOnce(boolean hasTalked) throws Exception {
        Pair pair = unixPair(hasTalked);
        byte[] there = Bytes.random(1, LARGE);
        byte[] back = Bytes.random(2, LARGE);
        Task<Void> client = run(() -> Bytes.write(pair.client(), there));
        Task<Void> server = run(() -> Bytes.write(pair.server(), back));
        Task<byte[]> came = start(() -> Bytes.read(pair.server(), LARGE));
        Bytes.assertSame(Bytes.read(pair.client(), LARGE), back);
        Bytes.assertSame(came.result(), there);
        client.result();
        server.result();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void carriesMuchInOneDirectionToTheEnd(boolean hasTalked) throws Exception {
        Pair pair = unixPair(hasTalked);
        byte[] bytes = Bytes.random(3, LARGE);
        Task<Void> writer = run(() -> {
            Bytes.write(pair.client(), bytes);
            pair.client().close();
        });
        Bytes.assertSame(Bytes.readToEnd(pair.server()), bytes);
        writer.result();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void bothEndsMayWriteBeforeEitherReads(boolean hasTalked) throws Exception {
        Pair pair = unixPair(hasTalked);
        byte[] there = Bytes.random(4, IN_FLIGHT);
        byte[] back = Bytes.random(5, IN_FLIGHT);
        Bytes.write(pair.client(), there);
        Bytes.write(pair.server(), back);
        Bytes.assertSame(Bytes.read(pair.client(), IN_FLIGHT), back);
        Bytes.assertSame(Bytes.read(pair.server(), IN_FLIGHT), there);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void scattersAndGathers(boolean hasTalked) throws Exception {
        Pair pair = unixPair(hasTalked);
        ByteBuffer[] out = {Bytes.ascii("one"), ByteBuffer.allocate(0), Bytes.ascii("two"), Bytes.ascii("three")};
        assertThat(pair.client().write(out)).isEqualTo(11);
        ByteBuffer first = ByteBuffer.allocate(4);
        ByteBuffer second = ByteBuffer.allocateDirect(7);
        long n = 0;
        while (n < 11) {
            n += pair.server().read(new ByteBuffer[] {first, second});
        }
        assertThat(new String(first.array(), java.nio.charset.StandardCharsets.US_ASCII))
                .isEqualTo("onet");
        byte[] rest = new byte[7];
        second.flip().get(rest);
        assertThat(new String(rest, java.nio.charset.StandardCharsets.US_ASCII)).isEqualTo("wothree");
        assertThat(pair.client().write(out, 1, 1)).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void pingPongOfOddSizes(boolean hasTalked) throws Exception {
        Pair pair = unixPair(hasTalked);
        Task<Void> echo = run(() -> {
            ByteBuffer buffer = ByteBuffer.allocateDirect(3_000);
            while (pair.server().read(buffer.clear()) >= 0) {
                Bytes.write(pair.server(), buffer.flip());
            }
        });
        for (int i = 1; i < times(500); i++) {
            byte[] bytes = Bytes.random(i, (i * 37) % 5_000 + 1);
            Bytes.write(pair.client(), bytes);
            Bytes.assertSame(Bytes.read(pair.client(), bytes.length), bytes);
        }
        pair.client().close();
        echo.result();
    }

    @Test
    void connectsAndAcceptsInNonBlockingMode() throws Exception {
        ServerSocketChannel listener = unixListener();
        listener.configureBlocking(false);
        assertThat(listener.accept()).isNull();
        Selector selector = selector();
        SelectionKey accepting = listener.register(selector, SelectionKey.OP_ACCEPT);
        SocketChannel client = unixChannel();
        client.configureBlocking(false);
        assertThat(client.connect(listener.getLocalAddress())).isTrue();
        assertThat(client.isConnected()).isTrue();
        assertThat(client.isConnectionPending()).isFalse();
        assertThat(client.finishConnect()).isTrue();
        awaitReady(accepting, SelectionKey.OP_ACCEPT);
        SocketChannel server = closing(listener.accept());
        assertThat(server.isBlocking()).isTrue();
        assertThat(listener.accept()).isNull();
        assertThat(client.read(one())).isZero();
        server.configureBlocking(false);
        assertThat(server.read(one())).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void selectorsTellWhatIsReady(boolean hasTalked) throws Exception {
        Pair pair = unixPair(hasTalked);
        Selector selector = selector();
        SelectionKey key = register(pair.client(), selector, SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        awaitReady(key, SelectionKey.OP_WRITE);
        assertThat(key.readyOps()).isEqualTo(SelectionKey.OP_WRITE);
        Bytes.write(pair.server(), Bytes.ascii("x"));
        awaitReady(key, SelectionKey.OP_READ);
        assertThat(Bytes.readAscii(pair.client(), 1)).isEqualTo("x");
        key.interestOps(SelectionKey.OP_READ);
        selector.selectedKeys().clear();
        assertThat(selector.selectNow()).isZero();
        int filled = 0;
        for (int n = 1; n > 0; filled += n) {
            n = pair.client().write(ByteBuffer.allocate(IN_FLIGHT));
        }
        key.interestOps(SelectionKey.OP_WRITE);
        int all = filled;
        Task<byte[]> reader = start(() -> Bytes.read(pair.server(), all));
        awaitReady(key, SelectionKey.OP_WRITE);
        assertThat(reader.result()).hasSize(all);
    }

    /** The bytes of one connection never come to another, whichever end writes first and in whatever order they were accepted. */
    @Test
    void manyConnectionsKeepTheirBytesApart() throws Exception {
        ServerSocketChannel listener = unixListener();
        List<Pair> pairs = new ArrayList<>();
        List<SocketChannel> clients = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            SocketChannel client = unixChannel();
            client.connect(listener.getLocalAddress());
            clients.add(client);
        }
        for (SocketChannel client : clients) {
            pairs.add(new Pair(client, closing(listener.accept())));
        }
        for (int round = 0; round < times(200); round++) {
            for (int i = 0; i < pairs.size(); i++) {
                Pair pair = pairs.get((i * 5 + round) % pairs.size());
                if (round % (i + 1) != 0) {
                    continue; // so that some carry more than others
                }
                byte[] asked = Bytes.random(round * 100L + i, 20);
                Bytes.write(pair.client(), asked);
                Bytes.assertSame(Bytes.read(pair.server(), 20), asked);
                byte[] answer = Bytes.random(round * 1000L + i, 30);
                Bytes.write(pair.server(), answer);
                Bytes.assertSame(Bytes.read(pair.client(), 30), answer);
            }
        }
    }

    /** All connections have always carried equally many bytes, and the same bytes for a long time, so nothing tells them apart. */
    @Test
    void connectionsInStepKeepTheirBytesApart() throws Exception {
        int alike = times(300);
        ServerSocketChannel listener = unixListener();
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            pairs.add(unixPair(listener));
        }
        for (int round = 0; round < 2 * alike; round++) {
            long own = round < alike ? 0 : 1;
            for (int i = 0; i < pairs.size(); i++) {
                Bytes.write(pairs.get(i).client(), Bytes.random(round * 100L + own * i, 20));
            }
            for (int i = 0; i < pairs.size(); i++) {
                Bytes.assertSame(Bytes.read(pairs.get(i).server(), 20), Bytes.random(round * 100L + own * i, 20));
                Bytes.write(pairs.get(i).server(), Bytes.random(round * 1000L + own * i, 30));
            }
            for (int i = 0; i < pairs.size(); i++) {
                Bytes.assertSame(Bytes.read(pairs.get(i).client(), 30), Bytes.random(round * 1000L + own * i, 30));
            }
        }
    }

    /** A proxy has taken the listener's place in the directory, and passes everything on. */
    @Test
    void aProxyIsNotPassedBy() throws Exception {
        ServerSocketChannel listener = unixListener();
        Path from = ((UnixDomainSocketAddress) listener.getLocalAddress()).getPath();
        Path to = from.resolveSibling("behind");
        Files.move(from, to);
        ServerSocketChannel proxy =
                closing(JdkAccess.kernelProvider().openServerSocketChannel(StandardProtocolFamily.UNIX));
        proxy.bind(UnixDomainSocketAddress.of(from));
        Set<String> before = MappedRings.names();
        SocketChannel client = unixChannel();
        client.connect(UnixDomainSocketAddress.of(from));
        SocketChannel front = closing(proxy.accept());
        SocketChannel back = closing(JdkAccess.kernelProvider().openSocketChannel(StandardProtocolFamily.UNIX));
        back.connect(UnixDomainSocketAddress.of(to));
        Pair ends = new Pair(client, closing(listener.accept()));
        Task<Void> there = run(() -> passOn(front, back));
        Task<Void> here = run(() -> passOn(back, front));
        for (int i = 0; i < 200; i++) {
            talk(ends);
        }
        if (MappedRings.areKnown()) {
            assertThat(MappedRings.newRings(before)).isZero();
        }
        client.close();
        there.result();
        ends.server().close();
        here.result();
    }

    private static void passOn(SocketChannel from, SocketChannel to) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(1 << 12);
        while (from.read(buffer.clear()) >= 0) {
            Bytes.write(to, buffer.flip());
        }
        to.shutdownOutput();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCloseEndsAReadThatWaits(boolean hasTalked) throws Exception {
        Pair pair = unixPair(hasTalked);
        Task<Integer> reader = start(() -> pair.client().read(one())).awaitInside("read");
        pair.client().close();
        assertThat(reader.failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
        assertThat(pair.server().read(one())).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anInterruptClosesAChannelThatWaits(boolean hasTalked) throws Exception {
        Pair pair = unixPair(hasTalked);
        Task<Integer> reader = start(() -> pair.client().read(one())).awaitInside("read");
        reader.interrupt();
        assertThat(reader.failure()).isExactlyInstanceOf(ClosedByInterruptException.class);
        assertThat(pair.client().isOpen()).isFalse();
        assertThat(pair.server().read(one())).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aShutInputEndsAReadThatWaits(boolean hasTalked) throws Exception {
        Pair pair = unixPair(hasTalked);
        Task<Integer> reader = start(() -> pair.client().read(one())).awaitInside("read");
        pair.client().shutdownInput();
        assertThat(reader.result()).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void acceptedConnectionsOutliveTheirListener(boolean hasTalked) throws Exception {
        Pair pair = unixPair(hasTalked);
        for (int i = 0; i < 100; i++) {
            talk(pair);
        }
    }
}
