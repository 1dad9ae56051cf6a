// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.contract.relay;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Passes bytes, with one bounded buffer for each direction, the end of a stream, and a reset from either of two connections to
 * the other.
 */
final class Conduit {
    private static final int BUFFER = 32 * 1024;

    private final SocketChannel client;
    private final SocketChannel server;
    private final AtomicInteger ended = new AtomicInteger();

    Conduit(SocketChannel client, SocketChannel server) {
        this.client = client;
        this.server = server;
    }

    void start() {
        start(client, server);
        start(server, client);
    }

    private void start(SocketChannel from, SocketChannel to) {
        Thread thread = new Thread(() -> pass(from, to), "conduit");
        thread.setDaemon(true);
        thread.start();
    }

    private void pass(SocketChannel from, SocketChannel to) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
        try {
            while (from.read(buffer.clear()) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    to.write(buffer);
                }
            }
            to.shutdownOutput();
            if (ended.incrementAndGet() == 2) {
                from.close();
                to.close();
            }
        } catch (IOException e) {
            // One end was reset, or takes no more: that is passed on, and the other direction ends with it.
            reset(from);
            reset(to);
        }
    }

    static void reset(SocketChannel channel) {
        try {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            channel.close();
        } catch (IOException e) {
            // The other direction has closed it already.
        }
    }
}
