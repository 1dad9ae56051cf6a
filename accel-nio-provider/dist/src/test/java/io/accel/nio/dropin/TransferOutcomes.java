// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Callable;

/** Says what comes of transfers of files to and from connections in every state. */
final class TransferOutcomes {
    private enum State {
        NEW,
        CONNECTED,
        INPUT_SHUT,
        OUTPUT_SHUT,
        CLOSED,
        PEER_HAS_CLOSED,
        PEER_HAS_RESET
    }

    private static final int FEW = 8;
    private static final int ROUNDS = 3;

    private TransferOutcomes() {}

    public static void main(String[] args) throws IOException {
        Path path = Files.createTempFile("transfers", null);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(FEW));
            for (State state : State.values()) {
                for (boolean blocks : new boolean[] {true, false}) {
                    of(state, blocks, file);
                }
            }
        } finally {
            Files.delete(path);
        }
        System.out.println("said all");
    }

    @SuppressWarnings("try") // a closed channel is one of the states
    private static void of(State state, boolean blocks, FileChannel file) throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open();
                SocketChannel channel = SocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketChannel peer = null;
            if (state != State.NEW) {
                channel.connect(listener.getLocalAddress());
                peer = listener.accept();
                for (int i = 0; i < ROUNDS; i++) {
                    exchange(channel, peer);
                    exchange(peer, channel);
                }
            }
            switch (state) {
                case INPUT_SHUT -> channel.shutdownInput();
                case OUTPUT_SHUT -> channel.shutdownOutput();
                case CLOSED -> channel.close();
                case PEER_HAS_CLOSED -> {
                    peer.close();
                    say(state, blocks, "end", () -> channel.read(ByteBuffer.allocate(1)));
                }
                case PEER_HAS_RESET -> {
                    peer.setOption(StandardSocketOptions.SO_LINGER, 0).close();
                    say(state, blocks, "reset", () -> channel.read(ByteBuffer.allocate(1)));
                }
                default -> {}
            }
            if (channel.isOpen()) {
                channel.configureBlocking(blocks);
            }
            transfers(state, blocks, file, channel);
            if (peer != null) {
                peer.close();
            }
        }
    }

    private static void transfers(State state, boolean blocks, FileChannel file, SocketChannel channel) {
        say(state, blocks, "send nothing", () -> file.transferTo(0, 0, channel));
        say(state, blocks, "send what is behind the end", () -> file.transferTo(FEW, 1, channel));
        say(state, blocks, "send", () -> file.transferTo(0, FEW, channel));
        if (state != State.PEER_HAS_CLOSED) { // which accepts one write, and refuses those behind its answer
            say(state, blocks, "send again", () -> file.transferTo(0, FEW, channel));
            say(state, blocks, "write", () -> channel.write(ByteBuffer.allocate(1)));
        }
        say(state, blocks, "take nothing", () -> file.transferFrom(channel, 0, 0));
        if (state != State.CONNECTED && state != State.OUTPUT_SHUT) {
            say(state, blocks, "take", () -> file.transferFrom(channel, 0, 1));
        }
    }

    private static void exchange(SocketChannel from, SocketChannel to) throws IOException {
        from.write(ByteBuffer.allocate(1));
        to.read(ByteBuffer.allocate(1));
    }

    private static void say(State state, boolean blocks, String what, Callable<?> action) {
        String outcome;
        try {
            outcome = "" + action.call();
        } catch (Exception e) {
            outcome = e.getClass().getName() + ": " + e.getMessage();
        }
        System.out.println("said " + state + (blocks ? " blocking " : " ") + what + ": " + outcome);
    }
}
