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
import java.util.ArrayList;
import java.util.List;

/**
 * Connections opened and closed, one after the other: without arguments the server, with {@code port=n} the client.
 *
 * <p>Both say what they are doing: the server {@code PORT n}; the client, for each command {@code RUN n}, {@code DONE
 * n}; for {@code HOLD n}, which leaves n connections open, {@code HELD n}. Each of those carries {@value #BUSY} bytes to the server and back, one after
 * the other. Each other connection carries one, and is closed in one of four ways that take turns: by the client, by the server, by
 * half-close, by reset.
 */
public final class Churn {
    private static final byte CLIENT_CLOSES = 0;
    private static final byte SERVER_CLOSES = 1;
    private static final byte HALF_CLOSE = 2;
    private static final byte RESET = 3;

    /** More bytes than make a connection worth a link with any preset. */
    private static final int BUSY = 64;

    private Churn() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        Arguments arguments = new Arguments(args);
        Console console = new Console();
        int port = (int) arguments.get("port", 0);
        if (port == 0) {
            serve(console);
        } else {
            connect(console, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        }
    }

    private static void serve(Console console) throws IOException {
        try (Selector selector = Selector.open();
                ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT);
            console.say("PORT " + listener.socket().getLocalPort());
            while (true) {
                selector.select(key -> turn(console, key));
            }
        }
    }

    private static void turn(Console console, SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                SocketChannel accepted = ((ServerSocketChannel) key.channel()).accept();
                if (accepted != null) {
                    accepted.configureBlocking(false);
                    accepted.register(key.selector(), SelectionKey.OP_READ);
                }
            } else {
                answer(console, (SocketChannel) key.channel());
            }
        } catch (IOException e) {
            console.say("SERVER FAILED " + e);
        }
    }

    private static void answer(Console console, SocketChannel channel) throws IOException {
        ByteBuffer one = ByteBuffer.allocate(1);
        try {
            if (channel.read(one) < 0) {
                channel.close();
            } else if (one.position() == 1) {
                boolean closes = one.get(0) == SERVER_CLOSES;
                channel.write(one.flip());
                if (closes) {
                    channel.close();
                }
            }
        } catch (IOException e) {
            // A reset is one of the four ways to end.
            channel.close();
            if (!"Connection reset".equals(e.getMessage())) {
                console.say("SERVER FAILED " + e);
            }
        }
    }

    private static void connect(Console console, InetSocketAddress server) throws IOException, InterruptedException {
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        List<SocketChannel> held = new ArrayList<>();
        while (true) {
            String[] command = console.next().split(" ", -1);
            int count = Integer.parseInt(command[1]);
            boolean hold = command[0].equals("HOLD");
            for (int i = 0; i < count; i++) {
                if (hold) {
                    SocketChannel channel = SocketChannel.open(server);
                    held.add(channel);
                    for (int each = 0; each < BUSY; each++) {
                        bounce(channel, one, CLIENT_CLOSES);
                    }
                } else {
                    exchange(server, one, (byte) (i % 4));
                }
            }
            console.say(hold ? "HELD " + held.size() : "DONE " + count);
        }
    }

    private static void exchange(InetSocketAddress server, ByteBuffer one, byte way) throws IOException {
        try (SocketChannel channel = SocketChannel.open(server)) {
            bounce(channel, one, way);
            if (way == HALF_CLOSE) {
                channel.shutdownOutput();
            }
            if (way == HALF_CLOSE || way == SERVER_CLOSES) {
                if (channel.read(one.clear()) != -1) {
                    throw new IOException("bytes where the end should be");
                }
            } else if (way == RESET) {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            } else if (way != CLIENT_CLOSES) {
                throw new IllegalArgumentException("no way " + way);
            }
        }
    }

    private static void bounce(SocketChannel channel, ByteBuffer one, byte way) throws IOException {
        channel.write(one.clear().put(way).flip());
        if (channel.read(one.clear()) != 1 || one.get(0) != way) {
            throw new IOException("the answer is not what was sent");
        }
    }
}
