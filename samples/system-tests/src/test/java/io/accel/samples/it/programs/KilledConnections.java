// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import io.accel.testing.TcpConnections;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * Has connections to itself, kills their TCP connections one after the other ({@code ss -K}), and measures when both ends are told that wait in
 * a given way. For each way it says {@code LATE_WAY killed reset rings}: the microseconds from the start of the kill until the killed end and
 * the other one were told, as medians, and the least number of rings that were mapped when a connection was killed. In the end it says {@code DONE}.
 */
public final class KilledConnections {
    private static final int KILLS = 9;
    private static final int ROUND_TRIPS = 200;
    private static final int MUCH = 32 << 20;
    private static final int SOME = 4096;
    private static final int LIMIT_SECONDS = 20;
    /** How long the ends wait before the kill. */
    private static final int SETTLE_MILLIS = 30;

    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private KilledConnections() {}

    /** How the ends wait. */
    private enum Way {
        READ {
            @Override
            Ends open() throws IOException {
                return blocking(KilledConnections::read);
            }
        },
        WRITE {
            @Override
            Ends open() throws IOException {
                return blocking(KilledConnections::write);
            }
        },
        SELECT {
            @Override
            Ends open() throws IOException {
                return blocking(KilledConnections::select);
            }
        },
        /** Each end reads and writes all the time. */
        BUSY {
            @Override
            Ends open() throws IOException {
                return blocking(KilledConnections::exchange);
            }
        },
        NIO2 {
            @Override
            Ends open() throws Exception {
                return asynchronous();
            }
        },
        SOCKET {
            @Override
            Ends open() throws IOException {
                return sockets();
            }
        };

        abstract Ends open() throws Exception;
    }

    /** What an end does until it is told. */
    private interface Wait<T> {
        void until(T end) throws Exception;
    }

    /** Both ends of a connection, which wait; each gives the time at which it was told. */
    private record Ends(
            SocketAddress local,
            SocketAddress remote,
            Future<Long> killed,
            Future<Long> reset,
            List<AutoCloseable> all) {}

    public static void main(String[] args) throws Exception {
        Console console = new Console();
        for (Way way : Way.values()) {
            long[] killed = new long[KILLS];
            long[] reset = new long[KILLS];
            long rings = Long.MAX_VALUE;
            for (int i = 0; i < KILLS; i++) {
                Ends ends = way.open();
                Thread.sleep(SETTLE_MILLIS);
                rings = Math.min(rings, rings());
                long start = System.nanoTime();
                TcpConnections.kill(ends.local, ends.remote);
                killed[i] = told(ends.killed) - start;
                reset[i] = told(ends.reset) - start;
                for (AutoCloseable each : ends.all) {
                    each.close();
                }
            }
            console.say("LATE_" + way + " " + median(killed) + " " + median(reset) + " " + rings);
        }
        console.say("DONE");
    }

    private static long told(Future<Long> end) throws InterruptedException, ExecutionException, TimeoutException {
        return end.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private static long median(long[] nanos) {
        Arrays.sort(nanos);
        return nanos[nanos.length / 2] / 1_000;
    }

    private static long rings() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains("/ring-")).count();
        }
    }

    private static Ends blocking(Wait<SocketChannel> wait) throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(ANY_PORT)) {
            SocketChannel client = SocketChannel.open(listener.getLocalAddress());
            SocketChannel server = listener.accept();
            ByteBuffer one = ByteBuffer.allocate(1);
            for (int i = 0; i < ROUND_TRIPS; i++) {
                client.write(one.clear());
                server.read(one.clear());
                server.write(one.clear());
                client.read(one.clear());
            }
            return new Ends(
                    client.getLocalAddress(),
                    client.getRemoteAddress(),
                    start(client, wait),
                    start(server, wait),
                    List.of(client, server));
        }
    }

    private static Ends sockets() throws IOException {
        try (ServerSocket listener = new ServerSocket()) {
            listener.bind(ANY_PORT);
            Socket client = new Socket(listener.getInetAddress(), listener.getLocalPort());
            Socket server = listener.accept();
            for (int i = 0; i < ROUND_TRIPS; i++) {
                client.getOutputStream().write(1);
                int there = server.getInputStream().read();
                server.getOutputStream().write(there);
                int unused = client.getInputStream().read();
            }
            Wait<Socket> wait = socket -> {
                int unused = socket.getInputStream().read();
            };
            return new Ends(
                    client.getLocalSocketAddress(),
                    client.getRemoteSocketAddress(),
                    start(client, wait),
                    start(server, wait),
                    List.of(client, server));
        }
    }

    private static Ends asynchronous() throws Exception {
        try (AsynchronousServerSocketChannel listener =
                AsynchronousServerSocketChannel.open().bind(ANY_PORT)) {
            AsynchronousSocketChannel client = AsynchronousSocketChannel.open();
            Future<AsynchronousSocketChannel> accepted = listener.accept();
            client.connect(listener.getLocalAddress()).get();
            AsynchronousSocketChannel server = accepted.get();
            ByteBuffer one = ByteBuffer.allocate(1);
            for (int i = 0; i < ROUND_TRIPS; i++) {
                client.write(one.clear()).get();
                server.read(one.clear()).get();
                server.write(one.clear()).get();
                client.read(one.clear()).get();
            }
            Wait<AsynchronousSocketChannel> wait = channel -> {
                int unused = channel.read(ByteBuffer.allocate(1)).get();
            };
            return new Ends(
                    client.getLocalAddress(),
                    client.getRemoteAddress(),
                    start(client, wait),
                    start(server, wait),
                    List.of(client, server));
        }
    }

    /** Waits in a thread of its own. Every failure counts as being told: the contract suite says which it has to be. */
    private static <T> Future<Long> start(T end, Wait<T> wait) {
        FutureTask<Long> told = new FutureTask<>(() -> {
            try {
                wait.until(end);
            } catch (IOException | ExecutionException expected) {
                // told
            }
            return System.nanoTime();
        });
        Thread thread = new Thread(told, "end");
        thread.setDaemon(true);
        thread.start();
        return told;
    }

    private static void read(SocketChannel channel) throws IOException {
        channel.read(ByteBuffer.allocate(1));
    }

    private static void write(SocketChannel channel) throws IOException {
        ByteBuffer much = ByteBuffer.allocateDirect(MUCH);
        while (much.hasRemaining()) {
            channel.write(much);
        }
    }

    private static void select(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        try (Selector selector = Selector.open()) {
            channel.register(selector, SelectionKey.OP_READ);
            selector.select();
        }
    }

    private static void exchange(SocketChannel channel) throws Exception {
        List<Future<Long>> halves = new ArrayList<>();
        halves.add(start(channel, each -> {
            ByteBuffer some = ByteBuffer.allocateDirect(SOME);
            while (each.read(some.clear()) >= 0) {
                // until it is told
            }
        }));
        halves.add(start(channel, each -> {
            ByteBuffer some = ByteBuffer.allocateDirect(SOME);
            while (true) {
                each.write(some.clear());
            }
        }));
        for (Future<Long> half : halves) {
            long unused = told(half);
        }
    }
}
