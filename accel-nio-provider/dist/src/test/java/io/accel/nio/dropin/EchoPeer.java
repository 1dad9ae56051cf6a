// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * A program that knows nothing of Accel: one end of an echo of messages of 64 bytes, {@code listen} or {@code connect PORT}. The
 * client sends as many as a line of its standard input says, then says so, until that ends.
 */
final class EchoPeer {
    private EchoPeer() {}

    public static void main(String[] args) throws IOException {
        InetAddress host = InetAddress.getLoopbackAddress();
        ByteBuffer buffer = ByteBuffer.allocateDirect(64);
        if (args[0].equals("listen")) {
            try (ServerSocketChannel listener = ServerSocketChannel.open().bind(new InetSocketAddress(host, 0))) {
                System.out.println("PORT " + ((InetSocketAddress) listener.getLocalAddress()).getPort());
                try (SocketChannel peer = listener.accept()) {
                    while (receive(peer, buffer)) {
                        send(peer, buffer);
                    }
                }
            }
            return;
        }
        try (SocketChannel peer = SocketChannel.open(new InetSocketAddress(host, Integer.parseInt(args[1])))) {
            for (String line = line(); line != null; line = line()) {
                for (int i = Integer.parseInt(line); i > 0; i--) {
                    send(peer, buffer.clear());
                    receive(peer, buffer);
                }
                System.out.println("DONE " + line);
            }
        }
    }

    /** The next line of the standard input; null after the last. */
    static String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = System.in.read(); c != '\n'; c = System.in.read()) {
            if (c < 0) {
                return null;
            }
            line.append((char) c);
        }
        return line.toString();
    }

    private static void send(SocketChannel peer, ByteBuffer buffer) throws IOException {
        buffer.position(0);
        while (buffer.hasRemaining()) {
            peer.write(buffer);
        }
    }

    private static boolean receive(SocketChannel peer, ByteBuffer buffer) throws IOException {
        buffer.clear();
        while (buffer.hasRemaining()) {
            if (peer.read(buffer) < 0) {
                return false;
            }
        }
        return true;
    }
}
