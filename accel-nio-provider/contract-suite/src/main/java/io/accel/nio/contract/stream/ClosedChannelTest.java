// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.accel.nio.contract.ContractSupport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every method of a closed channel says so, whatever the channel was before. */
@Tag("stream")
class ClosedChannelTest extends ContractSupport {
    /** The first JDK that checks whether a channel is open before it begins to wait. */
    private static final int LOOKS_FIRST = 19;

    private final ByteBuffer buffer = ByteBuffer.allocate(8);
    private final ByteBuffer[] buffers = {buffer, ByteBuffer.allocate(8)};

    @TestFactory
    Stream<DynamicTest> neverConnected() throws IOException {
        SocketChannel channel = channel();
        channel.close();
        return socketChannel(channel);
    }

    @TestFactory
    Stream<DynamicTest> onceConnected() throws IOException {
        SocketChannel channel = pair().client();
        channel.close();
        return socketChannel(channel);
    }

    @TestFactory
    Stream<DynamicTest> onceAcceptedAndNonBlocking() throws IOException {
        SocketChannel channel = pair().nonBlocking().server();
        channel.close();
        return socketChannel(channel);
    }

    @TestFactory
    Stream<DynamicTest> onceListening() throws IOException {
        ServerSocketChannel channel = listener();
        channel.close();
        return serverSocketChannel(channel);
    }

    @TestFactory
    Stream<DynamicTest> neverBound() throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open();
        channel.close();
        return serverSocketChannel(channel);
    }

    @TestFactory
    Stream<DynamicTest> onceListeningAndNonBlocking() throws IOException {
        ServerSocketChannel channel = listener();
        channel.configureBlocking(false);
        channel.close();
        return serverSocketChannel(channel);
    }

    @Test
    void acceptAndConnectSayItAsEachJdkDoes() throws IOException {
        InetSocketAddress address = destination(listener());
        for (boolean blocking : new boolean[] {true, false}) {
            for (boolean bound : new boolean[] {true, false}) {
                ServerSocketChannel listener = closing(ServerSocketChannel.open());
                listener.configureBlocking(blocking);
                SocketChannel client = channel();
                client.configureBlocking(blocking);
                if (bound) {
                    listener.bind(anyPort());
                    client.bind(anyPort());
                }
                listener.close();
                client.close();
                assertThatThrownBy(listener::accept).isExactlyInstanceOf(closed(blocking));
                assertThatThrownBy(() -> client.connect(address)).isExactlyInstanceOf(closed(blocking));
            }
        }
    }

    /** Older JDKs begin to wait, and check then. */
    private static Class<? extends ClosedChannelException> closed(boolean blocking) {
        return blocking && Runtime.version().feature() < LOOKS_FIRST
                ? AsynchronousCloseException.class
                : ClosedChannelException.class;
    }

    @Test
    void closedChannelAnswersTheHarmlessQuestions() throws IOException {
        SocketChannel channel = pair().client();
        channel.close();
        channel.close();
        assertThat(channel.isOpen()).isFalse();
        assertThat(channel.isConnected()).isFalse();
        assertThat(channel.isConnectionPending()).isFalse();
        assertThat(channel.isRegistered()).isFalse();
        assertThat(channel.keyFor(selector())).isNull();
        assertThat(channel.supportedOptions()).contains(StandardSocketOptions.TCP_NODELAY);
        assertThat(channel.toString()).isNotEmpty();
        assertThat(channel.provider()).isNotNull();
    }

    private Stream<DynamicTest> socketChannel(SocketChannel channel) {
        return closed(Map.ofEntries(
                Map.entry("read", () -> channel.read(buffer)),
                Map.entry("scattering read", () -> channel.read(buffers)),
                Map.entry("scattering read of a range", () -> channel.read(buffers, 0, 1)),
                Map.entry("write", () -> channel.write(buffer)),
                Map.entry("gathering write", () -> channel.write(buffers)),
                Map.entry("gathering write of a range", () -> channel.write(buffers, 0, 1)),
                Map.entry("bind", () -> channel.bind(anyPort())),
                Map.entry("connect", () -> channel.connect(listener().getLocalAddress())),
                Map.entry("finishConnect", channel::finishConnect),
                Map.entry("shutdownInput", channel::shutdownInput),
                Map.entry("shutdownOutput", channel::shutdownOutput),
                Map.entry("getLocalAddress", channel::getLocalAddress),
                Map.entry("getRemoteAddress", channel::getRemoteAddress),
                Map.entry("setOption", () -> channel.setOption(StandardSocketOptions.TCP_NODELAY, true)),
                Map.entry("getOption", () -> channel.getOption(StandardSocketOptions.TCP_NODELAY)),
                Map.entry("configureBlocking", () -> channel.configureBlocking(false)),
                Map.entry("register", () -> channel.register(selector(), SelectionKey.OP_READ))));
    }

    private Stream<DynamicTest> serverSocketChannel(ServerSocketChannel channel) {
        return closed(Map.ofEntries(
                Map.entry("accept", channel::accept),
                Map.entry("bind", () -> channel.bind(anyPort())),
                Map.entry("getLocalAddress", channel::getLocalAddress),
                Map.entry("setOption", () -> channel.setOption(StandardSocketOptions.SO_REUSEADDR, true)),
                Map.entry("getOption", () -> channel.getOption(StandardSocketOptions.SO_REUSEADDR)),
                Map.entry("configureBlocking", () -> channel.configureBlocking(false)),
                Map.entry("register", () -> channel.register(selector(), SelectionKey.OP_ACCEPT))));
    }

    private static Stream<DynamicTest> closed(Map<String, ThrowingCallable> calls) {
        return calls.entrySet().stream()
                .map(call -> DynamicTest.dynamicTest(call.getKey(), () -> assertThatThrownBy(call.getValue())
                        .isInstanceOf(ClosedChannelException.class)));
    }
}
