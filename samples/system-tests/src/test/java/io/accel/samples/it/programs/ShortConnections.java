// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Connections with one message there and back each, which the server closes. Both ends are in this process. With {@code ends=channels} the
 * client has channels, and one thread of the server accepts and answers; with {@code ends=sockets} the client has {@code java.net.Socket}s,
 * and the server has a thread that accepts, one that selects, and one that answers, as web servers do. For each command {@code RUN n} the
 * program says {@code RUNNING n}, makes n connections one after the other, and says {@code DONE n}.
 */
public final class ShortConnections {
    private static final int MESSAGE_BYTES = 64;

    private final Selector selector = Selector.open();
    private final ServerSocketChannel listener = ServerSocketChannel.open();
    private final ByteBuffer echo = ByteBuffer.allocateDirect(MESSAGE_BYTES);
    private final Queue<SocketChannel> accepted = new ConcurrentLinkedQueue<>();
    private final BlockingQueue<SocketChannel> readable = new LinkedBlockingQueue<>();
    private final boolean areSockets;

    private ShortConnections(boolean areSockets) throws IOException {
        this.areSockets = areSockets;
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        if (!areSockets) {
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT);
        }
    }

    public static void main(String[] args) throws Exception {
        Console console = new Console();
        ShortConnections all = new ShortConnections(args[0].equals("ends=sockets"));
        start("selecting", all::select);
        if (all.areSockets) {
            start("accepting", all::accept);
            start("answering", all::answer);
        }
        while (true) {
            String number = console.next().substring("RUN ".length());
            console.say("RUNNING " + number);
            for (int i = Integer.parseInt(number); i > 0; i--) {
                all.connect();
            }
            console.say("DONE " + number);
        }
    }

    private interface Body {
        void run() throws IOException, InterruptedException;
    }

    private static void start(String name, Body body) {
        Thread thread = new Thread(
                () -> {
                    try {
                        body.run();
                    } catch (IOException | InterruptedException e) {
                        throw new IllegalStateException(name + " failed", e);
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    // ---- the client

    private void connect() throws IOException {
        if (areSockets) {
            connectSocket();
        } else {
            connectChannel();
        }
    }

    private void connectSocket() throws IOException {
        try (Socket socket = new Socket(
                InetAddress.getLoopbackAddress(), ((InetSocketAddress) listener.getLocalAddress()).getPort())) {
            socket.getOutputStream().write(new byte[MESSAGE_BYTES]);
            int unused = socket.getInputStream().readNBytes(MESSAGE_BYTES).length;
        }
    }

    private void connectChannel() throws IOException {
        ByteBuffer message = ByteBuffer.allocate(MESSAGE_BYTES);
        try (SocketChannel channel = SocketChannel.open(listener.getLocalAddress())) {
            channel.write(message);
            message.clear();
            while (channel.read(message) > 0) {} // full after the message, so that the end is not waited for
        }
    }

    // ---- the server

    private void select() throws IOException {
        while (true) {
            selector.select();
            for (SocketChannel channel = accepted.poll(); channel != null; channel = accepted.poll()) {
                channel.register(selector, SelectionKey.OP_READ);
            }
            for (SelectionKey key : selector.selectedKeys()) {
                serve(key);
            }
            selector.selectedKeys().clear();
        }
    }

    private void serve(SelectionKey key) throws IOException {
        if (key.isAcceptable()) {
            SocketChannel channel = listener.accept();
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
        } else if (areSockets) {
            key.interestOps(0);
            readable.add((SocketChannel) key.channel());
        } else {
            echo((SocketChannel) key.channel());
        }
    }

    private void accept() throws IOException {
        while (true) {
            SocketChannel channel = listener.accept();
            channel.configureBlocking(false);
            accepted.add(channel);
            selector.wakeup();
        }
    }

    private void answer() throws IOException, InterruptedException {
        while (true) {
            echo(readable.take());
        }
    }

    private void echo(SocketChannel channel) throws IOException {
        channel.read(echo.clear());
        channel.write(echo.flip());
        channel.close();
    }
}
