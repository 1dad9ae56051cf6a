// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Iterator;

/** A listener and some connections, one after the other, with an echo each, all by one selector. */
final class FewSelections {
    private FewSelections() {}

    public static void main(String[] args) throws IOException {
        int connections = Integer.parseInt(args[0]);
        ByteBuffer buffer = ByteBuffer.allocateDirect(1);
        try (Selector selector = Selector.open();
                ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT);
            for (int left = connections; left > 0; left--) {
                try (SocketChannel client = SocketChannel.open(listener.getLocalAddress())) {
                    client.write(buffer.clear());
                    client.configureBlocking(false);
                    SelectionKey key = client.register(selector, SelectionKey.OP_READ);
                    while (!serve(selector, listener, key, buffer)) {
                        selector.select();
                    }
                }
            }
        }
        System.out.print("echoed ");
        System.out.println(connections);
    }

    /** Returns whether the client has its echo. */
    private static boolean serve(
            Selector selector, ServerSocketChannel listener, SelectionKey client, ByteBuffer buffer)
            throws IOException {
        boolean done = false;
        for (Iterator<SelectionKey> i = selector.selectedKeys().iterator(); i.hasNext(); ) {
            SelectionKey key = i.next();
            i.remove();
            if (key.isAcceptable()) {
                SocketChannel accepted = listener.accept();
                accepted.configureBlocking(false);
                accepted.register(selector, SelectionKey.OP_READ);
            } else if (key == client) {
                done = client.channel() instanceof SocketChannel channel && channel.read(buffer.clear()) > 0;
            } else if (key.channel() instanceof SocketChannel channel) {
                if (channel.read(buffer.clear()) < 0) {
                    channel.close();
                } else {
                    channel.write(buffer.flip());
                }
            }
        }
        return done;
    }
}
