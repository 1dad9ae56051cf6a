// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/** As {@link EchoPeer}, with datagrams, each of which begins with its number. */
final class DatagramEchoPeer {
    private DatagramEchoPeer() {}

    public static void main(String[] args) throws IOException {
        InetAddress host = InetAddress.getLoopbackAddress();
        ByteBuffer buffer = ByteBuffer.allocateDirect(64);
        try (DatagramChannel channel = DatagramChannel.open().bind(new InetSocketAddress(host, 0))) {
            if (args[0].equals("listen")) {
                System.out.println("PORT " + ((InetSocketAddress) channel.getLocalAddress()).getPort());
                while (true) {
                    InetSocketAddress from = (InetSocketAddress) channel.receive(buffer.clear());
                    channel.send(buffer.flip(), from);
                }
            }
            channel.connect(new InetSocketAddress(host, Integer.parseInt(args[1])));
            int number = 0;
            for (String line = EchoPeer.line(); line != null; line = EchoPeer.line()) {
                for (int i = Integer.parseInt(line); i > 0; i--) {
                    channel.write(buffer.clear().putInt(0, number++));
                    channel.read(buffer.clear());
                }
                System.out.println("DONE " + line);
            }
        }
    }
}
