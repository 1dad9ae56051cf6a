// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.accel.core.jdk.JdkAccess;
import io.accel.nio.contract.Bytes;
import io.accel.nio.contract.ContractSupport;
import io.accel.nio.contract.Said;
import io.accel.nio.contract.Said.EndState;
import io.accel.nio.contract.Said.ListenerState;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What stream channels and listeners say in every state, message by message, beside the JDK's own in this JVM: releases of the JDK differ in
 * it.
 */
@Tag("stream")
class ChannelOutcomesTest extends ContractSupport {
    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource
    void ofAChannel(EndState state) throws Exception {
        for (boolean blocks : new boolean[] {true, false}) {
            assertThat(ofAChannel(SelectorProvider.provider(), state, blocks))
                    .as("blocking %s", blocks)
                    .isEqualTo(ofAChannel(JdkAccess.kernelProvider(), state, blocks));
        }
    }

    private String ofAChannel(SelectorProvider provider, EndState state, boolean blocks) throws Exception {
        ServerSocketChannel listener =
                closing(provider.openServerSocketChannel()).bind(anyPort());
        SocketChannel channel = closing(provider.openSocketChannel());
        if (state == EndState.BOUND) {
            channel.bind(anyPort());
        } else if (state != EndState.NEW) {
            channel.connect(listener.getLocalAddress());
            SocketChannel peer = closing(listener.accept());
            exchange(channel, peer);
            exchange(peer, channel);
            switch (state) {
                case INPUT_SHUT -> channel.shutdownInput();
                case OUTPUT_SHUT -> channel.shutdownOutput();
                case CLOSED -> channel.close();
                case PEER_HAS_CLOSED -> {
                    peer.close();
                    assertThat(channel.read(ByteBuffer.allocate(1))).isEqualTo(-1);
                }
                default -> {}
            }
        }
        if (channel.isOpen()) {
            channel.configureBlocking(blocks);
        }
        Said said = new Said();
        said.to(
                "state",
                () -> "" + channel.isOpen() + channel.isConnected() + channel.isConnectionPending()
                        + channel.isBlocking() + channel.isRegistered() + channel.validOps());
        transfers(channel, state, said);
        files(channel, state, said);
        said.options(channel::getOption, (option, value) -> channel.setOption(option, value));
        said.to("supported", () -> channel.supportedOptions().size());
        said.to("local", () -> channel.getLocalAddress() != null);
        said.to("remote", () -> channel.getRemoteAddress() != null);
        try (Selector selector = provider.openSelector()) {
            said.to("register for accepting", () -> channel.register(selector, SelectionKey.OP_ACCEPT) != null);
            if (blocks || !channel.isOpen()) {
                said.to("register", () -> channel.register(selector, SelectionKey.OP_READ) != null);
            }
        }
        said.to("register with nothing", () -> channel.register(null, 0) != null);
        said.to("bind", () -> channel.bind(anyPort()) == channel);
        said.to("bind to an odd address", () -> channel.bind(Said.ODD) == channel);
        said.to("bind to an unresolved address", () -> channel.bind(Said.UNRESOLVED) == channel);
        said.to("finish connecting", channel::finishConnect);
        said.to("connect to nothing", () -> channel.connect(null));
        said.to("connect to an odd address", () -> channel.connect(Said.ODD));
        if (channel.isConnected() || !channel.isOpen()) {
            said.to("connect again", () -> channel.connect(listener.getLocalAddress()));
            said.to("connect to an unresolved address", () -> channel.connect(Said.UNRESOLVED));
        }
        said.to("shut input", () -> channel.shutdownInput() == channel);
        said.to("shut output", () -> channel.shutdownOutput() == channel);
        said.to("read after that", () -> channel.read(ByteBuffer.allocate(1)));
        said.to("write after that", () -> channel.write(ByteBuffer.allocate(1)));
        said.to("block", () -> channel.configureBlocking(true) == channel);
        return said.all();
    }

    private static void exchange(SocketChannel from, SocketChannel to) throws Exception {
        Bytes.write(from, new byte[1]);
        Bytes.read(to, 1);
    }

    private static void transfers(SocketChannel channel, EndState state, Said said) {
        ByteBuffer none = ByteBuffer.allocate(0);
        ByteBuffer one = ByteBuffer.allocate(1);
        said.to("read nothing", () -> channel.read(none));
        said.to("read into no buffer", () -> channel.read((ByteBuffer) null));
        said.to("read into a read-only buffer", () -> channel.read(one.asReadOnlyBuffer()));
        said.to("read into no buffers", () -> channel.read(new ByteBuffer[0]));
        said.to("read into no array", () -> channel.read((ByteBuffer[]) null));
        said.to("read into a null buffer", () -> channel.read(new ByteBuffer[] {null}));
        said.to("read into a null buffer behind another", () -> channel.read(new ByteBuffer[] {one, null}));
        said.to("write a null buffer", () -> channel.write(new ByteBuffer[] {null}));
        said.to("write a null buffer behind another", () -> channel.write(new ByteBuffer[] {one, null}));
        said.to("read out of bounds", () -> channel.read(new ByteBuffer[] {one}, 1, 1));
        said.to("read backwards", () -> channel.read(new ByteBuffer[] {one}, 0, -1));
        said.to(
                "read into one read-only buffer of two",
                () -> channel.read(new ByteBuffer[] {one, one.asReadOnlyBuffer()}));
        if (!state.readsWait()) {
            said.to("read", () -> channel.read(ByteBuffer.allocate(1)));
            said.to("scatter", () -> channel.read(new ByteBuffer[] {ByteBuffer.allocate(1)}));
        }
        said.to("write nothing", () -> channel.write(none));
        said.to("write no buffer", () -> channel.write((ByteBuffer) null));
        said.to("write no buffers", () -> channel.write(new ByteBuffer[0]));
        said.to("write no array", () -> channel.write((ByteBuffer[]) null));
        said.to("write out of bounds", () -> channel.write(new ByteBuffer[] {one}, 2, 0));
        if (state != EndState.PEER_HAS_CLOSED) { // which accepts one, and refuses those behind its answer
            said.to("write", () -> channel.write(ByteBuffer.allocate(1)));
            said.to("gather", () -> channel.write(new ByteBuffer[] {ByteBuffer.allocate(1)}));
        }
    }

    private void files(SocketChannel channel, EndState state, Said said) throws Exception {
        Path path = Files.write(directory.resolve("file"), new byte[8]);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            said.to("take nothing into a file", () -> file.transferFrom(channel, 0, 0));
            if (state == EndState.CONNECTED || state == EndState.INPUT_SHUT || state == EndState.CLOSED) {
                // docs/LIMITS.md has the other states.
                said.to("send nothing of a file", () -> file.transferTo(0, 0, channel));
                said.to("send a file behind its end", () -> file.transferTo(8, 1, channel));
                said.to("send a file", () -> file.transferTo(0, 8, channel));
            }
            if (!state.readsWait()) {
                said.to("take into a file", () -> file.transferFrom(channel, 0, 1));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void ofAListener(ListenerState state) throws Exception {
        for (boolean blocks : new boolean[] {true, false}) {
            assertThat(ofAListener(SelectorProvider.provider(), state, blocks))
                    .as("blocking %s", blocks)
                    .isEqualTo(ofAListener(JdkAccess.kernelProvider(), state, blocks));
        }
    }

    private String ofAListener(SelectorProvider provider, ListenerState state, boolean blocks) throws Exception {
        ServerSocketChannel listener = closing(provider.openServerSocketChannel());
        if (state != ListenerState.NEW) {
            listener.bind(anyPort());
        }
        listener.configureBlocking(blocks);
        if (state == ListenerState.CLOSED) {
            listener.close();
        }
        Said said = new Said();
        said.to("state", () -> "" + listener.isOpen() + listener.isBlocking() + listener.validOps());
        if (state != ListenerState.BOUND || !blocks) {
            said.to("accept", () -> listener.accept());
            said.to("accept by the adaptor", () -> listener.socket().accept());
        }
        said.options(listener::getOption, (option, value) -> listener.setOption(option, value));
        said.to("supported", () -> listener.supportedOptions().size());
        said.to("local", () -> listener.getLocalAddress() != null);
        said.to("bind to an odd address", () -> listener.bind(Said.ODD) == listener);
        said.to("bind to an unresolved address", () -> listener.bind(Said.UNRESOLVED) == listener);
        said.to("bind", () -> listener.bind(anyPort(), -1) == listener);
        said.to("bind again", () -> listener.bind(anyPort()) == listener);
        said.to(
                "adaptor's state",
                () -> "" + listener.socket().isBound() + listener.socket().isClosed());
        said.to("adaptor's timeout", () -> listener.socket().getSoTimeout());
        said.to("adaptor's size", () -> {
            listener.socket().setReceiveBufferSize(0);
            return "";
        });
        said.to("block", () -> listener.configureBlocking(true) == listener);
        return said.all();
    }
}
