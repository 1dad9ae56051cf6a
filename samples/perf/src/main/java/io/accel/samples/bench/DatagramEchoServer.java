// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Iterator;

/** Sends each datagram back to its sender: one thread, one selector, one channel. Argument as for {@link StreamSink}. */
public final class DatagramEchoServer {
    private DatagramEchoServer() {}

    public static void main(String[] args) throws IOException {
        Control.serveInBackground();
        ByteBuffer message = ByteBuffer.allocateDirect(64 * 1024);
        try (Selector selector = Selector.open();
                DatagramChannel channel = DatagramChannel.open()) {
            channel.bind(Parameters.parse(args).anyPort());
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            Event.named("ready").with("port", channel.socket().getLocalPort()).send();
            while (true) {
                selector.select();
                Iterator<SelectionKey> ready = selector.selectedKeys().iterator();
                while (ready.hasNext()) {
                    ready.next();
                    ready.remove();
                    SocketAddress from = channel.receive(message.clear());
                    if (from != null) {
                        channel.send(message.flip(), from);
                    }
                }
            }
        }
    }
}
