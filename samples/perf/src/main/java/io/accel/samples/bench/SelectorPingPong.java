// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Round trips to a {@link SelectorEchoServer} over one of {@code connections} connections, which one selector
 * watches. With {@code settle_ms} each of the others sends one message before a measurement, which begins so many
 * milliseconds later. Arguments: {@code port}, {@code connections}, {@code size} and those of {@link LatencyRun}.
 */
public final class SelectorPingPong {
    private final Selector selector;
    private final ByteBuffer request;
    private final ByteBuffer reply;
    private final List<SocketChannel> channels = new ArrayList<>();
    private SocketChannel active;
    private long sequence;

    SelectorPingPong(Selector selector, int size) {
        this.selector = selector;
        request = ByteBuffer.allocateDirect(size);
        reply = ByteBuffer.allocateDirect(size);
    }

    public static void main(String[] args) throws IOException {
        Parameters parameters = Parameters.parse(args);
        int size = parameters.number("size");
        try (Selector selector = Selector.open()) {
            SelectorPingPong client = new SelectorPingPong(selector, size);
            client.open(parameters.server(), parameters.number("connections"));
            client.run(parameters);
        }
    }

    /** Measures with a connection in the middle. */
    void run(Parameters parameters) throws IOException {
        active = channels.get(channels.size() / 2);
        LatencyRun run = new LatencyRun(this::roundTrip, 2 * request.capacity(), 1);
        long settle = TimeUnit.MILLISECONDS.toNanos(parameters.number("settle_ms", -1));
        (settle < 0 ? run : run.after(() -> burst(settle))).execute(parameters);
    }

    /** Opens connections, one after the other; each has made a round trip before the next one is opened. */
    void open(SocketAddress server, int connections) throws IOException {
        for (int i = 0; i < connections; i++) {
            active = SocketChannel.open(server);
            active.setOption(StandardSocketOptions.TCP_NODELAY, true);
            active.configureBlocking(false);
            active.register(selector, SelectionKey.OP_READ);
            channels.add(active);
            roundTrip();
        }
    }

    /** Makes {@code trips} round trips on each connection. */
    void useEach(int trips) throws IOException {
        for (SocketChannel channel : channels) {
            active = channel;
            for (int i = 0; i < trips; i++) {
                roundTrip();
            }
        }
    }

    /** One message on each connection, then {@code settle} nanoseconds on one alone. */
    private void burst(long settle) throws IOException {
        SocketChannel busy = active;
        useEach(1);
        active = busy;
        long end = System.nanoTime() + settle;
        do {
            roundTrip();
        } while (System.nanoTime() - end < 0);
    }

    private void roundTrip() throws IOException {
        request.clear().putLong(0, ++sequence);
        while (request.hasRemaining()) {
            active.write(request);
        }
        reply.clear();
        while (reply.hasRemaining()) {
            selector.select();
            Iterator<SelectionKey> ready = selector.selectedKeys().iterator();
            while (ready.hasNext()) {
                SelectionKey key = ready.next();
                ready.remove();
                if (key.isReadable() && ((SocketChannel) key.channel()).read(reply) < 0) {
                    throw new EOFException("the server closed " + key.channel());
                }
            }
        }
        if (reply.getLong(0) != sequence) {
            throw new IOException("sent message " + sequence + " but got back " + reply.getLong(0));
        }
    }
}
