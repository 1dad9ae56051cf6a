// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.rdma;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Iterator;

/**
 * {@code NioServer ADDRESS}: one selector, non-blocking channels, any number of clients. A client's first byte says what
 * to do with the rest: {@code e} is echoed, {@code s} is swallowed and counted; the count is the answer at the end. Prints
 * its port. Knows nothing of Accel.
 */
final class NioServer {
    private static final int BUFFER_BYTES = 256 * 1024;

    private final Selector selector;

    private NioServer(Selector selector) {
        this.selector = selector;
    }

    private static final class Client {
        final ByteBuffer pending = ByteBuffer.allocateDirect(BUFFER_BYTES);
        byte mode;
        long bytes;
        boolean ended;
    }

    public static void main(String[] args) throws IOException {
        try (Selector selector = Selector.open();
                ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getByName(args[0]), 0), 1024);
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT);
            System.out.println("port " + ((InetSocketAddress) listener.getLocalAddress()).getPort());
            new NioServer(selector).run(listener);
        }
    }

    private void run(ServerSocketChannel listener) throws IOException {
        while (true) {
            selector.select();
            Iterator<SelectionKey> ready = selector.selectedKeys().iterator();
            while (ready.hasNext()) {
                SelectionKey key = ready.next();
                ready.remove();
                if (key.isAcceptable()) {
                    accept(listener);
                } else {
                    serve(key);
                }
            }
        }
    }

    private void accept(ServerSocketChannel listener) throws IOException {
        SocketChannel channel = listener.accept();
        if (channel != null) {
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ, new Client());
        }
    }

    private static void serve(SelectionKey key) throws IOException {
        SocketChannel channel = (SocketChannel) key.channel();
        try {
            work(key, channel, (Client) key.attachment());
        } catch (IOException e) {
            System.out.println("client failed after " + ((Client) key.attachment()).bytes + ": " + e.getMessage());
            channel.close();
        }
    }

    private static void work(SelectionKey key, SocketChannel channel, Client client) throws IOException {
        if (!client.ended && client.pending.position() == 0) {
            int n = channel.read(client.pending);
            client.ended = n < 0;
            take(client);
        }
        if (client.mode == 's' && client.ended) {
            System.out.println("swallowed " + client.bytes);
            client.pending.clear().putLong(client.bytes);
            client.mode = 0;
        }
        client.pending.flip();
        channel.write(client.pending);
        client.pending.compact();
        boolean left = client.pending.position() > 0;
        if (client.ended && !left) {
            System.out.println("client ended after " + client.bytes);
            channel.close();
        } else {
            key.interestOps(left ? SelectionKey.OP_WRITE : SelectionKey.OP_READ);
        }
    }

    private static void take(Client client) {
        ByteBuffer pending = client.pending;
        if (client.mode == 0 && pending.position() > 0) {
            client.mode = pending.flip().get();
            pending.compact();
        }
        if (client.mode == 's') {
            client.bytes += pending.position();
            pending.clear();
        }
    }
}
