// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** A program that opens one listener and as many connections to it as it is told, one of which after the other carries a byte there and back. */
final class FewEchoes {
    private FewEchoes() {}

    public static void main(String[] args) throws IOException {
        int connections = Integer.parseInt(args[0]);
        int echoed = 0;
        try (ServerSocketChannel listener =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            SocketChannel[] clients = new SocketChannel[connections];
            SocketChannel[] accepted = new SocketChannel[connections];
            for (int i = 0; i < connections; i++) {
                clients[i] = SocketChannel.open(listener.getLocalAddress());
                accepted[i] = listener.accept();
            }
            ByteBuffer one = ByteBuffer.allocateDirect(1);
            for (int i = 0; i < connections; i++) {
                clients[i].write(one.clear());
                accepted[i].read(one.clear());
                accepted[i].write(one.flip());
                clients[i].read(one.clear());
                echoed += one.position();
                clients[i].close();
                accepted[i].close();
            }
        }
        System.out.print("echoed ");
        System.out.println(echoed);
    }
}
