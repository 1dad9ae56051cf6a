// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import java.io.Closeable;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Has connections to itself, over which it talks, and says {@code READY}. For each {@link Opening} that it is told, it opens files until the
 * process has no descriptor left, and says whether the opening works: {@code OPENED} or {@code FAILED}, with the reason. Behind {@code NEW} a new
 * thread does that, and no files are opened before. {@code TALK} lets each connection make a round trip, and is answered by {@code TALKED}; from
 * then on the main thread opens nothing before the next opening.
 */
public final class LastDescriptors {
    private static final int CONNECTIONS = 40;
    private static final String NEW = "NEW ";

    private final Console console = new Console();
    private final InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private final List<SocketChannel> ends = new ArrayList<>();
    /** A connection that the listener has yet to accept; null before the first command, and after an opening. */
    private SocketChannel toBeAccepted;

    private final Map<Opening, Attempt> attempts = new EnumMap<>(Opening.class);

    /** What takes a descriptor. */
    public enum Opening {
        SOCKET_BIND,
        SOCKET_OPTION,
        SOCKET_CONNECT,
        BOUND_SOCKET_CONNECT,
        SERVER_SOCKET_BIND,
        SERVER_SOCKET_OPTION,
        DATAGRAM_SOCKET,
        CHANNEL,
        CHANNEL_CONNECT,
        SERVER_CHANNEL,
        DATAGRAM_CHANNEL,
        ASYNCHRONOUS_CHANNEL,
        ASYNCHRONOUS_SERVER_CHANNEL,
        ASYNCHRONOUS_GROUP,
        UNIX_CHANNEL,
        UNIX_SERVER_CHANNEL,
        SELECTOR,
        PIPE,
        ACCEPT,
        NON_BLOCKING_ACCEPT
    }

    /** One opening; what it opened is closed afterwards. */
    private interface Attempt {
        Closeable make() throws IOException;
    }

    private LastDescriptors(ServerSocketChannel listener) throws IOException {
        InetSocketAddress there = (InetSocketAddress) listener.getLocalAddress();
        attempts.put(Opening.SOCKET_BIND, () -> {
            Socket socket = new Socket();
            socket.bind(anyPort);
            return socket;
        });
        attempts.put(Opening.SOCKET_OPTION, () -> {
            Socket socket = new Socket();
            socket.setReceiveBufferSize(1 << 16);
            return socket;
        });
        attempts.put(Opening.SOCKET_CONNECT, () -> new Socket(there.getAddress(), there.getPort()));
        attempts.put(Opening.BOUND_SOCKET_CONNECT, () -> {
            Socket socket = new Socket();
            socket.bind(anyPort);
            int bound = socket.getLocalPort();
            socket.connect(there);
            if (socket.getLocalPort() != bound) {
                throw new AssertionError("was bound to " + bound + ", and is connected from " + socket.getLocalPort());
            }
            return socket;
        });
        attempts.put(Opening.SERVER_SOCKET_BIND, () -> new ServerSocket(0, 1, anyPort.getAddress()));
        attempts.put(Opening.SERVER_SOCKET_OPTION, () -> {
            ServerSocket socket = new ServerSocket();
            socket.setReceiveBufferSize(1 << 16);
            return socket;
        });
        attempts.put(Opening.DATAGRAM_SOCKET, () -> new DatagramSocket(anyPort));
        attempts.put(Opening.CHANNEL, SocketChannel::open);
        attempts.put(Opening.CHANNEL_CONNECT, () -> SocketChannel.open(there));
        attempts.put(Opening.SERVER_CHANNEL, () -> ServerSocketChannel.open().bind(anyPort));
        attempts.put(Opening.DATAGRAM_CHANNEL, () -> DatagramChannel.open().bind(anyPort));
        attempts.put(Opening.ASYNCHRONOUS_CHANNEL, AsynchronousSocketChannel::open);
        attempts.put(Opening.ASYNCHRONOUS_SERVER_CHANNEL, () -> AsynchronousServerSocketChannel.open()
                .bind(anyPort));
        attempts.put(Opening.ASYNCHRONOUS_GROUP, () -> {
            AsynchronousChannelGroup group = AsynchronousChannelGroup.withFixedThreadPool(1, Thread::new);
            return group::shutdownNow;
        });
        attempts.put(Opening.UNIX_CHANNEL, () -> SocketChannel.open(StandardProtocolFamily.UNIX));
        attempts.put(Opening.UNIX_SERVER_CHANNEL, () -> ServerSocketChannel.open(StandardProtocolFamily.UNIX));
        attempts.put(Opening.SELECTOR, Selector::open);
        attempts.put(Opening.PIPE, () -> {
            Pipe pipe = Pipe.open();
            return () -> {
                pipe.source().close();
                pipe.sink().close();
            };
        });
        attempts.put(Opening.ACCEPT, listener::accept);
        attempts.put(Opening.NON_BLOCKING_ACCEPT, () -> acceptWithoutWaiting(listener));
    }

    private static SocketChannel acceptWithoutWaiting(ServerSocketChannel listener) throws IOException {
        listener.configureBlocking(false);
        try {
            while (true) { // the test ends it if nothing comes
                SocketChannel accepted = listener.accept();
                if (accepted != null) {
                    return accepted;
                }
                Thread.yield();
            }
        } finally {
            listener.configureBlocking(true);
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 2 * CONNECTIONS);
            LastDescriptors program = new LastDescriptors(listener);
            program.serve(listener);
        }
    }

    private void serve(ServerSocketChannel listener) throws IOException, InterruptedException {
        for (int i = 0; i < CONNECTIONS; i++) {
            ends.add(SocketChannel.open(listener.getLocalAddress()));
            ends.add(listener.accept());
        }
        SocketChannel waiting = SocketChannel.open(listener.getLocalAddress()); // to be accepted
        SocketChannel another = SocketChannel.open(listener.getLocalAddress());
        for (Attempt each : attempts.values()) {
            each.make().close(); // all classes are there from now on, also those whose loading takes a descriptor
        }
        waiting.close();
        another.close();
        console.say("READY");
        while (true) {
            String command = console.next();
            if (toBeAccepted == null) {
                toBeAccepted = SocketChannel.open(listener.getLocalAddress());
            }
            if (command.equals("TALK")) {
                talk();
                console.say("TALKED");
            } else {
                boolean isNewThreads = command.startsWith(NEW);
                Opening opening = Opening.valueOf(isNewThreads ? command.substring(NEW.length()) : command);
                Attempt attempt = attempts.get(opening);
                console.say(opening + " " + (isNewThreads ? inNewThread(attempt) : withoutFiles(attempt)));
                toBeAccepted.close();
                toBeAccepted = null;
            }
        }
    }

    private static String inNewThread(Attempt attempt) throws InterruptedException {
        String[] said = new String[1];
        Thread thread = new Thread(() -> said[0] = make(attempt), "attempt");
        thread.start();
        thread.join();
        return said[0];
    }

    private static String make(Attempt attempt) {
        try {
            attempt.make().close();
            return "OPENED";
        } catch (IOException e) {
            return "FAILED " + e;
        }
    }

    private static String withoutFiles(Attempt attempt) throws IOException {
        List<Closeable> files = new ArrayList<>();
        try {
            while (true) {
                files.add(new FileInputStream("/dev/null"));
            }
        } catch (FileNotFoundException expected) { // "Too many open files"
            return make(attempt);
        } finally {
            for (Closeable each : files) {
                each.close();
            }
        }
    }

    private void talk() throws IOException {
        ByteBuffer one = ByteBuffer.allocate(1);
        for (int i = 0; i < ends.size(); i += 2) {
            exchange(ends.get(i), ends.get(i + 1), one);
            exchange(ends.get(i + 1), ends.get(i), one);
        }
    }

    private static void exchange(SocketChannel from, SocketChannel to, ByteBuffer one) throws IOException {
        from.write(one.clear());
        to.read(one.clear());
    }
}
