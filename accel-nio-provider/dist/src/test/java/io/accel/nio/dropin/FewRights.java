// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.Channels;
import java.nio.channels.CompletionHandler;
import java.nio.channels.DatagramChannel;
import java.nio.channels.InterruptedByTimeoutException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * A program that knows nothing of Accel, for a JVM with a security manager: it may use 127.0.0.1 and Unix-domain sockets, connect to 127.0.0.4, and nothing else.
 * So it does not learn that a listener is on all addresses. It talks to itself, and prints the outcome. While it rests it waits for
 * a line.
 */
final class FewRights {
    /** The beginning of each line of this program. */
    static final String SAID = "> ";
    /** Such a line, while it waits for a line of its standard input. */
    static final String RESTS = "rests";

    private static final int LIMIT_SECONDS = 20;
    private static final int LIMIT_MILLIS = LIMIT_SECONDS * 1000;
    private static final int SHORT_MILLIS = 20;
    private static final int ROUNDS = 100;
    /** More than a ring of the test holds, and less than the kernel takes. */
    private static final int UNREAD = 100_000;

    private static final int MUCH = 4 << 20;

    private FewRights() {}

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "sockets" -> sockets();
            case "datagrams" -> datagrams();
            case "channels" -> channels();
            case "unix" -> unix(Path.of(args[1]));
            case "asynchronous" -> asynchronous();
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static InetSocketAddress loopback(int last) throws IOException {
        return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last}), 0);
    }

    // ---- sockets

    private static void sockets() throws Exception {
        try (ServerSocket listener = new ServerSocket(0)) {
            listener.setSoTimeout(SHORT_MILLIS);
            say("accept", listener::accept);
            listener.setSoTimeout(LIMIT_MILLIS);
            Socket client = new Socket(loopback(4).getAddress(), listener.getLocalPort());
            Socket server = listener.accept();
            client.setTcpNoDelay(true);
            server.setSoTimeout(SHORT_MILLIS);
            say("read", () -> server.getInputStream().read());
            server.setSoTimeout(LIMIT_MILLIS);
            talk(
                    client.getInputStream(),
                    client.getOutputStream(),
                    server.getInputStream(),
                    server.getOutputStream(),
                    client);
            server.close();
            try (Socket stranger = new Socket()) {
                stranger.bind(loopback(3));
                stranger.connect(new InetSocketAddress(loopback(1).getAddress(), listener.getLocalPort()));
                say("accept of a stranger", listener::accept);
            }
        }
        try (Socket elsewhere = new Socket()) {
            say("elsewhere", () -> {
                elsewhere.connect(new InetSocketAddress(loopback(2).getAddress(), 9), LIMIT_MILLIS);
                return "connected";
            });
        }
    }

    // ---- datagrams

    private static void datagrams() throws Exception {
        try (DatagramSocket one = new DatagramSocket(loopback(1));
                DatagramSocket other = new DatagramSocket(loopback(1));
                DatagramSocket connected = new DatagramSocket(loopback(1))) {
            other.setSoTimeout(SHORT_MILLIS);
            say("receive", () -> {
                other.receive(packet(other));
                return "received";
            });
            other.setSoTimeout(LIMIT_MILLIS);
            connected.setSoTimeout(LIMIT_MILLIS);
            connected.connect(other.getLocalSocketAddress());
            for (int turn = 0; turn < 2; turn++) {
                for (int i = 0; i < ROUNDS; i++) {
                    one.send(packet(other));
                    DatagramPacket got = packet(other);
                    other.receive(got);
                    connected.send(packet(other));
                    other.receive(got);
                    other.send(got);
                    connected.receive(got);
                }
                rest();
            }
            print("received all");
            say("elsewhere", () -> {
                one.send(new DatagramPacket(
                        new byte[1], 1, new InetSocketAddress(loopback(2).getAddress(), 9)));
                return "sent";
            });
        }
    }

    private static DatagramPacket packet(DatagramSocket to) {
        return new DatagramPacket(new byte[1], 1, to.getLocalSocketAddress());
    }

    // ---- channels

    private static void channels() throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(null)) {
            int port = listener.socket().getLocalPort();
            SocketChannel client =
                    SocketChannel.open(new InetSocketAddress(loopback(4).getAddress(), port));
            SocketChannel server = listener.accept();
            talk(
                    Channels.newInputStream(client),
                    Channels.newOutputStream(client),
                    Channels.newInputStream(server),
                    Channels.newOutputStream(server),
                    client);
            server.close();
            try (SocketChannel stranger = SocketChannel.open().bind(loopback(3))) {
                stranger.connect(new InetSocketAddress(loopback(1).getAddress(), port));
                say("accept of a stranger", listener::accept);
            }
            adaptors(listener.socket());
        }
    }

    /** A channel's socket adaptor. */
    private static void adaptors(ServerSocket listener) throws Exception {
        InetAddress here = loopback(4).getAddress();
        try (Socket client = SocketChannel.open(new InetSocketAddress(here, listener.getLocalPort()))
                        .socket();
                Socket server = listener.accept();
                DatagramSocket one = DatagramChannel.open().bind(loopback(1)).socket();
                DatagramSocket other = DatagramChannel.open().bind(null).socket()) {
            print(listener.getInetAddress() + " " + server.getLocalAddress() + " " + client.getInetAddress() + " "
                    + other.getLocalAddress());
            server.setSoTimeout(SHORT_MILLIS);
            say("read", () -> server.getInputStream().read());
            server.setSoTimeout(LIMIT_MILLIS);
            rounds(
                    client.getInputStream(),
                    client.getOutputStream(),
                    server.getInputStream(),
                    server.getOutputStream());
            DatagramPacket packet = new DatagramPacket(new byte[1], 1, here, other.getLocalPort());
            for (int i = 0; i < ROUNDS; i++) {
                one.send(packet);
                other.receive(packet(one));
            }
            print("received all");
        }
    }

    // ---- Unix-domain channels

    /** Through a socket whose file the program must not look at. */
    private static void unix(Path path) throws Exception {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(path);
        try (ServerSocketChannel listener =
                ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address)) {
            SocketChannel client = SocketChannel.open(address);
            SocketChannel server = listener.accept();
            talk(
                    Channels.newInputStream(client),
                    Channels.newOutputStream(client),
                    Channels.newInputStream(server),
                    Channels.newOutputStream(server),
                    client);
            server.close();
        }
        say("look at the file", () -> {
            try {
                return Files.exists(path);
            } catch (SecurityException e) {
                return e.getMessage().replace(path.toString(), "PATH");
            }
        });
    }

    // ---- asynchronous channels

    private static void asynchronous() throws Exception {
        asynchronous(null);
        AsynchronousChannelGroup fixed = AsynchronousChannelGroup.withFixedThreadPool(2, Thread::new);
        asynchronous(fixed);
        end("fixed", fixed);
        AsynchronousChannelGroup cached =
                AsynchronousChannelGroup.withCachedThreadPool(Executors.newCachedThreadPool(), 1);
        asynchronous(cached);
        end("cached", cached);
    }

    private static void end(String name, AsynchronousChannelGroup group) throws Exception {
        group.shutdown();
        print(name + " ends " + group.awaitTermination(LIMIT_SECONDS, TimeUnit.SECONDS));
    }

    private static void asynchronous(AsynchronousChannelGroup group) throws Exception {
        try (AsynchronousServerSocketChannel listener = AsynchronousServerSocketChannel.open(group)) {
            listener.bind(loopback(1));
            Future<AsynchronousSocketChannel> accepting = accept(listener);
            AsynchronousSocketChannel client = AsynchronousSocketChannel.open(group);
            client.connect(listener.getLocalAddress()).get(LIMIT_SECONDS, TimeUnit.SECONDS);
            AsynchronousSocketChannel server = accepting.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            talk(
                    Channels.newInputStream(client),
                    Channels.newOutputStream(client),
                    Channels.newInputStream(server),
                    Channels.newOutputStream(server),
                    client);
            say("read in time", () -> {
                AsynchronousSocketChannel slow = AsynchronousSocketChannel.open(group);
                slow.connect(listener.getLocalAddress()).get(LIMIT_SECONDS, TimeUnit.SECONDS);
                CompletableFuture<Integer> result = new CompletableFuture<>();
                slow.read(ByteBuffer.allocate(1), SHORT_MILLIS, TimeUnit.MILLISECONDS, null, handler(result));
                try {
                    return result.get(LIMIT_SECONDS, TimeUnit.SECONDS);
                } finally {
                    slow.close();
                    accept(listener).get(LIMIT_SECONDS, TimeUnit.SECONDS).close();
                }
            });
            server.close();
            Future<AsynchronousSocketChannel> waits = accept(listener);
            connectAsStranger(group, listener);
            say("accept of a stranger", () -> waits.get(LIMIT_SECONDS, TimeUnit.SECONDS));
            connectAsStranger(group, listener);
            say("accept of a stranger", () -> accept(listener).get(LIMIT_SECONDS, TimeUnit.SECONDS));
        }
        try (AsynchronousSocketChannel elsewhere = AsynchronousSocketChannel.open(group)) {
            say("elsewhere", () -> elsewhere
                    .connect(new InetSocketAddress(loopback(2).getAddress(), 9))
                    .get(LIMIT_SECONDS, TimeUnit.SECONDS));
        }
    }

    private static void connectAsStranger(AsynchronousChannelGroup group, AsynchronousServerSocketChannel listener)
            throws Exception {
        try (AsynchronousSocketChannel stranger = AsynchronousSocketChannel.open(group)) {
            stranger.bind(loopback(3)).connect(listener.getLocalAddress()).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
    }

    private static Future<AsynchronousSocketChannel> accept(AsynchronousServerSocketChannel listener) {
        CompletableFuture<AsynchronousSocketChannel> result = new CompletableFuture<>();
        listener.accept(null, handler(result));
        return result;
    }

    private static <V> CompletionHandler<V, Void> handler(CompletableFuture<V> result) {
        return new CompletionHandler<>() {
            @Override
            public void completed(V value, Void attachment) {
                result.complete(value);
            }

            @Override
            public void failed(Throwable failure, Void attachment) {
                result.completeExceptionally(failure);
            }
        };
    }

    // ---- what all do

    /** Bytes there and back, a rest, many bytes one way, and an end with more unread bytes than a ring holds. */
    private static void talk(
            InputStream clientIn,
            OutputStream clientOut,
            InputStream serverIn,
            OutputStream serverOut,
            Closeable client)
            throws Exception {
        rounds(clientIn, clientOut, serverIn, serverOut);
        rest();
        rounds(clientIn, clientOut, serverIn, serverOut);
        Thread writer = new Thread(() -> write(clientOut, MUCH), "writer");
        writer.start();
        print("came " + serverIn.readNBytes(MUCH).length);
        writer.join();
        write(clientOut, UNREAD);
        client.close();
        print("unread " + serverIn.readAllBytes().length);
    }

    private static void rounds(
            InputStream clientIn, OutputStream clientOut, InputStream serverIn, OutputStream serverOut)
            throws IOException {
        int sum = 0;
        for (int i = 0; i < ROUNDS; i++) {
            clientOut.write(1);
            serverOut.write(serverIn.read());
            sum += clientIn.read();
        }
        print("rounds " + sum);
    }

    private static void write(OutputStream out, int length) {
        try {
            out.write(new byte[length]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void print(String line) {
        System.out.println(SAID + line);
    }

    private static void rest() throws IOException {
        print(RESTS);
        int unused = System.in.read();
    }

    /** The outcome of an action, on a thread of its own, so that the rights are those of one of the program's threads. */
    private static void say(String what, Callable<?> call) throws Exception {
        FutureTask<Object> task = new FutureTask<>(call::call);
        new Thread(task, "caller").start();
        String outcome;
        try {
            outcome = String.valueOf(task.get(2 * LIMIT_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() instanceof ExecutionException wrapped ? wrapped.getCause() : e.getCause();
            boolean timeOut = cause instanceof SocketTimeoutException || cause instanceof InterruptedByTimeoutException;
            outcome = timeOut ? "timed out" : String.valueOf(cause).replaceAll(":\\d{4,5}\"", ":PORT\"");
        }
        print(what + ": " + outcome);
    }
}
