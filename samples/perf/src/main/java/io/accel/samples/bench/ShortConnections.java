// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Connections to a {@link ShortConnectionServer}, one after the other: each is opened, carries one message there and back,
 * which may be of no bytes, and ends when the server closes it. Arguments: {@code port}, {@code size} and those of {@link
 * LatencyRun}.
 */
public final class ShortConnections {
    private final InetSocketAddress server;
    private final ByteBuffer request;
    private final ByteBuffer reply;
    private long sequence;

    private ShortConnections(InetSocketAddress server, int size) {
        this.server = server;
        request = ByteBuffer.allocateDirect(size);
        reply = ByteBuffer.allocateDirect(size + 1); // one more than is to come
    }

    public static void main(String[] args) throws IOException {
        Parameters parameters = Parameters.parse(args);
        int size = parameters.number("size");
        new LatencyRun(new ShortConnections(parameters.server(), size)::connection, 2 * size, 1).execute(parameters);
    }

    private void connection() throws IOException {
        try (SocketChannel channel = SocketChannel.open(server)) {
            request.clear();
            if (request.hasRemaining()) {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                request.putLong(0, ++sequence);
            }
            while (request.hasRemaining()) {
                channel.write(request);
            }
            reply.clear();
            while (channel.read(reply) >= 0) {
                if (!reply.hasRemaining()) {
                    throw new IOException("the server sent more than it got");
                }
            }
            if (reply.position() != request.capacity() || (request.capacity() > 0 && reply.getLong(0) != sequence)) {
                throw new IOException(
                        "the server closed after " + reply.position() + " bytes of " + request.capacity());
            }
        }
    }
}
