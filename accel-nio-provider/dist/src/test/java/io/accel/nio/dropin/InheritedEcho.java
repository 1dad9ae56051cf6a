// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * A service that a super server starts, as inetd and systemd do: the socket is its standard input. It echoes until its client has
 * gone, or has sent it a datagram of one byte. Nobody hears what it prints once it has asked for its channel.
 */
final class InheritedEcho {
    private InheritedEcho() {}

    public static void main(String[] args) throws IOException {
        Channel inherited = System.inheritedChannel();
        try (Selector selector = Selector.open()) {
            if (inherited instanceof ServerSocketChannel listener) {
                register(listener, selector, SelectionKey.OP_ACCEPT);
                selector.select();
                echoStream(listener.accept(), selector);
            } else if (inherited instanceof SocketChannel channel) {
                echoStream(channel, selector);
            } else {
                echoDatagrams((DatagramChannel) inherited, selector);
            }
        }
    }

    private static void echoStream(SocketChannel channel, Selector selector) throws IOException {
        SelectionKey key = register(channel, selector, SelectionKey.OP_READ);
        ByteBuffer buffer = ByteBuffer.allocate(256);
        while (true) {
            selector.select();
            selector.selectedKeys().clear();
            if (!key.isReadable()) {
                continue;
            }
            if (channel.read(buffer.clear()) < 0) {
                channel.close();
                return;
            }
            writeAll(channel, buffer.flip());
        }
    }

    private static void echoDatagrams(DatagramChannel channel, Selector selector) throws IOException {
        SelectionKey unused = register(channel, selector, SelectionKey.OP_READ);
        ByteBuffer buffer = ByteBuffer.allocate(256);
        do {
            selector.select();
            selector.selectedKeys().clear();
            SocketAddress from = channel.receive(buffer.clear());
            if (from != null) {
                channel.send(buffer.flip(), from);
            }
        } while (buffer.limit() != 1);
    }

    private static SelectionKey register(SelectableChannel channel, Selector selector, int interest)
            throws IOException {
        channel.configureBlocking(false);
        return channel.register(selector, interest);
    }

    private static void writeAll(ByteChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }
}
