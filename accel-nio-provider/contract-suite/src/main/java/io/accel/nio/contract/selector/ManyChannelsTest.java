// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.selector;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Task;
import io.accel.nio.contract.WithinLimit;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many channels, and every kind of them, in one selector. */
@Tag("selector")
class ManyChannelsTest extends ContractSupport {
    private Selector selector;

    @BeforeEach
    void openSelector() throws IOException {
        selector = selector();
    }

    /** Opening so many takes long in a guest. */
    @Test
    @WithinLimit.Seconds(120)
    void onlyTheActiveOnesAreSelected() throws IOException {
        List<Pair> pairs = pairs(300);
        List<SelectionKey> keys = new ArrayList<>();
        for (Pair pair : pairs) {
            keys.add(register(pair.server(), selector, OP_READ));
        }
        Random random = new Random(1);
        for (int round = 0; round < 20; round++) {
            Set<SelectionKey> active = new HashSet<>();
            for (int i = 0; i < 10; i++) {
                int chosen = random.nextInt(pairs.size());
                if (active.add(keys.get(chosen))) {
                    Bytes.write(pairs.get(chosen).client(), new byte[] {(byte) chosen});
                }
            }
            Set<SelectionKey> seen = new HashSet<>();
            eventually().until(() -> {
                selector.select(100);
                seen.addAll(selector.selectedKeys());
                selector.selectedKeys().clear();
                return seen.size() >= active.size();
            });
            assertThat(seen).isEqualTo(active);
            for (SelectionKey key : seen) {
                assertThat(Bytes.read((SocketChannel) key.channel(), 1)[0]).isEqualTo((byte) keys.indexOf(key));
            }
            assertThat(selector.selectNow()).isZero();
        }
    }

    @Test
    void allAreServedWhenAllAreActive() throws Exception {
        List<Pair> pairs = pairs(100);
        for (Pair pair : pairs) {
            register(pair.server(), selector, OP_READ);
        }
        byte[] message = Bytes.random(5, 20_000);
        Task<Void> senders = run(() -> {
            for (int at = 0; at < message.length; at += 500) {
                for (Pair pair : pairs) {
                    Bytes.write(pair.client(), ByteBuffer.wrap(message, at, 500));
                }
            }
        });
        for (Pair pair : pairs) {
            pair.server().keyFor(selector).attach(ByteBuffer.allocate(message.length));
        }
        int complete = 0;
        while (complete < pairs.size()) {
            selector.select(LIMIT_MILLIS);
            assertThat(selector.selectedKeys()).isNotEmpty();
            for (SelectionKey key : selector.selectedKeys()) {
                ByteBuffer received = (ByteBuffer) key.attachment();
                ((SocketChannel) key.channel()).read(received);
                if (!received.hasRemaining()) {
                    assertThat(received.flip().mismatch(ByteBuffer.wrap(message)))
                            .isEqualTo(-1);
                    key.cancel();
                    complete++;
                }
            }
            selector.selectedKeys().clear();
        }
        senders.result();
    }

    @Test
    void closingAllOfThemEmptiesTheSelector() throws IOException {
        List<Pair> pairs = pairs(100);
        for (Pair pair : pairs) {
            register(pair.server(), selector, OP_READ);
        }
        for (Pair pair : pairs) {
            pair.server().close();
        }
        selector.selectNow();
        assertThat(selector.keys()).isEmpty();
        for (Pair pair : pairs) {
            assertThat(Bytes.readToEnd(pair.client())).isEmpty();
        }
    }

    @Test
    void closingOrResettingSomeDisturbsNoOther() throws IOException {
        List<Pair> pairs = pairs(60);
        for (Pair pair : pairs) {
            register(pair.server(), selector, OP_READ);
        }
        for (int i = 0; i < pairs.size(); i += 3) {
            pairs.get(i).client().close();
            pairs.get(i + 1).server().close();
        }
        Set<SocketChannel> ended = new HashSet<>();
        eventually().until(() -> {
            selector.select(100);
            for (SelectionKey key : selector.selectedKeys()) {
                SocketChannel channel = (SocketChannel) key.channel();
                assertThat(channel.read(ByteBuffer.allocate(1))).isEqualTo(-1);
                ended.add(channel);
                channel.close();
            }
            selector.selectedKeys().clear();
            return ended.size() == pairs.size() / 3;
        });
        selector.selectNow();
        assertThat(selector.keys()).hasSize(pairs.size() / 3);
        for (int i = 2; i < pairs.size(); i += 3) {
            Bytes.write(pairs.get(i).client(), Bytes.ascii("x"));
            awaitReady(pairs.get(i).server().keyFor(selector), OP_READ);
            assertThat(Bytes.readAscii(pairs.get(i).server(), 1)).isEqualTo("x");
        }
    }

    @Test
    void everyKindOfChannelWaitsInOneSelector() throws Exception {
        Pair pair = pair();
        ServerSocketChannel listener = listener();
        Pipe pipe = Pipe.open();
        closing(pipe.source());
        closing(pipe.sink());
        DatagramChannel datagrams = closing(DatagramChannel.open()).bind(anyPort());
        DatagramChannel sender = closing(DatagramChannel.open()).bind(anyPort());
        Pair unix = unixPair();
        SelectionKey tcpKey = register(pair.server(), selector, OP_READ);
        SelectionKey acceptKey = register(listener, selector, OP_ACCEPT);
        SelectionKey pipeKey = register(pipe.source(), selector, OP_READ);
        SelectionKey datagramKey = register(datagrams, selector, OP_READ);
        SelectionKey unixKey = register(unix.server(), selector, OP_READ);
        assertThat(selector.keys()).hasSize(5);
        assertThat(selector.selectNow()).isZero();

        for (int round = 0; round < 50; round++) {
            Bytes.write(pipe.sink(), Bytes.ascii("pipe"));
            assertOnly(pipeKey, OP_READ);
            assertThat(Bytes.readAscii(pipe.source(), 4)).isEqualTo("pipe");

            Bytes.write(pair.client(), Bytes.ascii("tcp"));
            assertOnly(tcpKey, OP_READ);
            assertThat(Bytes.readAscii(pair.server(), 3)).isEqualTo("tcp");

            sender.send(Bytes.ascii("datagram"), datagrams.getLocalAddress());
            assertOnly(datagramKey, OP_READ);
            ByteBuffer datagram = ByteBuffer.allocate(100);
            assertThat(datagrams.receive(datagram)).isEqualTo(sender.getLocalAddress());
            assertThat(datagram.position()).isEqualTo(8);

            Bytes.write(unix.client(), Bytes.ascii("unix"));
            assertOnly(unixKey, OP_READ);
            assertThat(Bytes.readAscii(unix.server(), 4)).isEqualTo("unix");

            SocketChannel client = SocketChannel.open(destination(listener));
            assertOnly(acceptKey, OP_ACCEPT);
            listener.accept().close();
            client.close();
        }
    }

    @Test
    void everyKindOfChannelEndsAWaitingSelect() throws Exception {
        Pair pair = pair();
        Pipe pipe = Pipe.open();
        closing(pipe.source());
        closing(pipe.sink());
        register(pair.server(), selector, OP_READ);
        register(pipe.source(), selector, OP_READ);
        Task<Integer> select = start(selector::select).awaitInside("select");
        Bytes.write(pipe.sink(), Bytes.ascii("x"));
        assertThat(select.result()).isEqualTo(1);
        Bytes.read(pipe.source(), 1);
        selector.selectedKeys().clear();
        select = start(selector::select).awaitInside("select");
        Bytes.write(pair.client(), Bytes.ascii("x"));
        assertThat(select.result()).isEqualTo(1);
    }

    @Test
    void busyChannelDoesNotHideAQuietOne() throws Exception {
        Pair busy = pair();
        Pipe pipe = Pipe.open();
        closing(pipe.source());
        closing(pipe.sink());
        Pair quiet = pair();
        register(busy.server(), selector, OP_READ | OP_WRITE);
        SelectionKey pipeKey = register(pipe.source(), selector, OP_READ);
        SelectionKey quietKey = register(quiet.server(), selector, OP_READ);
        Bytes.write(busy.client(), Bytes.ascii("never read"));
        Bytes.write(pipe.sink(), Bytes.ascii("x"));
        awaitReady(pipeKey, OP_READ);
        Bytes.write(quiet.client(), Bytes.ascii("x"));
        awaitReady(quietKey, OP_READ);
    }

    private void assertOnly(SelectionKey key, int ops) throws IOException {
        awaitReady(key, ops);
        assertThat(selector.selectedKeys()).containsExactly(key);
    }

    /** As many pairs, or fewer in a short run. */
    private List<Pair> pairs(int full) throws IOException {
        ServerSocketChannel listener = listener();
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < times(full); i++) {
            pairs.add(pair(listener));
        }
        return pairs;
    }

    private Pair unixPair() throws IOException {
        ServerSocketChannel listener =
                closing(ServerSocketChannel.open(StandardProtocolFamily.UNIX)).bind(null);
        var address = (UnixDomainSocketAddress) listener.getLocalAddress();
        closing(() -> Files.deleteIfExists(address.getPath()));
        SocketChannel client = closing(SocketChannel.open(address));
        return new Pair(client, closing(listener.accept()));
    }
}
