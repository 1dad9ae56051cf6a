// SPDX-License-Identifier: Apache-2.0
package io.accel.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;

/** The program that {@link SecurityManagerTest} starts: it may use the loopback address, and nothing else. */
final class SecurityManagerProbe {
    private static final int DATAGRAMS = 500;

    private SecurityManagerProbe() {}

    public static void main(String[] args) throws Exception {
        streams();
        datagrams();
        growing();
        elsewhere();
    }

    private static void streams() throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(loopback());
                SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                SocketChannel server = listener.accept();
                Selector selector = Selector.open()) {
            client.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
            server.configureBlocking(false).register(selector, SelectionKey.OP_READ);
            selector.select(10_000);
            ByteBuffer got = ByteBuffer.allocate(8);
            System.out.println("read " + server.read(got));
            server.write(got.flip());
            System.out.println("echoed " + client.read(ByteBuffer.allocate(8)));
        }
    }

    /** Exchanges so many messages, and more until it is told to go on. */
    private static void datagrams() throws IOException {
        try (DatagramChannel one = DatagramChannel.open().bind(loopback());
                DatagramChannel other = DatagramChannel.open().bind(loopback())) {
            for (int i = 0; i < DATAGRAMS; i++) {
                exchange(one, other);
            }
            System.out.println("datagrams " + DATAGRAMS);
            while (System.in.available() == 0) {
                exchange(one, other);
            }
            int unused = System.in.read();
        }
    }

    private static void exchange(DatagramChannel one, DatagramChannel other) throws IOException {
        one.send(ByteBuffer.wrap(new byte[] {1}), other.getLocalAddress());
        other.receive(ByteBuffer.allocate(8));
        LockSupport.parkNanos(1_000_000); // a path is looked for meanwhile
    }

    /** Fills rings until it is told that there are larger ones. */
    private static void growing() throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(loopback());
                SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                SocketChannel server = listener.accept()) {
            FutureTask<Long> writing = new FutureTask<>(() -> {
                long written = 0;
                for (ByteBuffer some = ByteBuffer.allocate(1 << 16); System.in.available() == 0; some.clear()) {
                    written += client.write(some);
                }
                client.shutdownOutput();
                return written;
            });
            new Thread(writing, "writer").start();
            System.out.println("filling");
            ByteBuffer some = ByteBuffer.allocate(1 << 15);
            long came = 0;
            for (int n = server.read(some); n >= 0; n = server.read(some.clear())) {
                came += n;
            }
            System.out.println(came == writing.get() ? "all came" : "of " + writing.get() + " bytes came " + came);
        }
    }

    private static void elsewhere() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            channel.connect(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 2}), 9));
            System.out.println("connected although it may not");
        } catch (SecurityException e) {
            System.out.println("elsewhere " + e.getMessage());
        }
    }

    private static InetSocketAddress loopback() throws IOException {
        return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0);
    }
}
