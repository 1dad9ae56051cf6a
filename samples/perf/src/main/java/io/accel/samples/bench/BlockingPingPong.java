// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Round trips to a {@link BlockingEchoServer} over one blocking channel. Arguments: {@code port}, or {@code path} of a
 * Unix-domain socket; {@code size} and those
 * of {@link LatencyRun}.
 */
public final class BlockingPingPong {
    private final SocketChannel channel;
    private final ByteBuffer request;
    private final ByteBuffer reply;
    private long sequence;

    private BlockingPingPong(SocketChannel channel, int size) {
        this.channel = channel;
        request = ByteBuffer.allocateDirect(size);
        reply = ByteBuffer.allocateDirect(size);
    }

    public static void main(String[] args) throws IOException {
        Parameters parameters = Parameters.parse(args);
        try (SocketChannel channel = Streams.connect(parameters)) {
            run(channel, parameters);
        }
    }

    /** The same over a channel of any kind that is connected to the server. */
    public static void run(SocketChannel channel, Parameters parameters) throws IOException {
        int size = parameters.number("size");
        new LatencyRun(new BlockingPingPong(channel, size)::roundTrip, 2 * size, 1).execute(parameters);
    }

    private void roundTrip() throws IOException {
        request.clear().putLong(0, ++sequence);
        while (request.hasRemaining()) {
            channel.write(request);
        }
        reply.clear();
        while (reply.hasRemaining()) {
            if (channel.read(reply) < 0) {
                throw new EOFException("the server closed the connection");
            }
        }
        if (reply.getLong(0) != sequence) {
            throw new IOException("sent message " + sequence + " but got back " + reply.getLong(0));
        }
    }
}
