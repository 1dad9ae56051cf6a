// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Connects to itself at an address, sends some bytes, and says what both ends call each other, without the ports. */
public final class ScopedEcho {
    private ScopedEcho() {}

    public static void main(String[] args) throws IOException {
        InetAddress address = InetAddress.getByName(args[0]);
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(new InetSocketAddress(address, 0));
                SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                SocketChannel server = listener.accept()) {
            for (int i = 0; i < 10; i++) {
                client.write(ByteBuffer.wrap(new byte[] {7}));
                server.read(ByteBuffer.allocate(1));
            }
            System.out.println("listener " + host(listener.getLocalAddress()));
            System.out.println("client " + host(client.getLocalAddress()) + " " + host(client.getRemoteAddress()));
            System.out.println("server " + host(server.getLocalAddress()) + " " + host(server.getRemoteAddress()));
        }
    }

    private static String host(SocketAddress address) {
        return ((InetSocketAddress) address).getAddress().getHostAddress();
    }
}
