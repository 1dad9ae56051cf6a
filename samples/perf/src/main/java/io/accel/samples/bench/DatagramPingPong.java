// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Iterator;

/**
 * Round trips to a {@link DatagramEchoServer} over a connected channel that a selector watches. A lost datagram is sent
 * again after a second, which would show. Arguments: {@code port}, {@code size} and those of {@link LatencyRun}.
 */
public final class DatagramPingPong {
    private static final long PATIENCE_MILLIS = 1_000;

    private final Selector selector;
    private final DatagramChannel channel;
    private final ByteBuffer request;
    private final ByteBuffer reply;
    private long sequence;

    private DatagramPingPong(Selector selector, DatagramChannel channel, int size) {
        this.selector = selector;
        this.channel = channel;
        request = ByteBuffer.allocateDirect(size);
        reply = ByteBuffer.allocateDirect(size);
    }

    public static void main(String[] args) throws IOException {
        Parameters parameters = Parameters.parse(args);
        int size = parameters.number("size");
        try (Selector selector = Selector.open();
                DatagramChannel channel = DatagramChannel.open()) {
            channel.connect(parameters.server());
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            DatagramPingPong client = new DatagramPingPong(selector, channel, size);
            new LatencyRun(client::roundTrip, 2 * size, 1, new KernelDatagrams(2 * size)::bytes).execute(parameters);
        }
    }

    private void roundTrip() throws IOException {
        request.putLong(0, ++sequence);
        do {
            channel.write(request.clear());
        } while (!awaitReply());
    }

    /** Whether the reply came; it may be one to an earlier request, which came late. */
    private boolean awaitReply() throws IOException {
        while (selector.select(PATIENCE_MILLIS) > 0) {
            Iterator<SelectionKey> ready = selector.selectedKeys().iterator();
            while (ready.hasNext()) {
                ready.next();
                ready.remove();
            }
            if (channel.read(reply.clear()) > 0 && reply.getLong(0) == sequence) {
                return true;
            }
        }
        return false;
    }
}
