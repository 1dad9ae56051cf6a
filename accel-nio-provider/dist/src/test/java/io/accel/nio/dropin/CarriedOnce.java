// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketImpl;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A program that knows nothing of Accel. Its arguments say what it does, one after the other: {@code sockets} and {@code channels} send
 * it a byte, and say whether that left the kernel; {@code wait} waits for a line of its standard input; {@code factory} and
 * {@code server-factory} set a socket factory, as far as it may; {@code loader} says where its classes come from.
 */
final class CarriedOnce {
    private CarriedOnce() {}

    public static void main(String[] args) throws IOException {
        for (String arg : args) {
            switch (arg) {
                case "sockets" -> sockets();
                case "channels" -> channels();
                case "wait" -> {
                    System.out.println("ready");
                    System.out.println("told " + (System.in.read() >= 0));
                }
                case "factory", "server-factory" -> setFactory(arg);
                case "loader" ->
                    System.out.println("loader "
                            + CarriedOnce.class.getClassLoader().getClass().getName());
                default -> throw new IllegalArgumentException(arg);
            }
        }
    }

    /** What {@link #main} says of a way to send a byte. */
    static String said(String what, boolean kernels) {
        return what + " read 7, kernel's " + kernels;
    }

    private static void sockets() throws IOException {
        Set<String> before = rings();
        try (ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                Socket client = new Socket(listener.getInetAddress(), listener.getLocalPort());
                Socket server = listener.accept()) {
            client.getOutputStream().write(7);
            say("sockets", server.getInputStream().read(), before);
        }
    }

    private static void channels() throws IOException {
        Set<String> before = rings();
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(any);
                SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                SocketChannel server = listener.accept();
                Selector selector = Selector.open()) {
            server.configureBlocking(false);
            SelectionKey key = server.register(selector, SelectionKey.OP_READ);
            client.write(ByteBuffer.wrap(new byte[] {7}));
            selector.select(10_000);
            ByteBuffer read = ByteBuffer.allocate(8);
            ((SocketChannel) key.channel()).read(read);
            say("channels", read.get(0), before);
        }
    }

    private static void say(String what, int read, Set<String> before) throws IOException {
        Set<String> made = rings();
        made.removeAll(before);
        System.out.println(what + " read " + read + ", kernel's " + made.isEmpty());
    }

    /** What leaves the kernel has a file in shared memory, which both ends have mapped. */
    private static Set<String> rings() throws IOException {
        List<String> maps = Files.readAllLines(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1);
        Set<String> rings = new HashSet<>();
        for (String line : maps) {
            int at = line.indexOf("/ring-");
            if (at >= 0) {
                rings.add(line.substring(at));
            }
        }
        return rings;
    }

    @SuppressWarnings("deprecation") // as old programs do
    private static void setFactory(String which) {
        try {
            if (which.equals("factory")) {
                Socket.setSocketImplFactory(CarriedOnce::implementation);
            } else {
                ServerSocket.setSocketFactory(CarriedOnce::implementation);
            }
            System.out.println(which + " set");
        } catch (IOException e) {
            System.out.println(which + " refused");
        }
    }

    private static SocketImpl implementation() {
        throw new UnsupportedOperationException("it opens no socket then");
    }
}
