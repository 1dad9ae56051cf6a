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
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Listens, and connects to others when it is told to: {@code name=byte port= host=}. It may share its port. It answers the connections
 * that it accepts with its name, byte for byte.
 *
 * <p>Says {@code PORT n}. Of the commands, {@code CONNECT host port n} opens as many connections as it can, n at most, keeps them,
 * and says {@code CONNECTED n}; {@code ASK n} asks each of the latest n for its name and says {@code ANSWERED name=count ...};
 * {@code LATEST} says {@code FROM n}, the port that the latest comes from; {@code COUNT} says {@code ACCEPTED n}; {@code CLOSE}
 * closes the listener and says {@code CLOSED}.
 */
public final class Station {
    private static final int BACKLOG = 1024;

    private final Console console = new Console();
    private final AtomicInteger accepted = new AtomicInteger();
    /** Opened when the selector has let go of the closed listener. */
    private final CountDownLatch gone = new CountDownLatch(1);

    private final List<SocketChannel> connected = new ArrayList<>();
    private final byte name;
    private final Selector selector;
    private final ServerSocketChannel listener;

    private Station(Arguments arguments) throws IOException {
        name = (byte) arguments.get("name", 0);
        selector = Selector.open();
        listener = ServerSocketChannel.open();
        listener.setOption(StandardSocketOptions.SO_REUSEPORT, true);
        InetAddress host = InetAddress.getByName(arguments.get("host", "127.0.0.1"));
        listener.bind(new InetSocketAddress(host, (int) arguments.get("port", 0)), BACKLOG);
        listener.configureBlocking(false);
        listener.register(selector, SelectionKey.OP_ACCEPT);
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        new Station(new Arguments(args)).run();
    }

    private void run() throws IOException, InterruptedException {
        Thread server = new Thread(this::serve, "server");
        server.setDaemon(true);
        server.start();
        console.say("PORT " + listener.socket().getLocalPort());
        while (true) {
            String[] command = console.next().split(" ", -1);
            switch (command[0]) {
                case "CONNECT" ->
                    connect(
                            new InetSocketAddress(InetAddress.getByName(command[1]), Integer.parseInt(command[2])),
                            Integer.parseInt(command[3]));
                case "ASK" -> ask(Integer.parseInt(command[1]));
                case "LATEST" ->
                    console.say("FROM "
                            + connected.get(connected.size() - 1).socket().getLocalPort());
                case "COUNT" -> console.say("ACCEPTED " + accepted);
                case "CLOSE" -> {
                    listener.close();
                    selector.wakeup();
                    gone.await(); // until then the kernel's socket is open
                    console.say("CLOSED");
                }
                default -> throw new IllegalArgumentException(command[0]);
            }
        }
    }

    private void connect(InetSocketAddress to, int most) {
        int opened = 0;
        try {
            for (; opened < most; opened++) {
                SocketChannel channel = SocketChannel.open();
                channel.connect(to);
                connected.add(channel);
            }
        } catch (IOException e) {
            console.say("NO MORE " + e);
        }
        console.say("CONNECTED " + opened);
    }

    private void ask(int latest) throws IOException {
        Map<Byte, Integer> answers = new TreeMap<>();
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        for (SocketChannel channel : connected.subList(connected.size() - latest, connected.size())) {
            channel.write(one.clear());
            if (channel.read(one.clear()) != 1) {
                throw new IOException("the end in an answer's place");
            }
            answers.merge(one.get(0), 1, Integer::sum);
        }
        StringBuilder said = new StringBuilder("ANSWERED");
        answers.forEach(
                (who, count) -> said.append(' ').append((int) who).append('=').append((int) count));
        console.say(said.toString());
    }

    private void serve() {
        try {
            while (true) {
                selector.select(this::turn);
                if (!listener.isOpen() && !listener.isRegistered()) {
                    gone.countDown();
                }
            }
        } catch (IOException e) {
            console.say("SERVER FAILED " + e);
        }
    }

    private void turn(SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                accept((ServerSocketChannel) key.channel());
            } else {
                answer((SocketChannel) key.channel());
            }
        } catch (IOException e) {
            console.say("SERVER FAILED " + e);
        }
    }

    private void accept(ServerSocketChannel from) throws IOException {
        SocketChannel channel = from.accept();
        if (channel != null) {
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            accepted.incrementAndGet();
        }
    }

    private void answer(SocketChannel channel) throws IOException {
        ByteBuffer one = ByteBuffer.allocate(1);
        int n = channel.read(one);
        if (n < 0) {
            channel.close();
        } else if (n > 0) {
            channel.write(one.clear().put(name).flip());
        }
    }
}
