// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * One connection and small messages there and back: without {@code port=n} the server, which says {@code PORT n}. For each command {@code
 * RUN n} the client says {@code RUNNING n}, has n messages echoed, and says {@code DONE n}. Both wait as {@code wait=} says: {@code
 * selector} or {@code blocking}.
 */
public final class Echoes {
    private static final int MESSAGE_BYTES = 64;

    private final SocketChannel channel;
    /** Null in blocking mode. */
    private final Selector selector;

    private final ByteBuffer message = ByteBuffer.allocateDirect(MESSAGE_BYTES);

    private Echoes(SocketChannel channel, boolean selects) throws IOException {
        this.channel = channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        selector = selects ? Selector.open() : null;
        if (selects) {
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        Arguments arguments = new Arguments(args);
        Console console = new Console();
        boolean selects = arguments.get("wait", "blocking").equals("selector");
        InetAddress loopback = InetAddress.getLoopbackAddress();
        int port = (int) arguments.get("port", 0);
        if (port == 0) {
            ServerSocketChannel listener = ServerSocketChannel.open().bind(new InetSocketAddress(loopback, 0));
            console.say("PORT " + listener.socket().getLocalPort());
            new Echoes(listener.accept(), selects).serve();
        } else {
            new Echoes(SocketChannel.open(new InetSocketAddress(loopback, port)), selects).obey(console);
        }
    }

    private void serve() throws IOException {
        while (receive()) {
            send();
        }
    }

    private void obey(Console console) throws IOException, InterruptedException {
        while (true) {
            String number = console.next().substring("RUN ".length());
            console.say("RUNNING " + number);
            for (int i = Integer.parseInt(number); i > 0; i--) {
                message.clear();
                send();
                if (!receive()) {
                    throw new IOException("the server has closed");
                }
            }
            console.say("DONE " + number);
        }
    }

    private void send() throws IOException {
        while (message.hasRemaining()) {
            channel.write(message);
        }
    }

    /** Returns false at the end, and otherwise with a message that is ready to be read. */
    private boolean receive() throws IOException {
        message.clear();
        while (message.hasRemaining()) {
            if (selector != null) {
                selector.select();
                selector.selectedKeys().clear();
            }
            if (channel.read(message) < 0) {
                return false;
            }
        }
        message.flip();
        return true;
    }
}
