// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;

/**
 * Sends datagrams to a {@link DatagramSink} as fast as they go, without a pause, then asks how many arrived: those are the
 * operations, and the missing ones are lost. Arguments: {@code port}, {@code size} and {@code warmup_ms}. It measures whenever it
 * is told to, for as long as it is told.
 */
public final class DatagramSource {
    /** Datagrams between two looks at the clock. */
    private static final int CLOCK_INTERVAL = 256;

    private static final long PATIENCE_MILLIS = 500;

    private final Selector selector;
    private final DatagramChannel channel;
    private final ByteBuffer message;
    private final ByteBuffer answer = ByteBuffer.allocateDirect(2 * Long.BYTES);
    private long question;

    private DatagramSource(Selector selector, DatagramChannel channel, int size) {
        this.selector = selector;
        this.channel = channel;
        this.message = ByteBuffer.allocateDirect(size);
    }

    public static void main(String[] args) throws IOException {
        Parameters parameters = Parameters.parse(args);
        try (Selector selector = Selector.open();
                DatagramChannel channel = DatagramChannel.open()) {
            channel.connect(parameters.server());
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            new DatagramSource(selector, channel, parameters.number("size")).execute(parameters);
        }
    }

    private void execute(Parameters parameters) throws IOException {
        for (int i = 0; i < 2; i++) {
            send(parameters.millis("warmup_ms") / 2);
            count();
        }
        Event.named("warm").send();
        Meter meter = new Meter(Thread.currentThread());
        KernelDatagrams kernel = new KernelDatagrams(2 * message.capacity());
        while (true) {
            long duration = Control.awaitGo();
            long byKernel = kernel.bytes();
            Usage before = meter.begin();
            long begin = System.nanoTime();
            long sent = send(duration);
            long elapsed = System.nanoTime() - begin;
            Usage used = meter.end().since(before);
            long received = count();
            Event.named("result")
                    .with("ops", received)
                    .with("lost", sent - received)
                    .with("moved", received * message.capacity())
                    .with("elapsed_ns", elapsed)
                    .with("provider", SelectorProvider.provider().getClass().getName())
                    .with(used.withKernelBytes(byKernel < 0 ? -1 : kernel.bytes() - byKernel))
                    .send();
        }
    }

    private long send(long duration) throws IOException {
        long end = System.nanoTime() + duration;
        long sent = 0;
        do {
            for (int i = 0; i < CLOCK_INTERVAL; i++) {
                if (channel.write(message.putLong(0, sent).clear()) > 0) {
                    sent++;
                }
            }
        } while (System.nanoTime() - end < 0);
        return sent;
    }

    /** How many the sink got since it was last asked. The question may be lost, if the sink's buffer is full. */
    private long count() throws IOException {
        question--;
        while (true) {
            channel.write(message.putLong(0, question).clear());
            while (selector.select(PATIENCE_MILLIS) > 0) {
                selector.selectedKeys().clear();
                if (channel.read(answer.clear()) > 0 && answer.getLong(0) == question) {
                    return answer.getLong(Long.BYTES);
                }
            }
        }
    }
}
