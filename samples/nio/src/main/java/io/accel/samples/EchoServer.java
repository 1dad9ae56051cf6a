// SPDX-License-Identifier: Apache-2.0
package io.accel.samples;

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
 * Sends back everything that it receives, to any number of clients, with one thread and one selector.
 *
 * <p>Usage: {@code EchoServer [PORT [ADDRESS]]}; without a port it takes a free one and prints it.
 */
public final class EchoServer {
    private EchoServer() {}

    /** The bytes that one client has sent and not yet got back. */
    private static ByteBuffer pendingOf(SelectionKey key) {
        return (ByteBuffer) key.attachment();
    }

    public static void main(String[] args) throws IOException {
        int port = args.length > 0 ? Integer.parseInt(args[0]) : 0;
        InetAddress address = args.length > 1 ? InetAddress.getByName(args[1]) : InetAddress.getLoopbackAddress();
        try (Selector selector = Selector.open();
                ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(address, port));
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT);
            System.out.println("listening on " + listener.getLocalAddress());
            while (true) {
                selector.select();
                Iterator<SelectionKey> ready = selector.selectedKeys().iterator();
                while (ready.hasNext()) {
                    SelectionKey key = ready.next();
                    ready.remove();
                    if (key.isAcceptable()) {
                        accept(listener, selector);
                    } else {
                        echo(key);
                    }
                }
            }
        }
    }

    private static void accept(ServerSocketChannel listener, Selector selector) throws IOException {
        SocketChannel client = listener.accept();
        if (client != null) {
            client.configureBlocking(false);
            client.register(selector, SelectionKey.OP_READ, ByteBuffer.allocateDirect(64 * 1024));
        }
    }

    private static void echo(SelectionKey key) throws IOException {
        SocketChannel client = (SocketChannel) key.channel();
        ByteBuffer pending = pendingOf(key);
        try {
            boolean ended = key.isReadable() && client.read(pending) < 0;
            pending.flip();
            client.write(pending);
            pending.compact();
            if (ended && pending.position() == 0) {
                client.close();
                return;
            }
            // Wait to write only while there is something to write, and read only while there is room for it.
            int interest = pending.position() > 0 ? SelectionKey.OP_WRITE : 0;
            if (!ended && pending.hasRemaining()) {
                interest |= SelectionKey.OP_READ;
            }
            key.interestOps(interest);
        } catch (IOException gone) {
            System.err.println(client + " is gone: " + gone);
            client.close();
        }
    }
}
