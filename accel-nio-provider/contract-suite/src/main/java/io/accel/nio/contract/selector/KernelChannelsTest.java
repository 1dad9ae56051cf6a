// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.selector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.core.jdk.JdkAccess;
import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Task;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Unix-domain channels and pipes, and the behaviour of all kinds of channels in a selector. */
@Tag("selector")
class KernelChannelsTest extends ContractSupport {
    private static final int NO_OPERATION = 1 << 5;

    @TempDir
    private Path dir;

    private Pair unixPair() throws IOException {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(dir.resolve("socket"));
        ServerSocketChannel listener = closing(ServerSocketChannel.open(StandardProtocolFamily.UNIX));
        listener.bind(address);
        SocketChannel client = closing(SocketChannel.open(StandardProtocolFamily.UNIX));
        assertThat(client.toString()).isEqualTo("java.nio.channels.SocketChannel[unconnected]");
        client.connect(address);
        return new Pair(client, closing(listener.accept()));
    }

    @Test
    void unixChannelsTellTheirState() throws IOException {
        Pair pair = unixPair();
        assertThat(pair.client().toString())
                .startsWith("java.nio.channels.SocketChannel[connected local=")
                .endsWith("remote=" + pair.client().getRemoteAddress() + "]");
        SelectionKey key = pair.nonBlocking().client().register(selector(), SelectionKey.OP_READ);
        assertThat(key.toString()).contains(pair.client().toString());
        assertThatThrownBy(() -> pair.client().socket()).isInstanceOf(UnsupportedOperationException.class);
        pair.client().close();
        assertThat(pair.client().toString()).isEqualTo("java.nio.channels.SocketChannel[closed]");
    }

    @Test
    void unixListenersTellTheirState() throws IOException {
        ServerSocketChannel listener = closing(ServerSocketChannel.open(StandardProtocolFamily.UNIX));
        ServerSocketChannel jdks =
                closing(JdkAccess.kernelProvider().openServerSocketChannel(StandardProtocolFamily.UNIX));
        assertThat(listener.toString()).isEqualTo(jdks.toString()).endsWith("[unbound]");
        listener.bind(UnixDomainSocketAddress.of(dir.resolve("one")));
        jdks.bind(UnixDomainSocketAddress.of(dir.resolve("two")));
        // Older JDKs leave the address out.
        assertThat(listener.toString()).isEqualTo(jdks.toString().replace("two", "one"));
        listener.close();
        jdks.close();
        assertThat(listener.toString()).isEqualTo(jdks.toString()).endsWith("[closed]");
    }

    @Test
    void unixChannelsAreSelected() throws IOException {
        Pair pair = unixPair().nonBlocking();
        Selector selector = selector();
        SelectionKey key = pair.client().register(selector, SelectionKey.OP_READ);
        assertThat(selector.selectNow()).isZero();
        Bytes.write(pair.server(), Bytes.ascii("through"));
        assertThat(selector.select(LIMIT_MILLIS)).isEqualTo(1);
        assertThat(key.isReadable()).isTrue();
        assertThat(Bytes.readAscii(pair.client(), 7)).isEqualTo("through");
    }

    /** A thread that waits in the input stream keeps no other from the output stream. */
    @Test
    void unixStreamsOfBothDirectionsAreIndependent() throws Exception {
        assumeStreamsAreIndependent();
        Pair pair = unixPair();
        InputStream in = Channels.newInputStream(pair.client());
        OutputStream out = Channels.newOutputStream(pair.client());
        Task<Integer> reader = start(in::read).awaitInside("read");
        out.write(7);
        ByteBuffer got = ByteBuffer.allocate(1);
        assertThat(pair.server().read(got)).isEqualTo(1);
        pair.server().write(got.flip());
        assertThat(reader.result()).isEqualTo(7);
    }

    /** On older JDKs the streams of every channel block each other. */
    private static void assumeStreamsAreIndependent() {
        Assumptions.assumeTrue(
                Runtime.version().feature() >= 19, "older JDKs let the streams of one channel wait for each other");
    }

    /** A program may have channels from the JDK's provider, named in code, beside those that it opens as usual. */
    @Test
    void channelsThatTheJdksProviderOpenedAreSelectedAmongTheOthers() throws IOException {
        Selector selector = selector();
        ServerSocketChannel listener =
                closing(JdkAccess.kernelProvider().openServerSocketChannel()).bind(anyPort());
        SelectionKey accepting = register(listener, selector, SelectionKey.OP_ACCEPT);
        Pair others = pair().nonBlocking();
        SelectionKey other = others.server().register(selector, SelectionKey.OP_READ);
        SocketChannel client = closing(JdkAccess.kernelProvider().openSocketChannel());
        client.configureBlocking(false);
        boolean connected = client.connect(destination(listener));
        SelectionKey key = client.register(selector, SelectionKey.OP_CONNECT, "attached");
        if (!connected) {
            awaitReady(key, SelectionKey.OP_CONNECT);
            assertThat(client.finishConnect()).isTrue();
        }
        awaitReady(accepting, SelectionKey.OP_ACCEPT);
        SocketChannel server = closing(listener.accept());
        assertThat(listener.accept()).isNull();

        key.interestOps(SelectionKey.OP_READ);
        assertThat(selector.selectNow()).isZero();
        Bytes.write(server, Bytes.ascii("kernel"));
        Bytes.write(others.client(), Bytes.ascii("either"));
        awaitReady(other, SelectionKey.OP_READ);
        awaitReady(key, SelectionKey.OP_READ);
        assertThat(Bytes.readAscii(client, 6)).isEqualTo("kernel");
        assertThat(Bytes.readAscii(others.server(), 6)).isEqualTo("either");
        key.interestOps(SelectionKey.OP_WRITE);
        awaitReady(key, SelectionKey.OP_WRITE);

        assertThat(client.keyFor(selector)).isSameAs(key);
        assertThat(key.channel()).isSameAs(client);
        assertThat(key.attachment()).isEqualTo("attached");
        server.close();
        key.interestOps(SelectionKey.OP_READ);
        awaitReady(key, SelectionKey.OP_READ);
        assertThat(client.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        client.close();
        assertThat(key.isValid()).isFalse();
        accepting.cancel();
        selector.selectNow();
        assertThat(selector.keys()).containsExactly(other);
        listener.configureBlocking(true);
        assertThat(listener.isRegistered()).isFalse();
    }

    private List<SelectableChannel> oneOfEachKind() throws IOException {
        List<SelectableChannel> kinds = new ArrayList<>(List.of(channel(), listener()));
        kinds.add(closing(DatagramChannel.open()));
        for (Pipe pipe : List.of(Pipe.open(), JdkAccess.kernelProvider().openPipe())) {
            kinds.add(closing(pipe.source()));
            kinds.add(closing(pipe.sink()));
        }
        kinds.add(unixPair().client());
        kinds.add(closing(JdkAccess.kernelProvider().openDatagramChannel()));
        kinds.add(closing(JdkAccess.kernelProvider().openSocketChannel()));
        kinds.add(closing(JdkAccess.kernelProvider().openServerSocketChannel()).bind(anyPort()));
        for (SelectableChannel kind : kinds) {
            kind.configureBlocking(false);
        }
        return kinds;
    }

    @Test
    void operationsThatAKindDoesNotHaveAreRefused() throws IOException {
        Selector selector = selector();
        for (SelectableChannel channel : oneOfEachKind()) {
            SelectionKey key = channel.register(selector, channel.validOps());
            for (int ops : new int[] {NO_OPERATION, -1, ~channel.validOps()}) {
                assertThatThrownBy(() -> key.interestOps(ops))
                        .as("operations %s of %s", ops, channel)
                        .isInstanceOf(IllegalArgumentException.class);
            }
            assertThatThrownBy(() -> key.interestOpsOr(NO_OPERATION)).isInstanceOf(IllegalArgumentException.class);
            assertThat(key.interestOps()).isEqualTo(channel.validOps());
        }
    }

    /** At once after the cancel, without a selection in between. */
    @Test
    void aChannelWhoseKeyWasCancelledGoesBackToBlockingMode() throws IOException {
        Selector selector = selector();
        for (SelectableChannel channel : oneOfEachKind()) {
            SelectionKey key = channel.register(selector, channel.validOps());
            int found = selector.selectNow();
            assertThat(found).isBetween(0, selector.keys().size());
            key.cancel();
            assertThat(channel.configureBlocking(true).isBlocking())
                    .as("%s", channel)
                    .isTrue();
            channel.configureBlocking(false);
        }
        selector.selectNow();
        assertThat(selector.keys()).isEmpty();
    }
}
