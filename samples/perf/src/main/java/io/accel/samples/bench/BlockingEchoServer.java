// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Echoes small messages to one client after the other: one thread, blocking channels. Argument: {@code path}, for a Unix-domain socket. */
public final class BlockingEchoServer {
    private BlockingEchoServer() {}

    public static void main(String[] args) throws IOException {
        try (ServerSocketChannel listener = Streams.listen(Parameters.parse(args))) {
            serve(listener);
        }
    }

    /** The same with a listener of any kind, until accepting fails. */
    public static void serve(ServerSocketChannel listener) throws IOException {
        Control.serveInBackground();
        ByteBuffer message = ByteBuffer.allocateDirect(64 * 1024);
        Event.named("ready").with("port", Streams.portOf(listener)).send();
        while (true) {
            try (SocketChannel channel = Streams.accept(listener)) {
                while (channel.read(message.clear()) >= 0) {
                    message.flip();
                    while (message.hasRemaining()) {
                        channel.write(message);
                    }
                }
            }
        }
    }
}
