// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Iterator;

/**
 * Sends messages to a {@link StreamSink} as fast as they go, one {@code write} a message, through a selector. The time
 * ends when the sink has said that it received every byte, so bytes under way do not count. Arguments:
 * {@code port}, {@code size} (of a message) and {@code warmup_ms}. It measures whenever it is told
 * to, for as long as it is told, each time over a new connection.
 */
public final class StreamSource {
    /** Messages between two looks at the clock: looking costs as much as a small message. */
    private final int clockInterval;

    private final Parameters parameters;
    private final Selector selector;
    private final ByteBuffer message;

    private StreamSource(Parameters parameters, Selector selector) {
        this.parameters = parameters;
        this.selector = selector;
        int size = parameters.number("size");
        message = ByteBuffer.allocateDirect(size);
        clockInterval = size < 4096 ? 1024 : 16;
    }

    public static void main(String[] args) throws IOException {
        Parameters parameters = Parameters.parse(args);
        try (Selector selector = Selector.open()) {
            new StreamSource(parameters, selector).execute();
        }
    }

    private void execute() throws IOException {
        // Two connections, so that the code for opening and ending one is warm as well.
        for (int i = 0; i < 2; i++) {
            try (SocketChannel channel = connect()) {
                stream(channel, parameters.millis("warmup_ms") / 2);
            }
        }
        Event.named("warm").send();
        Meter meter = new Meter(Thread.currentThread());
        while (true) {
            long duration = Control.awaitGo();
            try (SocketChannel channel = connect()) {
                measure(meter, channel, duration);
            }
        }
    }

    private void measure(Meter meter, SocketChannel channel, long duration) throws IOException {
        Usage before = meter.begin();
        long begin = System.nanoTime();
        long messages = stream(channel, duration);
        long elapsed = System.nanoTime() - begin;
        Usage used = meter.end().since(before);
        Event.named("result")
                .with("ops", messages)
                .with("moved", messages * message.capacity())
                .with("elapsed_ns", elapsed)
                .with("provider", SelectorProvider.provider().getClass().getName())
                .with(used)
                .send();
    }

    private SocketChannel connect() throws IOException {
        SocketChannel channel = SocketChannel.open(parameters.server());
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_WRITE);
        return channel;
    }

    /** Sends for {@code duration} nanoseconds, waits for the sink's count, and returns the number of messages. */
    private long stream(SocketChannel channel, long duration) throws IOException {
        long end = System.nanoTime() + duration;
        long messages = 0;
        message.clear();
        boolean more = true;
        while (more) {
            awaitReady();
            // Goes on until a write leaves bytes behind: the channel is full.
            while (more) {
                channel.write(message);
                if (message.hasRemaining()) {
                    break;
                }
                message.clear();
                more = ++messages % clockInterval != 0 || System.nanoTime() - end < 0;
            }
        }
        channel.shutdownOutput();
        channel.keyFor(selector).interestOps(SelectionKey.OP_READ);
        long received = readCount(channel);
        if (received != messages * message.capacity()) {
            throw new IOException("sent " + messages * message.capacity() + " bytes, but " + received + " arrived");
        }
        return messages;
    }

    private void awaitReady() throws IOException {
        selector.select();
        Iterator<SelectionKey> ready = selector.selectedKeys().iterator();
        while (ready.hasNext()) {
            ready.next();
            ready.remove();
        }
    }

    private long readCount(SocketChannel channel) throws IOException {
        ByteBuffer count = ByteBuffer.allocate(Long.BYTES);
        while (count.hasRemaining()) {
            awaitReady();
            if (channel.read(count) < 0) {
                throw new EOFException("the sink closed without saying how much it received");
            }
        }
        return count.getLong(0);
    }
}
